#include "systolic/autodiff/gradient.h"

#include <algorithm>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/walk.h"
#include "systolic/base/error.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Builder;
using ir::no_value;
using ir::Op;
using ir::Value;
using ir::ValueId;

namespace {

using Interval = GradientRequest::Interval;

// The intervals in order and joined where they overlap, cut to the ops there are.
std::vector<Interval> normalized(std::span<const Interval> intervals, size_t ops) {
  if (intervals.empty()) return {{0, ops}};
  std::vector<Interval> sorted(intervals.begin(), intervals.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  for (Interval next : sorted) {
    next.end = std::min(next.end, ops);
    if (next.begin >= next.end) continue;
    if (!joined.empty() && next.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, next.end);
    } else {
      joined.push_back(next);
    }
  }
  return joined;
}

// Appended ops belong to the op that they differentiate; afterwards the builder is as it was.
class PlaceGuard {
 public:
  explicit PlaceGuard(Builder& builder)
      : builder_(builder), location_(builder.location), layer_path_(builder.layer_path) {}
  ~PlaceGuard() {
    builder_.location = location_;
    builder_.layer_path = layer_path_;
  }
  PlaceGuard(const PlaceGuard&) = delete;
  PlaceGuard& operator=(const PlaceGuard&) = delete;

 private:
  Builder& builder_;
  SourceLocation location_;
  const char* layer_path_;
};

}  // namespace

Walk::Walk(Builder& builder, const GradientRequest& request)
    : builder_(builder),
      block_(builder.block()),
      request_(request),
      intervals_(normalized(request.intervals, builder.block().ops.size())) {
  check();
  const size_t values = builder.function().types.size();
  varied_.assign(values, 0);
  stopped_.assign(values, 0);
  adjoint_.assign(values, no_value);
}

void Walk::check_value(ValueId value, const char* role) const {
  if (value >= 0 && static_cast<size_t>(value) < builder_.function().types.size()) return;
  raise<InvalidArgument>(
      {.what = str("the gradient's ", role, " ", value, " is not a value of function '",
                   builder_.function().name, "'"),
       .location = builder_.location});
}

void Walk::check() const {
  for (ValueId source : request_.sources) check_value(source, "source");
  for (ValueId output : request_.outputs) {
    check_value(output, "output");
    const DType dtype = builder_.type(output).dtype;
    if (!is_differentiable(dtype)) {
      raise<InvalidArgument>(
          {.what = str("the output of a gradient has type ", ir::to_string(builder_.type(output))),
           .wanted = "a floating-point type",
           .hint = "differentiate the value before its conversion to integers",
           .location = builder_.location});
    }
  }
  if (!request_.output_gradients.empty()) check_output_gradients();
}

void Walk::check_output_gradients() const {
  const auto& gradients = request_.output_gradients;
  if (gradients.size() != request_.outputs.size()) {
    raise<InvalidArgument>({.what = str(gradients.size(), " output gradients for ",
                                        request_.outputs.size(), " outputs"),
                            .wanted = "one for each output, or none for ones",
                            .location = builder_.location});
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] == no_value) continue;
    check_value(gradients[i], "output gradient");
    const ir::Type &got = builder_.type(gradients[i]), &wanted = builder_.type(request_.outputs[i]);
    if (got == wanted) continue;
    raise<InvalidArgument>({.what = str("output gradient ", i, " has type ", ir::to_string(got)),
                            .wanted = str("the output's ", ir::to_string(wanted)),
                            .location = builder_.location});
  }
}

void Walk::spread(const Op& op) {
  const auto is_varied = [&](ValueId value) { return varied(value); };
  bool reads_varied = false;
  if (op.regions.empty()) {
    reads_varied = std::any_of(op.operands.begin(), op.operands.end(), is_varied);
  } else {
    const std::vector<ValueId> read = ir::values_read(op);
    reads_varied = std::any_of(read.begin(), read.end(), is_varied);
  }
  if (!reads_varied) return;
  for (ValueId result : op.results) {
    const auto i = static_cast<size_t>(result);
    if (stopped_[i] == 0 && is_differentiable(builder_.type(result).dtype)) varied_[i] = 1;
  }
}

void Walk::mark_from_sources() {
  if (request_.stopped != nullptr) {
    for (ValueId value : *request_.stopped) stopped_[static_cast<size_t>(value)] = 1;
  }
  for (ValueId source : request_.sources) {
    if (is_differentiable(builder_.type(source).dtype)) mark_varied(source);
  }
  for (const Interval& interval : intervals_) {
    for (size_t i = interval.begin; i < interval.end; ++i) spread(block_.ops[i]);
  }
}

void Walk::seed() {
  for (size_t i = 0; i < request_.outputs.size(); ++i) {
    const Value output = builder_.value(request_.outputs[i]);
    if (!varied(output.id())) continue;
    if (request_.output_gradients.empty()) {
      accumulate(output.id(), builder_.filled_like(output, 1.0));
    } else if (request_.output_gradients[i] != no_value) {
      accumulate(output.id(), builder_.value(request_.output_gradients[i]));
    }
  }
}

void Walk::accumulate(ValueId value, Value gradient) {
  if (!varied(value)) return;
  ensure(gradient.type() == builder_.type(value), "a gradient has its value's type");
  const ValueId before = adjoint(value);
  set_adjoint(value, before == no_value ? gradient.id() : (builder_.value(before) + gradient).id());
}

void Walk::differentiate(size_t index) {
  {
    const Op& op = block_.ops[index];
    const bool reached = std::any_of(op.results.begin(), op.results.end(),
                                     [&](ValueId result) { return arrives(result); });
    if (!reached) return;
    builder_.location = op.location;
    builder_.layer_path = op.layer_path;
  }
  ErrorScope scope(builder_.layer_path);
  GradientRule rule(*this, index);
  apply(rule);
}

std::vector<Interval> Walk::recomputed() const {
  std::vector<Interval> result;
  for (const Interval& one : request_.recomputed) {
    const bool counts =
        one.begin < one.end &&
        std::any_of(intervals_.begin(), intervals_.end(), [&](const Interval& interval) {
          return interval.begin <= one.begin && one.end <= interval.end;
        });
    if (counts) result.push_back(one);
  }
  std::stable_sort(result.begin(), result.end(), [](const Interval& a, const Interval& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  return result;
}

void Walk::differentiate(Interval interval, std::span<const Interval> again) {
  for (size_t i = interval.end; i > interval.begin;) {
    const auto outer = std::find_if(again.begin(), again.end(), [&](const Interval& one) {
      return one.end == i && one.begin >= interval.begin;
    });
    if (outer == again.end()) {
      differentiate(--i);
    } else {
      recompute(*outer, again);
      i = outer->begin;
    }
  }
}

std::vector<ValueId> Walk::run() {
  PlaceGuard guard(builder_);
  mark_from_sources();
  seed();
  const std::vector<Interval> again = recomputed();
  for (auto interval = intervals_.rbegin(); interval != intervals_.rend(); ++interval) {
    differentiate(*interval, again);
  }
  std::vector<ValueId> gradients;
  gradients.reserve(request_.sources.size());
  for (ValueId source : request_.sources) gradients.push_back(adjoint(source));
  return gradients;
}

const Op* Walk::producer(ValueId value) {
  producer_.resize(builder_.function().types.size(), -1);
  for (; looked_at_ < block_.ops.size(); ++looked_at_) {
    for (ValueId result : block_.ops[looked_at_].results) {
      producer_[static_cast<size_t>(result)] = static_cast<int32_t>(looked_at_);
    }
  }
  if (static_cast<size_t>(value) >= producer_.size()) return nullptr;
  const int32_t index = producer_[static_cast<size_t>(value)];
  if (index >= 0) return &block_.ops[static_cast<size_t>(index)];
  if (&block_ == &builder_.function().body) return nullptr;
  for (const Op& op : builder_.function().body.ops) {
    if (std::find(op.results.begin(), op.results.end(), value) != op.results.end()) return &op;
  }
  return nullptr;
}

std::vector<ValueId> gradient(Builder& builder, const GradientRequest& request) {
  return Walk(builder, request).run();
}

}  // namespace autodiff
}  // namespace systolic::inline v0
