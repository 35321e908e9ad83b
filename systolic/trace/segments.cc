#include "systolic/trace/segments.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

TraceSegments::TraceSegments(const std::shared_ptr<Trace>& first) {
  all_.push_back({.trace = first});
  first->set_segments(this);
}

TraceSegments::~TraceSegments() {
  for (const TraceSegment& segment : all_) segment.trace->set_segments(nullptr);
}

size_t TraceSegments::index_of(const Trace& trace) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const TraceSegment& segment) {
    return segment.trace.get() == &trace;
  });
  return static_cast<size_t>(found - all_.begin());
}

const TraceSegment& TraceSegments::of(const Trace& trace) const { return all_[index_of(trace)]; }

bool TraceSegments::reaches(const Trace& to, const Trace& from) const {
  const Trace* at = &to;
  while (at != nullptr && at != &from) at = of(*at).before.get();
  return at != nullptr;
}

TraceSegment& TraceSegments::begin(bool loop) {
  const ir::Module& first = all_.front().trace->module();
  auto trace = std::make_shared<Trace>(Trace::Kind::explicit_);
  trace->module().num_partitions = first.num_partitions;
  trace->module().name = first.name;
  const auto straight = std::find_if(all_.rbegin(), all_.rend(),
                                     [](const TraceSegment& segment) { return !segment.loop; });
  all_.push_back({.trace = trace, .before = straight->trace, .loop = loop});
  trace->set_segments(this);
  TraceScope::go_on_in(trace);
  return all_.back();
}

namespace {

void check_place(Trace& trace, SourceLocation location) {
  TraceSegments* segments = trace.segments();
  if (segments == nullptr || trace.region_id() != 0 || segments->of(trace).loop) {
    raise<Unimplemented>(
        {.what = "next(iterator) inside a loop that is itself inside a branch or a loop",
         .hint = "take the batches in a for_range directly in the function",
         .location = location});
  }
  if (trace.live_tapes() > 0) {
    raise<Unimplemented>(
        {.what = "a for_range that takes batches from an iterator under a GradientTape that was "
                 "made outside of it",
         .hint = "make the tape inside the body, one for each batch",
         .location = location});
  }
}

}  // namespace

void loop_on_host(const Tensor& count, const std::function<void(const Tensor& i)>& body,
                  SourceLocation location) {
  check_place(Trace::current(), location);
  TraceSegments& segments = *Trace::current().segments();
  segments.begin(true);
  const size_t index = segments.all().size() - 1;
  const std::shared_ptr<Trace> trace = segments.all().back().trace;
  if (count.state()->host) {
    segments.all()[index].constant_rounds = count.state()->host->integer_at(0);
  } else {
    const ir::Value rounds = trace->value_of(count, location);
    const auto& arguments = trace->function().body.arguments;
    segments.all()[index].count_input = static_cast<size_t>(
        std::find(arguments.begin(), arguments.end(), rounds.id()) - arguments.begin());
  }
  const Tensor round =
      trace->add_parameter({count.dtype(), {}}, {.name = "round", .uniform = true});
  segments.all()[index].round_input = trace->inputs().size() - 1;
  body(round);
  segments.begin(false);
}

}  // namespace systolic::inline v0
