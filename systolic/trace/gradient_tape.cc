#include "systolic/trace/gradient_tape.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

struct GradientTape::State {
  std::shared_ptr<Trace> trace;
  uint64_t generation = 0;
  uint64_t region = 0;
  std::thread::id thread = std::this_thread::get_id();
  std::vector<autodiff::GradientRequest::Interval> intervals;  // closed ones, up to the last pause
  size_t begin = 0;                                            // of the open one
  bool persistent = false;
  bool used = false;
  SourceLocation made_at;

  size_t position() const { return trace->builder().block().ops.size(); }
  void check(SourceLocation location) const;
};

void GradientTape::State::check(SourceLocation location) const {
  if (thread != std::this_thread::get_id()) {
    raise<FailedPrecondition>(
        {.what = "a GradientTape is used from another thread than the one that made it",
         .hint = "make one tape on each thread",
         .location = location});
  }
  if (&Trace::current() != trace.get() || trace->region_id() != region ||
      trace->generation() != generation) {
    raise<FailedPrecondition>(
        {.what = str("the GradientTape made at ", made_at.file, ":", made_at.line,
                     " belongs to another function, branch or loop body"),
         .hint = "make the tape and take its gradient in the same function body",
         .location = location});
  }
  if (used && !persistent) {
    raise<FailedPrecondition>({.what = "gradient() of a tape that has already given one",
                               .hint = "make it GradientTape tape({.persistent = true})",
                               .location = location});
  }
}

GradientTape::GradientTape(GradientTapeOptions options, SourceLocation location)
    : state_(std::make_shared<State>()) {
  state_->trace = Trace::current().shared_from_this();
  state_->generation = state_->trace->generation();
  state_->region = state_->trace->region_id();
  state_->begin = state_->position();
  state_->persistent = options.persistent;
  state_->made_at = location;
  state_->trace->tape_opened();
}

GradientTape::~GradientTape() { state_->trace->tape_closed(); }

void GradientTape::watch(const Tensor& tensor, SourceLocation location) {
  state_->check(location);
  // Made a value of the trace: what is computed from it from now on can be walked back to it.
  state_->trace->value_of(tensor, location);
}

void GradientTape::stop_recording(const std::function<void()>& body) {
  state_->check(SourceLocation{});
  state_->intervals.push_back({state_->begin, state_->position()});
  body();
  state_->begin = state_->position();
}

namespace {

// A loss that was computed outside of the tape, or on the host, teaches nothing.
void warn_where_nothing_flows(const std::vector<ir::ValueId>& gradients, size_t sources,
                              SourceLocation location) {
  const bool flows = std::any_of(gradients.begin(), gradients.end(),
                                 [](ir::ValueId id) { return id != ir::no_value; });
  if (flows || sources == 0) return;
  publish_advice(
      LogLevel::warning,
      str("gradient (", location.file, ":", location.line, "): the target depends on none of the ",
          sources,
          " sources, so that all gradients are 0. Hint: compute it while the tape is open, from "
          "model(x) and not from model.predict(x), by ops that have a gradient: argmax, "
          "comparisons and casts to integers have none"));
}

// Each source may be read several times (a variable): its gradient is the sum over the reads.
std::vector<Tensor> summed(Trace& trace, const std::vector<std::vector<ir::ValueId>>& reads,
                           const std::vector<ir::ValueId>& gradients,
                           const std::vector<ir::Type>& types, SourceLocation location) {
  std::vector<Tensor> result;
  size_t next = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    ir::Value total;
    for (size_t read = 0; read < reads[i].size(); ++read, ++next) {
      if (gradients[next] == ir::no_value) continue;
      const ir::Value gradient = trace.builder().value(gradients[next]);
      total = total.valid() ? total + gradient : gradient;
    }
    result.push_back(total.valid() ? wrap(total) : zeros(types[i].shape, types[i].dtype, location));
  }
  return result;
}

// What the open block is to compute again.
std::vector<autodiff::GradientRequest::Interval> recomputed_in(Trace& trace) {
  std::vector<autodiff::GradientRequest::Interval> result;
  for (const RecomputedOps& ops : trace.recomputed()) {
    if (ops.region == trace.region_id()) result.push_back({ops.begin, ops.end});
  }
  return result;
}

// `reads`: for each source, the values by which it was read.
std::vector<Tensor> differentiate(Trace& trace,
                                  std::vector<autodiff::GradientRequest::Interval> intervals,
                                  const Tensor& target,
                                  const std::vector<std::vector<ir::ValueId>>& reads,
                                  const std::vector<ir::Type>& types, SourceLocation location) {
  ir::Builder& builder = trace.at(location);
  const ir::ValueId outputs[] = {trace.value_of(target, location).id()};
  std::vector<ir::ValueId> sources;
  for (const auto& of_one : reads) sources.insert(sources.end(), of_one.begin(), of_one.end());
  // Inside a region a variable's first read is a copy of the outer value: for this gradient it is
  // where the walk ends.
  auto& stopped = trace.stopped();
  const std::vector<ir::ValueId> entries = trace.region_entries();
  stopped.insert(stopped.end(), entries.begin(), entries.end());
  const auto recomputed = recomputed_in(trace);
  const auto gradients = autodiff::gradient(builder, {.outputs = outputs,
                                                      .sources = sources,
                                                      .intervals = intervals,
                                                      .stopped = &stopped,
                                                      .recomputed = recomputed,
                                                      .kept = entries});
  std::erase_if(stopped, [&](ir::ValueId value) {
    return std::find(entries.begin(), entries.end(), value) != entries.end();
  });
  trace.at(location);
  warn_where_nothing_flows(gradients, types.size(), location);
  return summed(trace, reads, gradients, types, location);
}

}  // namespace

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const std::vector<Variable>& sources,
                                           SourceLocation location) {
  state_->check(location);
  state_->used = true;
  std::vector<std::vector<ir::ValueId>> reads;
  std::vector<ir::Type> types;
  for (const Variable& source : sources) {
    reads.push_back(state_->trace->reads_of(*source.state()));
    types.push_back(source.state()->type);
  }
  auto intervals = state_->intervals;
  intervals.push_back({state_->begin, state_->position()});
  return differentiate(*state_->trace, std::move(intervals), target, reads, types, location);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, const std::vector<Tensor>& sources,
                                           SourceLocation location) {
  state_->check(location);
  state_->used = true;
  std::vector<std::vector<ir::ValueId>> reads;
  std::vector<ir::Type> types;
  for (const Tensor& source : sources) {
    reads.push_back({state_->trace->value_of(source, location).id()});
    types.push_back({source.dtype(), source.shape()});
  }
  auto intervals = state_->intervals;
  intervals.push_back({state_->begin, state_->position()});
  return differentiate(*state_->trace, std::move(intervals), target, reads, types, location);
}

Tensor GradientTape::gradient(const Tensor& target, const Tensor& source, SourceLocation location) {
  return gradient(target, std::vector<Tensor>{source}, location).front();
}

Tensor GradientTape::gradient(const Tensor& target, const Variable& source,
                              SourceLocation location) {
  return gradient(target, std::vector<Variable>{source}, location).front();
}

std::function<Tensor(const Tensor&)> grad(std::function<Tensor(const Tensor&)> f) {
  return [f = std::move(f)](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x);
  };
}

}  // namespace systolic::inline v0
