// Shape rules of the ops between cores.
#include <algorithm>
#include <optional>

#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// Cores that a group's ids count, when the module is known.
std::optional<int64_t> core_count(const InferInput& input, const CollectiveAttributes& collective) {
  if (input.module == nullptr) return std::nullopt;
  const Module& module = *input.module;
  if (collective.use_global_device_ids) return module.num_replicas * module.num_partitions;
  const bool gathers_replicas = input.code == OpCode::all_reduce ||
                                input.code == OpCode::all_gather ||
                                input.code == OpCode::reduce_scatter;
  if (collective.channel_id > 0 && !gathers_replicas) return module.num_partitions;
  return module.num_replicas;
}

struct GroupLabels {
  std::string_view unique, size, range, ids;
};

// The groups are disjoint, hold every core, and no others. `complete`: every core is in a group.
void check_groups(const InferInput& input, const CollectiveAttributes& collective,
                  const GroupLabels& labels, bool complete = true) {
  Axes ids;
  for (const auto& group : collective.replica_groups)
    ids.insert(ids.end(), group.begin(), group.end());
  if (!labels.ids.empty() && collective.use_global_device_ids && collective.channel_id <= 0) {
    raise_constraint(input, labels.ids,
                     str("use_global_device_ids with channel_id ", collective.channel_id),
                     "channel_id above 0");
  }
  check_unique(input, labels.unique, "replica_groups", ids);
  const int64_t cores = core_count(input, collective).value_or(static_cast<int64_t>(ids.size()));
  if (complete && !ids.empty() && static_cast<int64_t>(ids.size()) != cores) {
    raise_constraint(input, labels.size, str("replica_groups hold ", ids.size(), " ids"),
                     str("all ", cores, " cores"));
  }
  if (complete || input.module != nullptr) {
    check_range(input, labels.range, "replica_groups", ids, cores);
  } else {
    check_at_least(input, labels.range, "replica_groups", ids, 0);
  }
}

// Cores in a group; 0 when nothing says it.
int64_t group_size(const InferInput& input, std::string_view label,
                   const CollectiveAttributes& collective) {
  const auto& groups = collective.replica_groups;
  if (groups.empty()) return core_count(input, collective).value_or(0);
  for (const auto& group : groups) {
    if (group.size() == groups[0].size()) continue;
    raise_constraint(input, label,
                     str("groups of ", groups[0].size(), " and of ", group.size(), " cores"),
                     "groups of one size");
  }
  return static_cast<int64_t>(groups[0].size());
}

void check_operands(const InferInput& input, std::string_view label) {
  if (!input.operands.empty()) return;
  raise_constraint(input, label, "there are no operands", "at least one");
}

}  // namespace

std::vector<Type> infer_all_gather(const InferInput& input) {
  const GatherCoresAttributes& a = attributes_of<GatherCoresAttributes>(input);
  check_operands(input, "all_gather_i1");
  check_groups(input, a.collective,
               {"all_gather_c2", "all_gather_c3", "all_gather_c4", "all_gather_c5"});
  const int64_t cores = group_size(input, "all_gather_c3", a.collective);
  std::vector<Type> results;
  for (size_t i = 0; i < input.operands.size(); ++i) {
    Type result = input.operands[i];
    check_range(input, "all_gather_c1", "all_gather_dim", {a.dimension}, result.shape.rank());
    const int axis = static_cast<int>(a.dimension);
    if (cores > 0) {
      result.shape.set(axis, saturated(__int128{result.shape[axis]} * cores));
    } else if (i < input.requested.size()) {
      result = input.requested[i];
    }
    if (i < input.requested.size()) {
      check_same_type(input, "all_gather_c6", input.requested[i], result);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Type> infer_all_reduce(const InferInput& input) {
  const CollectiveAttributes& a = attributes_of<CollectiveAttributes>(input);
  check_operands(input, "all_reduce_i1");
  check_groups(input, a, {"all_reduce_c1", "all_reduce_c2", "all_reduce_c3", "all_reduce_c4"});
  std::vector<Type> results;
  for (const Type& x : input.operands) {
    const std::vector<DType> dtype = fold_types(input, "all_reduce_c5", 0, std::span(&x, 1));
    results.push_back({dtype[0], x.shape});
  }
  return results;
}

std::vector<Type> infer_all_to_all(const InferInput& input) {
  const AllToAllAttributes& a = attributes_of<AllToAllAttributes>(input);
  check_operands(input, "all_to_all_i1");
  check_at_least(input, "all_to_all_c4", "split_count", {a.split_count}, 1);
  check_groups(input, a.collective, {"all_to_all_c5", "all_to_all_c6", "all_to_all_c7", {}});
  const int64_t cores = group_size(input, "all_to_all_c8", a.collective);
  if (cores != 0 && cores != a.split_count) {
    raise_constraint(input, "all_to_all_c8", str("split_count is ", a.split_count),
                     str(cores, ", the cores in a group"));
  }
  std::vector<Type> results;
  for (const Type& x : input.operands) {
    check_range(input, "all_to_all_c1", "split_dimension", {a.split_dimension}, x.shape.rank());
    check_range(input, "all_to_all_c3", "concat_dimension", {a.concat_dimension}, x.shape.rank());
    const int split = static_cast<int>(a.split_dimension);
    const int concat = static_cast<int>(a.concat_dimension);
    if (x.shape[split] % a.split_count != 0) {
      raise_constraint(input, "all_to_all_c2", str("axis ", split, " of ", to_string(x)),
                       str("a multiple of split_count ", a.split_count));
    }
    Type result = x;
    result.shape.set(split, result.shape[split] / a.split_count);
    result.shape.set(concat, saturated(__int128{result.shape[concat]} * a.split_count));
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Type> infer_collective_broadcast(const InferInput& input) {
  check_groups(input, attributes_of<CollectiveAttributes>(input),
               {"collective_broadcast_c1", {}, "collective_broadcast_c2", {}}, false);
  return {input.operands[0]};
}

std::vector<Type> infer_collective_permute(const InferInput& input) {
  const PermuteAttributes& a = attributes_of<PermuteAttributes>(input);
  Axes sources, targets;
  for (const auto& [source, target] : a.source_target_pairs) {
    sources.push_back(source);
    targets.push_back(target);
  }
  check_unique(input, "collective_permute_c2", "the sources of source_target_pairs", sources);
  check_unique(input, "collective_permute_c3", "the targets of source_target_pairs", targets);
  const Axes all = joined_axes(sources, targets);
  check_at_least(input, "collective_permute_c4", "source_target_pairs", all, 0);
  if (input.module != nullptr) {
    check_range(input, "collective_permute_c4", "source_target_pairs", all,
                a.channel_id > 0 ? input.module->num_partitions : input.module->num_replicas);
  }
  return {input.operands[0]};
}

std::vector<Type> infer_reduce_scatter(const InferInput& input) {
  const GatherCoresAttributes& a = attributes_of<GatherCoresAttributes>(input);
  const Type& x = input.operands[0];
  check_range(input, "reduce_scatter_c2", "scatter_dimension", {a.dimension}, x.shape.rank());
  check_groups(
      input, a.collective,
      {"reduce_scatter_c3", "reduce_scatter_c4", "reduce_scatter_c5", "reduce_scatter_c6"});
  const std::vector<DType> dtype = fold_types(input, "reduce_scatter_c7", 0, std::span(&x, 1));
  const int64_t cores = group_size(input, "reduce_scatter_c4", a.collective);
  const int axis = static_cast<int>(a.dimension);
  Type result{dtype[0], x.shape};
  if (cores > 0) {
    if (x.shape[axis] % cores != 0) {
      raise_constraint(input, "reduce_scatter_c1", str("axis ", axis, " of ", to_string(x)),
                       str("a multiple of the ", cores, " cores in a group"));
    }
    result.shape.set(axis, x.shape[axis] / cores);
  } else if (!input.requested.empty()) {
    result.shape = input.requested[0].shape;
  }
  if (!input.requested.empty()) {
    check_same_type(input, "reduce_scatter_c8", input.requested[0], result);
  }
  return {result};
}

}  // namespace ir
}  // namespace systolic::inline v0
