#include "systolic/trace/program.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/compile_cache.h"
#include "systolic/trace/default_client.h"

namespace systolic::inline v0 {

Program::Program(const std::vector<ProgramParameter>& parameters, const Body& body,
                 ProgramOptions options)
    : options_(std::move(options)) {
  auto trace = std::make_shared<Trace>(Trace::Kind::explicit_, options_.replicas);
  trace->module().num_partitions = options_.partitions;
  trace->module().name = options_.name;
  TraceScope scope(trace);
  std::vector<Tensor> arguments;
  for (const ProgramParameter& parameter : parameters) {
    arguments.push_back(trace->add_parameter(parameter.type, parameter.parameter));
  }
  finish(*trace, body(arguments));
}

void Program::finish(Trace& trace, const std::vector<Tensor>& results) {
  if (trace.host_loop().active) finish_host_loop(trace, results);
  ir::Function& main = trace.function();
  for (const Tensor& result : results) main.add_result(trace.value_of(result, {}).id());
  result_count_ = results.size();

  inputs_ = trace.inputs();
  for (const auto& slot : trace.variables()) {
    if (!slot->assigned) continue;
    const size_t position = main.body.results.size();
    main.add_result(slot->current, {.name = slot->variable->options.name, .uniform = true});
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].kind != TraceInput::Kind::variable || inputs_[i].variable != slot->variable)
        continue;
      main.arguments[i].aliases_result = static_cast<int64_t>(position);
    }
    assigned_.push_back({slot->variable, position});
  }
  module_ = std::move(trace.module());
}

void Program::finish_host_loop(Trace& trace, const std::vector<Tensor>& results) {
  const Trace::HostLoop& loop = trace.host_loop();
  if (!results.empty() || trace.function().body.ops.size() != loop.ops_at_end) {
    raise<Unimplemented>(
        {.what =
             "a for_range that takes batches from an iterator is followed by other computations",
         .wanted = "a function that does nothing else and returns nothing",
         .hint = "read variables or metrics after the call"});
  }
  host_loop_ = true;
  round_input_ = loop.round_input;
  const TensorState& count = *loop.count.state();
  if (count.host) {
    constant_rounds_ = count.host->integer_at(0);
    return;
  }
  size_t parameter = 0;
  for (size_t i = 0; i < trace.inputs().size(); ++i) {
    if (trace.inputs()[i].kind != TraceInput::Kind::parameter) continue;
    if (trace.function().body.arguments[i] == count.value) {
      rounds_parameter_ = parameter;
      return;
    }
    ++parameter;
  }
  raise<Unimplemented>(
      {.what =
           "the count of a for_range that takes batches from an iterator is computed on the device",
       .wanted = "a number, or a Tensor given to the function"});
}

std::vector<ir::Type> Program::result_types() const {
  std::vector<ir::Type> types;
  for (size_t i = 0; i < result_count_; ++i) {
    types.push_back(module_.main().type(module_.main().body.results[i]));
  }
  return types;
}

std::vector<std::shared_ptr<VariableState>> Program::variables() const {
  std::vector<std::shared_ptr<VariableState>> result;
  for (const TraceInput& input : inputs_) {
    if (input.kind == TraceInput::Kind::variable) result.push_back(input.variable);
  }
  return result;
}

runtime::ExecutablePtr Program::compile() {
  runtime::ClientPtr client = default_client();
  const std::lock_guard lock(compile_mutex_);
  if (!executable_ || client_ != client) {
    client_ = std::move(client);
    executable_ = CompileCache::of_process().get(client_, module_);
  }
  return executable_;
}

int64_t Program::rounds(const std::vector<runtime::BufferPtr>& parameters) const {
  if (!host_loop_) return 1;
  if (constant_rounds_ >= 0) return constant_rounds_;
  return parameters[rounds_parameter_]->to_literal().integer_at(0);
}

std::vector<runtime::BufferPtr> Program::run(std::vector<runtime::BufferPtr> parameters,
                                             const runtime::ExecuteOptions& options) {
  // What waits in the implicit trace came first in the program text; it may assign the variables
  // read here.
  if (Trace::implicit().has_pending()) Trace::implicit().flush();
  const int64_t count = rounds(parameters);
  for (int64_t round = 0; round + 1 < count; ++round) run_once(parameters, round, options);
  if (count == 0) return {};
  return run_once(std::move(parameters), count - 1, options);
}

// What the caller and the iterators give; state stays empty. Waits for batches, so nothing is
// locked.
std::vector<runtime::BufferPtr> Program::given_arguments(std::vector<runtime::BufferPtr> parameters,
                                                         int64_t round) {
  std::vector<runtime::BufferPtr> arguments(inputs_.size());
  size_t next = 0;
  const Feed* pulled_from = nullptr;
  std::vector<runtime::BufferPtr> pulled;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TraceInput& input = inputs_[i];
    if (input.kind == TraceInput::Kind::parameter) {
      if (host_loop_ && i == round_input_) {
        const DType dtype = module_.main().type(module_.main().body.arguments[i]).dtype;
        arguments[i] = default_client()->from_host(Literal::scalar(round).convert(dtype));
      } else {
        arguments[i] = std::move(parameters[next++]);
      }
    } else if (input.kind == TraceInput::Kind::feed) {
      // The values of one pull stand side by side.
      if (pulled_from != input.feed.get()) pulled = input.feed->pull();
      pulled_from = input.feed.get();
      arguments[i] = pulled.at(input.feed_index);
    }
  }
  return arguments;
}

// Variables and what was captured. Under variables_mutex().
void Program::add_state(std::vector<runtime::BufferPtr>& arguments) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    TraceInput& input = inputs_[i];
    switch (input.kind) {
      case TraceInput::Kind::variable:
        arguments[i] = input.variable->ready({});
        break;
      case TraceInput::Kind::host:
        if (!input.buffer || input.buffer->deleted())
          input.buffer = default_client()->from_host(input.literal);
        [[fallthrough]];
      case TraceInput::Kind::buffer:
        arguments[i] = input.buffer;
        break;
      case TraceInput::Kind::parameter:
      case TraceInput::Kind::feed:
        break;
    }
  }
}

std::vector<runtime::BufferPtr> Program::run_once(std::vector<runtime::BufferPtr> parameters,
                                                  int64_t round,
                                                  const runtime::ExecuteOptions& options) {
  const runtime::ExecutablePtr executable = compile();
  std::vector<runtime::BufferPtr> arguments = given_arguments(std::move(parameters), round);
  const std::lock_guard lock(variables_mutex());
  add_state(arguments);
  // Donated memory must have one owner: the variable lets go of it, and takes the new value
  // afterwards.
  for (const Assigned& assigned : assigned_) assigned.variable->buffer.reset();
  std::vector<runtime::BufferPtr> results;
  try {
    results = executable->execute(std::move(arguments), options);
  } catch (const std::exception& error) {
    give_back(arguments, error.what());
    throw;
  }
  for (const Assigned& assigned : assigned_)
    assigned.variable->hold(std::move(results[assigned.result]));
  results.resize(result_count_);
  return results;
}

// After a run that failed: the variables have the values that they had before it, but for those
// whose memory the program had begun to overwrite. These remember why.
void Program::give_back(std::vector<runtime::BufferPtr>& arguments, std::string_view failure) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].kind != TraceInput::Kind::variable) continue;
    VariableState& variable = *inputs_[i].variable;
    if (variable.buffer) continue;
    variable.buffer = std::move(arguments[i]);
    if (variable.buffer->deleted()) variable.lost_in = failure;
  }
}

}  // namespace systolic::inline v0
