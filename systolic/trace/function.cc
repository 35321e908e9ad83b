#include "systolic/trace/function.h"

#include <atomic>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/trace/program.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/retrace.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

// Programs for other values are worth a line from the third on: two are usually meant, such as
// those for training and for inference.
constexpr size_t quiet_values = 2;

std::atomic<bool> eagerly{false};

struct ArgumentKind {
  ir::Type type;
  bool per_core = false;
  friend bool operator==(const ArgumentKind&, const ArgumentKind&) = default;
};

std::vector<ArgumentKind> kinds_of(const std::vector<Tensor>& arguments) {
  std::vector<ArgumentKind> kinds;
  for (const Tensor& argument : arguments) {
    const runtime::BufferPtr& buffer = argument.state()->buffer;
    kinds.push_back({{argument.dtype(), argument.shape()},
                     buffer && buffer->placement().kind == runtime::Placement::Kind::per_core});
  }
  return kinds;
}

}  // namespace

void run_functions_eagerly(bool on) { eagerly = on; }
bool functions_run_eagerly() { return eagerly; }

struct FunctionPrograms::Entry {
  TraceKey statics;
  std::vector<ArgumentKind> arguments;
  int64_t replicas = 1;
  std::unique_ptr<Program> program;
  std::shared_ptr<const void> returned;
  std::atomic<int64_t> calls{0};
};

FunctionPrograms::FunctionPrograms(FunctionOptions options) : options_(std::move(options)) {}
FunctionPrograms::~FunctionPrograms() = default;

size_t FunctionPrograms::traces() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

bool FunctionPrograms::runs_inline() {
  if (eagerly) return true;
  Trace& trace = Trace::current();
  return trace.kind() == Trace::Kind::explicit_ || trace.live_tapes() > 0;
}

namespace {

// Cores of the per-core program to make: strategy.run calls functions of its own.
int64_t replicas_now() { return replica_context().per_core ? replica_context().replicas : 1; }

std::unique_ptr<Program> trace_program(const std::vector<ArgumentKind>& kinds,
                                       const Program::Body& body, const std::string& name) {
  std::vector<ProgramParameter> parameters;
  for (const ArgumentKind& kind : kinds)
    parameters.push_back({kind.type, {.uniform = !kind.per_core}});
  return std::make_unique<Program>(parameters, body,
                                   ProgramOptions{.name = name, .replicas = replicas_now()});
}

}  // namespace

void FunctionPrograms::warn_of_many_traces(const std::vector<Tensor>& arguments,
                                           const TraceKey& statics) const {
  const std::vector<ArgumentKind> kinds = kinds_of(arguments);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const std::vector<ArgumentKind>& before = (*entry)->arguments;
    if (!((*entry)->statics == statics) || before.size() != kinds.size()) continue;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (before[i].type == kinds[i].type) continue;
      return warn_of_retrace({.program = str("function '", options_.name, "'"),
                              .input = str("Tensor argument ", i),
                              .before = before[i].type,
                              .now = kinds[i].type,
                              .programs = entries_.size() + 1,
                              .location = options_.location});
    }
  }
  if (entries_.size() < quiet_values) return;
  log_warning(str("function '", options_.name, "' (", options_.location.file, ":",
                  options_.location.line, ") is compiled again, ", entries_.size() + 1,
                  " programs so far: an argument that is no Tensor has another value. Pass numbers "
                  "that change as Tensors (convert_to_tensor)"));
}

FunctionPrograms::Found FunctionPrograms::find_or_trace(const std::vector<Tensor>& arguments,
                                                        const TraceKey& statics, const Body& body) {
  const std::lock_guard lock(mutex_);
  const std::vector<ArgumentKind> kinds = kinds_of(arguments);
  for (const auto& entry : entries_) {
    if (entry->statics == statics && entry->arguments == kinds && entry->replicas == replicas_now())
      return {*entry, false};
  }
  if (!entries_.empty()) warn_of_many_traces(arguments, statics);
  auto entry = std::make_unique<Entry>();
  entry->statics = statics;
  entry->arguments = kinds;
  entry->replicas = replicas_now();
  const Program::Body traced = [&](const std::vector<Tensor>& symbolic) {
    Traced result = body(symbolic);
    entry->returned = std::move(result.returned);
    return std::move(result.tensors);
  };
  entry->program = trace_program(kinds, traced, options_.name);
  entries_.push_back(std::move(entry));
  return {*entries_.back(), true};
}

void FunctionPrograms::check_captures(const Entry& entry, const std::vector<Tensor>& arguments,
                                      const Body& body) const {
  const Program::Body traced = [&](const std::vector<Tensor>& symbolic) {
    return body(symbolic).tensors;
  };
  const auto again = trace_program(kinds_of(arguments), traced, options_.name);
  if (again->structure_key() == entry.program->structure_key()) return;
  raise<FailedPrecondition>(
      {.what = str("function '", options_.name, "' would be another program if it were traced now"),
       .got = "a value captured by the callable that changed since the first trace",
       .wanted = "captures that stay the same",
       .hint = "pass the value as an argument (a Tensor, to avoid a new trace), or hold it in a "
               "Variable",
       .location = options_.location});
}

FunctionPrograms::Traced FunctionPrograms::call(const std::vector<Tensor>& arguments,
                                                const TraceKey& statics, const Body& body) {
  const auto [entry, is_new] = find_or_trace(arguments, statics, body);
  if (options_.check_captures && !is_new) check_captures(entry, arguments, body);

  std::vector<runtime::BufferPtr> buffers;
  for (const Tensor& argument : arguments)
    buffers.push_back(buffer_of(argument, options_.location));
  std::vector<Tensor> results;
  const runtime::ExecuteOptions run{.step = entry.calls++, .location = options_.location};
  for (auto& buffer : entry.program->run(std::move(buffers), run))
    results.push_back(tensor_of(std::move(buffer)));
  return {std::move(results), entry.returned};
}

}  // namespace systolic::inline v0
