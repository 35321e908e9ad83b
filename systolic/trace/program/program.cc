#include "systolic/trace/program/program.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/ir/structure_key.h"
#include "systolic/trace/device/compile_cache.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {

using runtime::BufferPtr;
using Kind = TraceInput::Kind;

Program::Program(const std::vector<ProgramParameter>& parameters, const Body& body,
                 ProgramOptions options)
    : options_(std::move(options)) {
  auto trace = std::make_shared<Trace>(Trace::Kind::explicit_, options_.replicas);
  trace->module().num_partitions = options_.partitions;
  trace->module().name = options_.name;
  TraceSegments segments(trace);
  const TraceScope scope(trace);
  std::vector<Tensor> arguments;
  for (const ProgramParameter& parameter : parameters) {
    arguments.push_back(trace->add_parameter(parameter.type, parameter.parameter));
  }
  finish(segments, body(arguments));
}

void Program::finish(TraceSegments& segments, const std::vector<Tensor>& results) {
  std::vector<ir::ValueId> values;
  Trace& last = *segments.all().back().trace;
  for (const Tensor& result : results) values.push_back(last.value_of(result, {}).id());
  // Only now is known what each piece exports.
  for (const TraceSegment& segment : segments.all()) {
    const bool is_last = segment.trace.get() == &last;
    pieces_.push_back(make_piece(segment, is_last ? values : segment.trace->exported()));
  }
  mark_uniform();
}

Program::Piece Program::make_piece(const TraceSegment& segment,
                                   const std::vector<ir::ValueId>& results) {
  Trace& trace = *segment.trace;
  ir::Function& main = trace.function();
  Piece piece;
  piece.segment = segment;
  piece.segment.trace = piece.segment.before = nullptr;
  for (ir::ValueId value : results) main.add_result(value);
  piece.result_count = results.size();
  piece.inputs = trace.inputs();
  for (const auto& slot : trace.variables()) {
    if (!slot->assigned) continue;
    const size_t position = main.body.results.size();
    main.add_result(slot->current,
                    {.name = slot->variable->options.name,
                     .sharding = slot->variable->sharding(trace.module().num_partitions),
                     .uniform = true});
    for (size_t i = 0; i < piece.inputs.size(); ++i) {
      const TraceInput& input = piece.inputs[i];
      if (input.kind != Kind::variable || input.variable != slot->variable) continue;
      main.arguments[i].aliases_result = static_cast<int64_t>(position);
    }
    piece.assigned.push_back({slot->variable, position});
  }
  piece.module = std::move(trace.module());
  return piece;
}

// What a piece that runs once gives is the same on every core.
void Program::mark_uniform() {
  for (Piece& piece : pieces_) {
    for (size_t i = 0; i < piece.inputs.size(); ++i) {
      const TraceInput& input = piece.inputs[i];
      if (input.kind != Kind::earlier) continue;
      piece.module.main().arguments[i].uniform = pieces_[input.segment].module.num_replicas == 1;
    }
  }
}

std::string Program::structure_key() const {
  std::string key;
  for (const Piece& piece : pieces_) key += ir::structure_key(piece.module);
  return key;
}

std::vector<ir::Type> Program::result_types() const {
  const Piece& last = pieces_.back();
  const ir::Function& main = last.module.main();
  std::vector<ir::Type> types;
  for (size_t i = 0; i < last.result_count; ++i) types.push_back(main.type(main.body.results[i]));
  return types;
}

std::vector<std::shared_ptr<VariableState>> Program::variables() const {
  std::vector<std::shared_ptr<VariableState>> result;
  for (const Piece& piece : pieces_) {
    for (const TraceInput& input : piece.inputs) {
      if (input.kind == Kind::variable) result.push_back(input.variable);
    }
  }
  return result;
}

const ir::Module& Program::whole_module() const {
  if (pieces_.size() == 1) return pieces_.front().module;
  raise<Unimplemented>({.what = str("program '", options_.name, "' is ", pieces_.size(),
                                    " programs: its loop takes batches")});
}

void Program::compile() {
  const std::lock_guard lock(compile_mutex_);
  compile_for(default_client());
}

// Under compile_mutex_.
void Program::compile_for(const runtime::ClientPtr& client) {
  if (client_ == client) return;
  // All of them or none: a piece that does not compile leaves those of the client before.
  std::vector<runtime::ExecutablePtr> executables;
  for (const Piece& piece : pieces_) {
    executables.push_back(
        CompileCache::of_process().get(client, piece.module, ir::label_key(piece.module),
                                       {.split_products = options_.split_products}));
  }
  for (size_t i = 0; i < pieces_.size(); ++i) pieces_[i].executable = std::move(executables[i]);
  client_ = client;
}

// Another thread may compile for another client meanwhile: the caller keeps its own.
runtime::ExecutablePtr Program::executable_of(const Piece& piece) {
  const std::lock_guard lock(compile_mutex_);
  compile_for(default_client());
  return piece.executable;
}

double Program::compile_ms() {
  const std::lock_guard lock(compile_mutex_);
  compile_for(default_client());
  double milliseconds = 0;
  for (const Piece& piece : pieces_) milliseconds += piece.executable->compile_ms();
  return milliseconds;
}

int64_t Program::rounds(const Piece& piece, const Run& run) const {
  if (!piece.segment.loop) {
    // Before or after a loop there may be nothing to do.
    const auto& inputs = piece.inputs;
    const bool fetches = std::any_of(inputs.begin(), inputs.end(), [](const TraceInput& input) {
      return input.kind == Kind::feed;
    });
    const bool idle = pieces_.size() > 1 && piece.module.main().body.results.empty() && !fetches;
    return idle ? 0 : 1;
  }
  if (piece.segment.constant_rounds >= 0) return piece.segment.constant_rounds;
  const TraceInput& count = piece.inputs[piece.segment.count_input];
  const BufferPtr buffer = given(count, run);
  return (buffer ? buffer : count.buffer)->to_literal().integer_at(0);
}

std::vector<BufferPtr> Program::run(Buffers parameters, const runtime::ExecuteOptions& options) {
  // What waits in the implicit trace came first in the program text; it may assign the variables
  // read here.
  if (Trace::implicit().has_pending()) Trace::implicit().flush(options.location);
  Run run{.parameters = std::move(parameters), .results = {}, .options = options};
  for (Piece& piece : pieces_) {
    const int64_t count = rounds(piece, run);
    Buffers results;
    for (int64_t round = 0; round < count; ++round) results = run_piece(piece, run, round);
    run.results.push_back(std::move(results));
  }
  return std::move(run.results.back());
}

// What the caller gave or an earlier piece computed; null for inputs of other kinds.
BufferPtr Program::given(const TraceInput& input, const Run& run) {
  if (input.kind == Kind::parameter) return run.parameters.at(input.parameter);
  if (input.kind == Kind::earlier) return run.results[input.segment].at(input.exported);
  return nullptr;
}

// All but state, which stays empty. Waits for batches, so nothing is locked.
Program::Buffers Program::given_arguments(const Piece& piece, const Run& run, int64_t round) {
  Buffers arguments(piece.inputs.size());
  const Feed* pulled_from = nullptr;
  Buffers pulled;
  for (size_t i = 0; i < piece.inputs.size(); ++i) {
    const TraceInput& input = piece.inputs[i];
    if (piece.segment.loop && i == piece.segment.round_input) {
      const ir::Function& main = piece.module.main();
      const DType dtype = main.type(main.body.arguments[i]).dtype;
      arguments[i] = default_client()->from_host(Literal::scalar(round).convert(dtype));
    } else if (input.kind == Kind::feed) {
      // The values of one pull stand side by side.
      if (pulled_from != input.feed.get()) pulled = input.feed->pull();
      pulled_from = input.feed.get();
      arguments[i] = pulled.at(input.feed_index);
    } else {
      arguments[i] = given(input, run);
    }
    if (input.limit && arguments[i] && arguments[i]->bounds())
      check_limit(*input.limit, *arguments[i]->bounds(), run.options.location);
  }
  return arguments;
}

// Variables and what was captured. Under variables_mutex().
void Program::add_state(Piece& piece, Buffers& arguments) {
  for (size_t i = 0; i < piece.inputs.size(); ++i) {
    TraceInput& input = piece.inputs[i];
    switch (input.kind) {
      case Kind::variable:
        arguments[i] = input.variable->ready({});
        break;
      case Kind::host:
        if (!input.buffer || input.buffer->deleted())
          input.buffer = default_client()->from_host(input.literal);
        [[fallthrough]];
      case Kind::buffer:
        arguments[i] = input.buffer;
        break;
      case Kind::parameter:
      case Kind::feed:
      case Kind::earlier:
        break;
    }
  }
}

Program::Buffers Program::run_piece(Piece& piece, const Run& run, int64_t round) {
  const runtime::ExecutablePtr executable = executable_of(piece);
  Buffers arguments = given_arguments(piece, run, round);
  const std::lock_guard lock(variables_mutex());
  add_state(piece, arguments);
  // Donated memory must have one owner: the variable lets go of it, and takes the new value
  // afterwards.
  for (const Assigned& assigned : piece.assigned) assigned.variable->buffer.reset();
  Buffers results;
  try {
    results = executable->execute(std::move(arguments), run.options);
  } catch (const std::exception& error) {
    give_back(piece, arguments, error.what());
    throw;
  }
  for (const Assigned& assigned : piece.assigned)
    assigned.variable->hold(std::move(results[assigned.result]));
  results.resize(piece.result_count);
  return results;
}

// After a run that failed: the variables have the values that they had before it, except those
// whose memory the program had begun to overwrite. These remember why.
void Program::give_back(const Piece& piece, Buffers& arguments, std::string_view failure) {
  for (size_t i = 0; i < piece.inputs.size(); ++i) {
    if (piece.inputs[i].kind != Kind::variable) continue;
    VariableState& variable = *piece.inputs[i].variable;
    if (variable.buffer) continue;
    variable.buffer = std::move(arguments[i]);
    if (variable.buffer->deleted()) variable.lost_in = failure;
  }
}

}  // namespace systolic::inline v0
