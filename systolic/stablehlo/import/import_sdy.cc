// Shardy: constraints say nothing to a device that computes whole arrays; a manual computation is a
// part of the program in which each core computes on its own parts.
#include <algorithm>
#include <numeric>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using ir::Value;

std::vector<int64_t> column(const Parts& parts, size_t axis) {
  std::vector<int64_t> result;
  for (const auto& start : parts.start) result.push_back(start[axis]);
  return result;
}

// Where this core's part of an axis begins: a scalar. The partitions of each replica have the same.
Value start_of(ir::Builder& b, const std::vector<int64_t>& starts, int64_t replicas) {
  const bool same = std::count(starts.begin(), starts.end(), starts[0]) ==
                    static_cast<std::ptrdiff_t>(starts.size());
  if (same) return b.constant(Literal::scalar<int64_t>(starts[0]));
  const auto partitions = static_cast<int64_t>(starts.size());
  const Value table = b.constant(Literal::from(starts, Shape{partitions}));
  const Value core = ir::convert(ir::replica_id(b), DType::i64);
  const Value count = b.filled(DType::i64, {}, static_cast<double>(partitions));
  const Value partition[] = {replicas == 1 ? core : ir::binary(ir::OpCode::remainder, core, count)};
  return ir::reshape(ir::dynamic_slice(table, partition, {1}), {});
}

// Zeros on cores that have another addend than number 0.
Value addend_of(Value part, const Parts& parts, int64_t replicas) {
  if (parts.addend.empty()) return part;
  ir::Builder& b = part.builder();
  const Value number = start_of(b, parts.addend, replicas);
  const Value first = ir::compare(number, 0, ir::Direction::eq);
  return ir::select(first, part, b.filled(part.dtype(), part.shape(), 0));
}

Value box_of(Value whole, const Parts& parts, int64_t replicas) {
  if (Shape(parts.size) == whole.shape()) return whole;
  std::vector<Value> starts;
  for (size_t axis = 0; axis < parts.size.size(); ++axis) {
    starts.push_back(start_of(whole.builder(), column(parts, axis), replicas));
  }
  return ir::dynamic_slice(whole, starts, parts.size);
}

Value part_of(Value whole, const Parts& parts, int64_t replicas) {
  return addend_of(box_of(whole, parts, replicas), parts, replicas);
}

// For each part in row-major order which of the cores holds it: its place among them.
std::vector<int64_t> holders(const Parts& parts, const Shape& tiles,
                             const std::vector<int64_t>& cores) {
  std::vector<int64_t> result(static_cast<size_t>(tiles.elements()), -1);
  const std::vector<int64_t> strides = tiles.strides();
  for (size_t place = cores.size(); place-- > 0;) {
    const std::vector<int64_t>& start = parts.start[static_cast<size_t>(cores[place])];
    int64_t at = 0;
    for (size_t axis = 0; axis < parts.size.size(); ++axis) {
      if (parts.size[axis] > 0) at += start[axis] / parts.size[axis] * strides[axis];
    }
    result[static_cast<size_t>(at)] = static_cast<int64_t>(place);
  }
  return result;
}

// How far apart the rows lie, where they divide all of so many evenly, from the first on.
std::optional<int64_t> distance_of(const std::vector<int64_t>& rows, int64_t count) {
  const auto own = static_cast<int64_t>(rows.size());
  if (own == 0 || count % own != 0) return std::nullopt;
  for (int64_t i = 0; i < own; ++i) {
    if (rows[static_cast<size_t>(i)] != i * (count / own)) return std::nullopt;
  }
  return count / own;
}

// Each n-th row, as the first of each group of n.
Value every_row(Value stacked, int64_t n) {
  Shape shape = stacked.shape().with_inserted(1, n);
  shape.set(0, stacked.shape()[0] / n);
  ir::Axes start(static_cast<size_t>(shape.rank()), 0), limit = shape.to_vector();
  limit[1] = 1;
  return ir::reshape(ir::slice(ir::reshape(stacked, shape), start, limit), shape.without(1));
}

Value rows_of(Value stacked, const std::vector<int64_t>& rows) {
  std::vector<int64_t> all(static_cast<size_t>(stacked.shape()[0]));
  std::iota(all.begin(), all.end(), 0);
  if (rows == all) return stacked;
  if (const auto every = distance_of(rows, stacked.shape()[0])) return every_row(stacked, *every);
  std::vector<Value> parts;
  for (int64_t row : rows) {
    ir::Axes start(static_cast<size_t>(stacked.rank()), 0), limit = stacked.shape().to_vector();
    start[0] = row;
    limit[0] = row + 1;
    parts.push_back(ir::slice(stacked, start, limit));
  }
  return ir::concatenate(parts, 0);
}

using Groups = std::vector<std::vector<int64_t>>;

// The groups of one replica's cores, in each replica; nothing where one holds all cores.
Groups in_replicas(const Groups& groups, int64_t replicas, int64_t cores) {
  Groups result;
  if (replicas == 1 && groups.size() == 1) return result;
  for (int64_t replica = 0; replica < replicas; ++replica) {
    for (std::vector<int64_t> group : groups) {
      for (int64_t& core : group) core += replica * cores;
      result.push_back(std::move(group));
    }
  }
  return result;
}

// The whole array on every core of a group, from the part of each; the groups are of one replica.
Value whole_of(const OpImport& op, Value part, const Parts& parts, const Shape& shape,
               const Groups& groups, int64_t replicas) {
  const auto cores = static_cast<int64_t>(parts.start.size());
  const ir::CollectiveAttributes together{.replica_groups = in_replicas(groups, replicas, cores)};
  if (parts.whole(shape)) {
    return part.builder().append_one(ir::OpCode::collective_broadcast, {part}, together);
  }
  const Value stacked = ir::all_gather(ir::reshape(part, part.shape().with_inserted(0, 1)), 0,
                                       static_cast<int64_t>(groups[0].size()), together);
  // [tiles..., part...] to [tile, part, tile, part, ...]
  const int rank = shape.rank();
  Shape tiles, interleaved;
  ir::Axes order;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t size = parts.size[static_cast<size_t>(axis)];
    tiles = tiles.with_inserted(axis, size == 0 ? 1 : shape[axis] / size);
    order.push_back(axis);
    order.push_back(rank + axis);
  }
  const std::vector<int64_t> order_of_rows = holders(parts, tiles, groups[0]);
  for (const std::vector<int64_t>& group : groups) {
    const std::vector<int64_t> own = holders(parts, tiles, group);
    const bool complete = std::find(own.begin(), own.end(), -1) == own.end();
    if (own != order_of_rows || !complete) op.lack("a mesh whose cores hold the parts unevenly");
  }
  const Value rows = rows_of(stacked, order_of_rows);
  interleaved = tiles;
  for (int axis = 0; axis < rank; ++axis) {
    interleaved = interleaved.with_inserted(rank + axis, parts.size[static_cast<size_t>(axis)]);
  }
  return ir::reshape(ir::transpose(ir::reshape(rows, interleaved), order), shape);
}

// The cores that one manual part inside of others puts a result together from: those that differ
// on none of the outer parts' axes.
Groups groups_of(const OpImport& op, const std::vector<MeshSharding>& out, int64_t cores) {
  const std::vector<std::string>& outer = op.importer().manual_axes();
  for (const MeshSharding& sharding : out) {
    if (!outer.empty() && !sharding.mesh.axes.empty()) {
      return groups_along(sharding.mesh, outer, cores);
    }
  }
  return groups_along({}, {}, cores);
}

// Whether the program returns the op's i-th result.
bool is_returned(const OpImport& op, size_t result) {
  const std::vector<Operation>& body = op.importer().program().entry().body.operations;
  const bool outermost = !body.empty() && &op.op() >= body.data() && &op.op() <= &body.back();
  if (!outermost) return false;
  const std::vector<ValueId>& returned = body.back().operands;
  return std::find(returned.begin(), returned.end(), op.op().results[result]) != returned.end();
}

bool uses(const std::vector<Operation>& ops, ValueId value) {
  return std::any_of(ops.begin(), ops.end(), [&](const Operation& op) {
    if (std::find(op.operands.begin(), op.operands.end(), value) != op.operands.end()) return true;
    return std::any_of(op.regions.begin(), op.regions.end(),
                       [&](const Region& region) { return uses(region.operations, value); });
  });
}

// Whether the program returns the op's i-th result and does nothing else with it.
bool is_only_returned(const OpImport& op, size_t result) {
  if (!is_returned(op, result)) return false;
  const std::vector<Operation>& body = op.importer().program().entry().body.operations;
  return !uses({body.begin(), body.end() - 1}, op.op().results[result]);
}

// The sum of the addends that cores hold which differ on none but the unreduced axes of the mesh.
Value reduced(const MeshSharding& sharding, Value part, const Parts& parts, int64_t replicas) {
  if (parts.addend.empty()) return part;
  std::vector<std::string> same;
  for (const auto& named : sharding.mesh.axes) {
    const std::string& name = named.first;
    const bool adds = std::any_of(sharding.unreduced.begin(), sharding.unreduced.end(),
                                  [&](const MeshAxis& axis) { return axis.name == name; });
    if (!adds) same.push_back(name);
  }
  const auto cores = static_cast<int64_t>(parts.start.size());
  const Groups groups = groups_along(sharding.mesh, same, cores);
  return ir::all_reduce(part, ir::OpCode::add,
                        {.replica_groups = in_replicas(groups, replicas, cores)});
}

// The cores that a manual computation runs on: `cores` of each replica, along these axes.
struct ManualCores {
  std::vector<std::string> axes;
  int64_t cores = 1, replicas = 1;
};

// What each core has of the operands, tokens left out.
std::vector<Value> parts_of_operands(const OpImport& op, const std::vector<MeshSharding>& in,
                                     const ManualCores& on) {
  std::vector<Value> arguments;
  for (size_t i = 0; i < in.size(); ++i) {
    if (op.operand_type(i).kind == Type::Kind::token) continue;
    const Value whole = op.operand(i);
    const Parts parts = parts_of(in[i], whole.shape(), on.cores, &on.axes);
    arguments.push_back(part_of(whole, parts, on.replicas));
  }
  return arguments;
}

// Result `i` of a manual computation from what its region gives each core.
Value result_of_parts(const OpImport& op, size_t i, Value part, const MeshSharding& sharding,
                      const ManualCores& on, const Groups& groups) {
  const ir::Type type = op.static_type(i);
  Parts parts = parts_of(sharding, type.shape, on.cores, &on.axes);
  if (!(part.shape() == Shape(parts.size))) {
    op.fail(str("result ", i, " of its region"), to_string(part.shape()),
            to_string(Shape(parts.size)));
  }
  // Said to be the same everywhere, which nobody checks: a result of the program stays what each
  // core has computed.
  const bool as_computed = Shape(parts.size) == type.shape &&
                           (parts.addend.empty() ? is_returned(op, i) : is_only_returned(op, i));
  if (as_computed) return part;
  const Value sum = reduced(sharding, part, parts, on.replicas);
  parts.addend.clear();
  return whole_of(op, sum, parts, type.shape, groups, on.replicas);
}

}  // namespace

// sdy.sharding_constraint, sdy.reshard and others that hand their operands through.
void import_sharding_hint(OpImport& op) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < op.op().results.size(); ++i) slots.push_back(op.slot(i));
  op.set(std::move(slots));
}

void import_named_computation(OpImport& op) { op.set_arrays(op.region_ops(0, op.operands())); }

void import_manual_computation(OpImport& op) {
  const Importer& importer = op.importer();
  const Program& program = importer.program();
  // A mesh is of the partitions; of all cores, where the program has none.
  const bool partitioned = importer.partitions() > 1;
  const std::vector<MeshSharding> in = read_shardings(program, op.required("in_shardings"));
  const std::vector<MeshSharding> out = read_shardings(program, op.required("out_shardings"));
  const ManualCores on{.axes = read_mesh_axes(program, op.required("manual_axes")),
                       .cores = partitioned ? importer.partitions() : importer.replicas(),
                       .replicas = partitioned ? importer.replicas() : 1};
  if (in.size() != op.operand_count() || out.size() != op.op().results.size()) {
    op.fail("its shardings", str(in.size(), " and ", out.size()),
            str("one for each of ", op.operand_count(), " operands and ", op.op().results.size(),
                " results"));
  }
  const std::vector<Value> arguments = parts_of_operands(op, in, on);
  const Groups groups = groups_of(op, out, on.cores);
  const Importer::ManualPart inside(op.importer(), on.axes);
  const std::vector<Value> results = op.region_ops(0, arguments);
  std::vector<size_t> arrays;  // among the op's results: tokens give none
  for (size_t i = 0; i < out.size(); ++i) {
    if (op.result_type(i).kind != Type::Kind::token) arrays.push_back(i);
  }
  if (results.size() != arrays.size()) {
    op.fail("its region's results", str(results.size(), " arrays"), str(arrays.size()));
  }
  std::vector<Value> whole;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const size_t i = arrays[k];
    whole.push_back(result_of_parts(op, i, results[k], out[i], on, groups));
  }
  op.divide(whole);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
