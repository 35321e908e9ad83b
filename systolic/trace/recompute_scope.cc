#include "systolic/trace/recompute_scope.h"

#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

RecomputeScope::RecomputeScope()
    : trace_(Trace::current().shared_from_this()),
      region_(trace_->region_id()),
      generation_(trace_->generation()),
      begin_(trace_->builder().block().ops.size()) {}

RecomputeScope::~RecomputeScope() {
  const bool is_same_block = &Trace::current() == trace_.get() && trace_->region_id() == region_ &&
                             trace_->generation() == generation_;
  const size_t end = trace_->builder().block().ops.size();
  if (is_dropped_ || !is_same_block || begin_ >= end) return;
  trace_->recomputed().push_back({.region = region_, .begin = begin_, .end = end});
}

}  // namespace systolic::inline v0
