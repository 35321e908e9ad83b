#include "systolic/trace/function/function.h"

#include <atomic>

#include "systolic/base/error.h"
#include "systolic/trace/function/call_signature.h"
#include "systolic/trace/function/retrace.h"
#include "systolic/trace/program/program.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

std::atomic<bool> eagerly{false}, strict{false};

// Cores of the per-core program to make: strategy.run calls functions of its own.
int64_t replicas_now() { return replica_context().per_core ? replica_context().replicas : 1; }

CallSignature signature_of(const std::vector<Tensor>& arguments, TraceKey statics) {
  CallSignature signature{std::move(statics), {}, replicas_now()};
  for (const Tensor& argument : arguments) {
    const runtime::BufferPtr& buffer = argument.state()->buffer;
    signature.tensors.push_back(
        {{argument.dtype(), argument.shape()},
         buffer && buffer->placement().kind == runtime::Placement::Kind::per_core});
  }
  return signature;
}

std::unique_ptr<Program> trace_program(const CallSignature& signature, const Program::Body& body,
                                       const FunctionOptions& options) {
  std::vector<ProgramParameter> parameters;
  for (const CallSignature::TensorKind& kind : signature.tensors)
    parameters.push_back({kind.type, {.uniform = !kind.per_core}});
  return std::make_unique<Program>(parameters, body,
                                   ProgramOptions{.name = options.name,
                                                  .replicas = replicas_now(),
                                                  .split_products = options.matmul_precision.split(
                                                      runtime::SplitProducts::none)});
}

}  // namespace

void run_functions_eagerly(bool on) { eagerly = on; }
bool functions_run_eagerly() { return eagerly; }
void set_strict_shapes(bool on) { strict = on; }
bool strict_shapes() { return strict; }

struct FunctionPrograms::Entry {
  CallSignature signature;
  std::vector<ArgumentNote> notes;
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

// Against the earlier program that it differs least from, the latest of those.
void FunctionPrograms::report_another_program(const Entry& entry, SourceLocation location) const {
  std::vector<std::string> changes;
  bool only_tensors = false;
  for (auto other = entries_.rbegin(); other != entries_.rend(); ++other) {
    std::vector<std::string> found =
        changes_between((*other)->signature, (*other)->notes, entry.signature, entry.notes);
    only_tensors = only_tensors || (*other)->signature.same_values(entry.signature);
    if (other == entries_.rbegin() || found.size() < changes.size()) changes = std::move(found);
  }
  report_retrace({.program = str("function '", options_.name, "'"),
                  .changes = std::move(changes),
                  .hint = only_tensors ? shapes_hint
                                       : "pass numbers that change as Tensors (convert_to_tensor)",
                  .programs = entries_.size() + 1,
                  .called = location,
                  .made = options_.location},
                 only_tensors && (options_.strict_shapes || strict));
}

FunctionPrograms::Found FunctionPrograms::find_or_trace(Call& call) {
  const std::lock_guard lock(mutex_);
  CallSignature signature = signature_of(call.arguments, std::move(call.statics));
  for (const auto& entry : entries_) {
    if (entry->signature == signature) return {*entry, false};
  }
  auto entry = std::make_unique<Entry>();
  entry->signature = std::move(signature);
  entry->notes = call.notes();
  if (!entries_.empty()) report_another_program(*entry, call.location);
  const Program::Body traced = [&](const std::vector<Tensor>& symbolic) {
    Traced result = call.body(symbolic);
    entry->returned = std::move(result.returned);
    return std::move(result.tensors);
  };
  entry->program = trace_program(entry->signature, traced, options_);
  entries_.push_back(std::move(entry));
  return {*entries_.back(), true};
}

void FunctionPrograms::check_captures(const Entry& entry, const Call& call) const {
  const Program::Body traced = [&](const std::vector<Tensor>& symbolic) {
    return call.body(symbolic).tensors;
  };
  const auto again = trace_program(entry.signature, traced, options_);
  if (again->structure_key() == entry.program->structure_key()) return;
  raise<FailedPrecondition>(
      {.what = str("function '", options_.name, "' would be another program if it were traced now"),
       .got = "a value captured by the callable that changed since the first trace",
       .wanted = "captures that stay the same",
       .hint = "pass the value as an argument (a Tensor, to avoid a new trace), or hold it in a "
               "Variable",
       .location = options_.location});
}

FunctionPrograms::Traced FunctionPrograms::call(Call call) {
  const auto [entry, is_new] = find_or_trace(call);
  if (options_.check_captures && !is_new) check_captures(entry, call);
  const SourceLocation location = options_.location;

  std::vector<runtime::BufferPtr> buffers;
  for (const Tensor& argument : call.arguments) buffers.push_back(buffer_of(argument, location));
  std::vector<Tensor> results;
  const runtime::ExecuteOptions run{.step = entry.calls++, .location = location};
  for (auto& buffer : entry.program->run(std::move(buffers), run))
    results.push_back(tensor_of(std::move(buffer)));
  return {std::move(results), entry.returned};
}

}  // namespace systolic::inline v0
