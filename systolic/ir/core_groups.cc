#include "systolic/ir/core_groups.h"

#include <algorithm>

#include "systolic/base/text.h"
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

std::vector<int64_t> reached_groups(const Op& op, int64_t cores) {
  std::vector<int64_t> number = axes_from(0, cores);
  const auto join_groups = [&](int64_t a, int64_t b) {
    const int64_t from = number[static_cast<size_t>(a)], to = number[static_cast<size_t>(b)];
    std::replace(number.begin(), number.end(), from, to);
  };
  if (op.code == OpCode::collective_permute) {
    for (const auto& [source, target] : op.get<PermuteAttributes>().source_target_pairs) {
      join_groups(source, target);
    }
    return number;
  }
  for (const auto& group : groups_of(op, cores)) {
    for (int64_t core : group) join_groups(core, group[0]);
  }
  return number;
}

std::optional<std::string> find_split_group(std::span<const int64_t> groups,
                                            std::span<const uint8_t> comes) {
  for (size_t here = 0; here < groups.size(); ++here) {
    if (comes[here] == 0) continue;
    for (size_t away = 0; away < groups.size(); ++away) {
      if (groups[here] != groups[away] || comes[away] != 0) continue;
      return str("core ", here, " comes to it, but core ", away,
                 ", with which it exchanges values, does not");
    }
  }
  return std::nullopt;
}

}  // namespace ir
}  // namespace systolic::inline v0
