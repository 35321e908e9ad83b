// Rematerialization (Chen et al. 2016, arXiv 1604.06174; jax.checkpoint): ops that are computed
// again for their gradient, so that nothing of them has to be kept until then but what they read.
//
// The copies read by an optimization_barrier. Without one, a compiler would find that they compute
// what is there already, and keep that.
#include <algorithm>

#include "systolic/autodiff/walk.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::no_value;
using ir::Op;
using ir::Value;
using ir::ValueId;

// What the copied ops compute -> what the copies compute, and what they read -> the barrier's
// results, which stand for it until the copies are differentiated.
struct Walk::Copies {
  explicit Copies(size_t values) : values(values), map(values) {}
  bool has(ValueId value) const { return map.contains(value) && map.at(value) != value; }

  size_t values;     // of the function, before
  ir::ValueMap map;  // constants to themselves
  ValueId first_computed = 0;
};

// One that does something besides its results does it once; and a walk ends at a kept value.
bool Walk::is_copied(const Op& op) const {
  const auto is_kept = [&](ValueId result) {
    return std::find(request_.kept.begin(), request_.kept.end(), result) != request_.kept.end();
  };
  return !ir::has_side_effect(op) && std::none_of(op.results.begin(), op.results.end(), is_kept);
}

// What the copies read from outside, after a barrier; constants stay as they are.
void Walk::append_barrier(Interval interval, ir::ValueMap& copies) {
  std::vector<bool> known(builder_.function().types.size());
  std::vector<Value> read;
  for (size_t i = interval.begin; i < interval.end; ++i) {
    if (!is_copied(block_.ops[i])) continue;
    for (ValueId value : ir::values_read(block_.ops[i])) {
      if (known[static_cast<size_t>(value)]) continue;
      known[static_cast<size_t>(value)] = true;
      copies.set(value, value);
      const Op* maker = producer(value);
      const bool is_constant = maker != nullptr && maker->code == ir::OpCode::constant;
      if (!is_constant) read.push_back(builder_.value(value));
    }
    for (ValueId result : block_.ops[i].results) known[static_cast<size_t>(result)] = true;
  }
  if (read.empty()) return;
  const std::vector<Value> held = optimization_barrier(read);
  for (size_t i = 0; i < read.size(); ++i) copies.set(read[i].id(), held[i].id());
}

// Where the copy of each op stands in the block, or, of one that is not copied, the next one; then
// where they end.
std::vector<size_t> Walk::append_copies(Interval interval, ir::ValueMap& copies) {
  std::vector<size_t> places;
  for (size_t i = interval.begin; i < interval.end; ++i) {
    places.push_back(block_.ops.size());
    const Op op = block_.ops[i];  // the block grows
    if (is_copied(op)) clone_op(op, builder_.function(), builder_.function(), block_, copies);
  }
  places.push_back(block_.ops.size());
  return places;
}

// Copies depend on the sources and stop gradients as what they are copies of, and go on with the
// gradients gathered so far: sums are then made in the same order as without copies.
void Walk::take_over(const Copies& copies) {
  const size_t values = builder_.function().types.size();
  varied_.resize(values, 0);
  stopped_.resize(values, 0);
  adjoint_.resize(values, no_value);
  for (size_t i = 0; i < copies.values; ++i) {
    const auto value = static_cast<ValueId>(i);
    if (!copies.has(value)) continue;
    const ValueId copy = copies.map.at(value);
    varied_[static_cast<size_t>(copy)] = varied_[i];
    adjoint_[static_cast<size_t>(copy)] = adjoint_[i];
    if (stopped_[i] == 0 || copy < copies.first_computed) continue;
    stopped_[static_cast<size_t>(copy)] = 1;
    if (request_.stopped != nullptr) request_.stopped->push_back(copy);
  }
}

void Walk::hand_back(const Copies& copies) {
  for (size_t i = 0; i < copies.values; ++i) {
    const auto value = static_cast<ValueId>(i);
    if (copies.has(value)) set_adjoint(value, adjoint(copies.map.at(value)));
  }
}

bool Walk::is_reached(Interval interval) const {
  for (size_t i = interval.begin; i < interval.end; ++i) {
    const std::vector<ValueId>& results = block_.ops[i].results;
    if (std::any_of(results.begin(), results.end(),
                    [&](ValueId result) { return arrives(result); })) {
      return true;
    }
  }
  return false;
}

void Walk::recompute(Interval interval, std::span<const Interval> again) {
  if (!is_reached(interval)) return;
  builder_.location = block_.ops[interval.begin].location;
  builder_.layer_path = block_.ops[interval.begin].layer_path;
  Copies copies(builder_.function().types.size());
  append_barrier(interval, copies.map);
  copies.first_computed = static_cast<ValueId>(builder_.function().types.size());
  const std::vector<size_t> places = append_copies(interval, copies.map);
  take_over(copies);
  std::vector<Interval> inner;
  for (const Interval& one : again) {
    if (one.begin < interval.begin || one.end > interval.end) continue;
    if (one.end - one.begin == interval.end - interval.begin) continue;  // this one
    const Interval copy{places[one.begin - interval.begin], places[one.end - interval.begin]};
    if (copy.begin < copy.end) inner.push_back(copy);
  }
  differentiate(Interval{places.front(), places.back()}, inner);
  hand_back(copies);
  for (size_t i = interval.end; i-- > interval.begin;) {
    if (!is_copied(block_.ops[i])) differentiate(i);
  }
}

}  // namespace autodiff
}  // namespace systolic::inline v0
