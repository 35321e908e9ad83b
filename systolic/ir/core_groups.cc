#include "systolic/ir/core_groups.h"

#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

const CollectiveAttributes& collective_of(const Op& op) {
  if (op.code == OpCode::all_to_all) return op.get<AllToAllAttributes>().collective;
  if (op.code == OpCode::all_gather || op.code == OpCode::reduce_scatter) {
    return op.get<GatherCoresAttributes>().collective;
  }
  return op.get<CollectiveAttributes>();
}

}  // namespace

std::vector<std::vector<int64_t>> groups_of(const Op& op, int64_t cores) {
  const auto& groups = collective_of(op).replica_groups;
  if (groups.empty()) return {axes_from(0, cores)};
  return groups;
}

bool is_whole_group(const Op& op, int64_t cores) {
  const auto groups = groups_of(op, cores);
  return groups.size() == 1 && static_cast<int64_t>(groups[0].size()) == cores;
}

}  // namespace ir
}  // namespace systolic::inline v0
