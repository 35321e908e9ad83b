#include "systolic/autodiff/clone_live.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "systolic/base/error.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Block;
using ir::no_value;
using ir::Op;
using ir::Value;
using ir::ValueId;

namespace {

using Values = std::unordered_set<ValueId>;

bool computes_any(const Op& op, const Values& values) {
  return std::any_of(op.results.begin(), op.results.end(),
                     [&](ValueId result) { return values.contains(result); });
}

// All values that `wanted` needs, itself included.
Values live_values(const Block& region, std::span<const ValueId> wanted) {
  Values live(wanted.begin(), wanted.end());
  for (auto op = region.ops.rbegin(); op != region.ops.rend(); ++op) {
    if (!computes_any(*op, live)) continue;
    for (ValueId value : ir::values_read(*op)) live.insert(value);
  }
  return live;
}

}  // namespace

std::vector<Value> clone_live(Walk& walk, const Block& region, std::span<const Value> arguments,
                              std::span<const ValueId> wanted) {
  ir::Builder& builder = walk.builder();
  const Values live = live_values(region, wanted);
  ir::ValueMap map(builder.function().types.size());
  for (ValueId value : live) map.set(value, value);
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    if (!live.contains(region.arguments[i])) continue;
    ensure(arguments[i].valid(), "a copied region has what it needs");
    map.set(region.arguments[i], arguments[i].id());
  }
  for (const Op& op : region.ops) {
    if (!computes_any(op, live)) continue;
    clone_op(op, builder.function(), builder.function(), builder.block(), map);
  }
  if (std::vector<ValueId>* stopped = walk.stopped()) {
    const size_t before = stopped->size();
    for (size_t i = 0; i < before; ++i) {
      const ValueId value = (*stopped)[i];
      if (map.contains(value) && map.at(value) != value) stopped->push_back(map.at(value));
    }
  }
  std::vector<Value> results;
  for (ValueId value : wanted) results.push_back(builder.value(map.at(value)));
  return results;
}

std::vector<bool> needed(const Block& region, std::span<const ValueId> wanted,
                         std::span<const ValueId> asked) {
  const Values live = live_values(region, wanted);
  std::vector<bool> result;
  for (ValueId value : asked) result.push_back(live.contains(value));
  return result;
}

}  // namespace autodiff
}  // namespace systolic::inline v0
