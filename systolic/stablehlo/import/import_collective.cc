// Ops between cores. Groups of replicas or partitions become groups of cores, where core = replica
// * num_partitions + partition (StableHLO docs/spec.md, "Collective ops").
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

int64_t channel_id(const OpImport& op) {
  const Attribute* handle = op.find("channel_handle");
  if (handle == nullptr) return op.integer("channel_id", 0);
  return op.field_integer(*handle, "handle", 0);
}

// dense<[[0, 1], [2, -1]]>: -1 fills short rows.
Groups groups_as_written(const OpImport& op, std::string_view name) {
  const Attribute* found = op.find(name);
  if (found == nullptr) return {};
  const std::vector<int64_t> flat = read_integers(op.importer().program(), *found);
  const bool typed = found->kind == Attribute::Kind::elements && found->type != no_type;
  const std::vector<int64_t> dims =
      typed ? op.importer().program().type(found->type).dims : std::vector<int64_t>{};
  if (dims.size() != 2) op.fail(str(name), str(dims.size(), " axes"), "a table: [groups, cores]");
  Groups groups;
  for (size_t row = 0; row < static_cast<size_t>(dims[0]); ++row) {
    std::vector<int64_t>& group = groups.emplace_back();
    for (size_t i = 0; i < static_cast<size_t>(dims[1]); ++i) {
      const int64_t id = flat[row * static_cast<size_t>(dims[1]) + i];
      if (id != -1) group.push_back(id);
    }
  }
  return groups;
}

// What the ids of a group count.
enum class Ids { replicas, partitions, replicas_of_all_partitions, cores };

Ids ids_of(const OpImport& op) {
  if (op.boolean("use_global_device_ids", false)) return Ids::cores;
  if (channel_id(op) <= 0) return Ids::replicas;
  switch (op.code()) {
    case ir::OpCode::all_gather:
    case ir::OpCode::all_reduce:
    case ir::OpCode::reduce_scatter:
      return Ids::replicas_of_all_partitions;
    default:
      return Ids::partitions;
  }
}

// Adds the groups of cores that a group of such ids stands for.
void add_groups_of_cores(Ids ids, const std::vector<int64_t>& group, int64_t replicas,
                         int64_t partitions, Groups& groups) {
  if (ids == Ids::cores) {
    groups.push_back(group);
  } else if (ids == Ids::replicas_of_all_partitions) {
    std::vector<int64_t>& cores = groups.emplace_back();
    for (int64_t partition = 0; partition < partitions; ++partition) {
      for (int64_t replica : group) cores.push_back(replica * partitions + partition);
    }
  } else {
    const bool of_replicas = ids == Ids::replicas;
    for (int64_t other = 0; other < (of_replicas ? partitions : replicas); ++other) {
      std::vector<int64_t>& cores = groups.emplace_back();
      for (int64_t id : group) {
        cores.push_back(of_replicas ? id * partitions + other : other * partitions + id);
      }
    }
  }
}

// Groups of cores; every id is checked.
Groups groups_of_cores(const OpImport& op, Groups written) {
  const Importer& importer = op.importer();
  if (importer.options().core)
    op.lack("between cores that run different programs, inside of a region or a call",
            "put it at the top of each core's function");
  const int64_t replicas = importer.replicas(), partitions = importer.partitions();
  const Ids ids = ids_of(op);
  const int64_t limit = ids == Ids::cores        ? replicas * partitions
                        : ids == Ids::partitions ? partitions
                                                 : replicas;
  if (written.empty()) {
    for (int64_t id = 0; id < limit; ++id) {
      if (id == 0) written.emplace_back();
      written[0].push_back(id);
    }
  }
  Groups groups;
  for (const std::vector<int64_t>& group : written) {
    for (int64_t id : group) {
      if (id < 0 || id >= limit) {
        op.fail("replica_groups", str("core ", id), str("cores in [0, ", limit, ")"));
      }
    }
    add_groups_of_cores(ids, group, replicas, partitions, groups);
  }
  return groups;
}

ir::CollectiveAttributes collective(const OpImport& op) {
  return {.replica_groups = groups_of_cores(op, groups_as_written(op, "replica_groups"))};
}

void check_root(const OpImport& op, ir::Value root, size_t arrays) {
  if (root.shape() == Shape{static_cast<int64_t>(arrays)} && is_integer(root.dtype())) return;
  op.fail("the root", to_string(root.type()), str("one number for each of ", arrays));
}

// Each array from the first core of its group; or from the one whose place in the group the last
// operand holds, one number an array: then all cores' arrays are gathered and that one is taken.
void import_broadcast_of_cores(OpImport& op) {
  const ir::CollectiveAttributes attributes = collective(op);
  std::vector<ir::Value> arrays = op.operands(), results;
  const bool has_root = op.boolean("has_dynamic_root", false);
  ir::Value root;
  if (has_root) {
    root = arrays.back();
    arrays.pop_back();
    check_root(op, root, arrays.size());
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ir::Value x = arrays[i];
    if (!has_root) {
      results.push_back(op.add(op.code(), {x}, attributes));
      continue;
    }
    const Shape one = x.shape().with_inserted(0, 1);
    const ir::Value all = op.add(ir::OpCode::all_gather, {ir::reshape(x, one)},
                                 ir::GatherCoresAttributes{0, attributes});
    const auto at = static_cast<int64_t>(i);
    const ir::Value index = ir::reshape(ir::slice(root, {at}, {at + 1}), {});
    std::vector<ir::Value> starts(static_cast<size_t>(one.rank()), formula::like(index, 0));
    starts[0] = index;
    results.push_back(ir::reshape(ir::dynamic_slice(all, starts, one.to_vector()), x.shape()));
  }
  op.set_arrays(results);
}

// The position of each core in its group; -1 where it is in none.
ir::Value place_in_group(OpImport& op, const Groups& groups) {
  std::vector<int64_t> places(
      static_cast<size_t>(op.importer().replicas() * op.importer().partitions()), -1);
  for (const std::vector<int64_t>& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) {
      places[static_cast<size_t>(group[i])] = static_cast<int64_t>(i);
    }
  }
  ir::Builder& b = op.builder();
  const ir::Value table = b.constant(
      Literal::from(std::span<const int64_t>(places), Shape{static_cast<int64_t>(places.size())}));
  const ir::Value core[] = {ir::replica_id(b)};
  return ir::reshape(ir::dynamic_slice(table, core, {1}), {});
}

void import_permute(OpImport& op) {
  const Importer& importer = op.importer();
  if (importer.options().core)
    op.lack("between cores that run different programs, inside of a region or a call",
            "put it at the top of each core's function");
  const int64_t partitions = importer.partitions();
  const bool of_replicas = channel_id(op) <= 0;
  const int64_t limit = of_replicas ? importer.replicas() : partitions;
  ir::PermuteAttributes attributes;
  for (const std::vector<int64_t>& pair : groups_as_written(op, "source_target_pairs")) {
    if (pair.size() != 2) op.fail("source_target_pairs", str(pair.size(), " entries"), "pairs");
    for (int64_t id : pair) {
      if (id < 0 || id >= limit) {
        op.fail("source_target_pairs", str("core ", id), str("cores in [0, ", limit, ")"));
      }
    }
    for (int64_t other = 0; other < (of_replicas ? partitions : importer.replicas()); ++other) {
      const auto core = [&](int64_t id) {
        return of_replicas ? id * partitions + other : other * partitions + id;
      };
      attributes.source_target_pairs.emplace_back(core(pair[0]), core(pair[1]));
    }
  }
  op.append(std::move(attributes));
}

}  // namespace

void import_collective(OpImport& op) {
  std::vector<ir::Block> regions;
  switch (op.code()) {
    case ir::OpCode::all_gather:
      return op.append(ir::GatherCoresAttributes{op.integer("all_gather_dim"), collective(op)});
    case ir::OpCode::all_to_all:
      return op.append(ir::AllToAllAttributes{op.integer("split_dimension"),
                                              op.integer("concat_dimension"),
                                              op.integer("split_count"), collective(op)});
    case ir::OpCode::collective_broadcast:
      return import_broadcast_of_cores(op);
    case ir::OpCode::collective_permute:
      return import_permute(op);
    case ir::OpCode::all_reduce:
      regions.push_back(op.region(0));
      return op.append(collective(op), std::move(regions));
    default:
      regions.push_back(op.region(0));
      return op.append(ir::GatherCoresAttributes{op.integer("scatter_dimension"), collective(op)},
                       std::move(regions));
  }
}

// Each array reduced among the cores of a group, for the first of them or for the one whose place
// in the group the last operand holds; zeros for the others.
void import_collective_reduce(OpImport& op) {
  const ir::CollectiveAttributes attributes = collective(op);
  std::vector<ir::Value> arrays = op.operands(), results;
  const ir::Value place = place_in_group(op, attributes.replica_groups);
  ir::Value root;
  if (op.boolean("has_dynamic_root", false)) {
    root = arrays.back();
    arrays.pop_back();
    check_root(op, root, arrays.size());
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::vector<ir::Block> regions;
    regions.push_back(op.region(0));
    const ir::Value sum =
        op.add(ir::OpCode::all_reduce, {arrays[i]}, attributes, std::move(regions));
    const auto at = static_cast<int64_t>(i);
    const ir::Value wanted =
        root.valid() ? ir::convert(ir::reshape(ir::slice(root, {at}, {at + 1}), {}), DType::i64)
                     : formula::like(place, 0);
    results.push_back(
        ir::select(ir::compare(place, wanted, ir::Direction::eq), sum, formula::like(sum, 0)));
  }
  op.set_arrays(results);
}

// replica_id and partition_id, from the number of the core.
void import_core_id(OpImport& op) {
  ir::Builder& b = op.builder();
  const std::optional<int64_t> known = op.importer().options().core;
  const ir::Value core =
      known ? b.filled(DType::u32, {}, static_cast<double>(*known)) : ir::replica_id(b);
  const ir::Value partitions =
      b.filled(DType::u32, {}, static_cast<double>(op.importer().partitions()));
  const bool replica = op.code() == ir::OpCode::replica_id;
  op.set(ir::binary(replica ? ir::OpCode::divide : ir::OpCode::remainder, core, partitions));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
