// Shardy: constraints say nothing to who computes whole arrays; a manual computation is a part of
// the program in which each core computes on its own parts.
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/stablehlo/handlers.h"
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

Value part_of(Value whole, const Parts& parts, int64_t replicas) {
  if (parts.whole(whole.shape())) return whole;
  std::vector<Value> starts;
  for (size_t axis = 0; axis < parts.size.size(); ++axis) {
    starts.push_back(start_of(whole.builder(), column(parts, axis), replicas));
  }
  return ir::dynamic_slice(whole, starts, parts.size);
}

// For each part in row-major order a core that holds it.
std::vector<int64_t> holders(const Parts& parts, const Shape& tiles) {
  std::vector<int64_t> result(static_cast<size_t>(tiles.elements()), -1);
  const std::vector<int64_t> strides = tiles.strides();
  for (size_t core = parts.start.size(); core-- > 0;) {
    int64_t at = 0;
    for (size_t axis = 0; axis < parts.size.size(); ++axis) {
      if (parts.size[axis] > 0) at += parts.start[core][axis] / parts.size[axis] * strides[axis];
    }
    result[static_cast<size_t>(at)] = static_cast<int64_t>(core);
  }
  return result;
}

Value rows_of(Value stacked, const std::vector<int64_t>& rows) {
  std::vector<int64_t> all(static_cast<size_t>(stacked.shape()[0]));
  std::iota(all.begin(), all.end(), 0);
  if (rows == all) return stacked;
  std::vector<Value> parts;
  for (int64_t row : rows) {
    ir::Axes start(static_cast<size_t>(stacked.rank()), 0), limit = stacked.shape().to_vector();
    start[0] = row;
    limit[0] = row + 1;
    parts.push_back(ir::slice(stacked, start, limit));
  }
  return ir::concatenate(parts, 0);
}

// The cores of each replica; nothing where that is all cores.
std::vector<std::vector<int64_t>> groups_of(int64_t replicas, int64_t partitions) {
  std::vector<std::vector<int64_t>> groups;
  for (int64_t replica = 0; replica < replicas && replicas > 1; ++replica) {
    std::vector<int64_t>& group = groups.emplace_back(static_cast<size_t>(partitions));
    std::iota(group.begin(), group.end(), replica * partitions);
  }
  return groups;
}

// The whole array on every core of a replica, from the part of each.
Value whole_of(Value part, const Parts& parts, const Shape& shape, int64_t replicas) {
  const auto cores = static_cast<int64_t>(parts.start.size());
  const ir::CollectiveAttributes together{.replica_groups = groups_of(replicas, cores)};
  if (parts.whole(shape)) {
    return part.builder().append_one(ir::OpCode::collective_broadcast, {part}, together);
  }
  const Value stacked =
      ir::all_gather(ir::reshape(part, part.shape().with_inserted(0, 1)), 0, cores, together);
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
  const Value rows = rows_of(stacked, holders(parts, tiles));
  interleaved = tiles;
  for (int axis = 0; axis < rank; ++axis) {
    interleaved = interleaved.with_inserted(rank + axis, parts.size[static_cast<size_t>(axis)]);
  }
  return ir::reshape(ir::transpose(ir::reshape(rows, interleaved), order), shape);
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
  const int64_t cores = partitioned ? importer.partitions() : importer.replicas();
  const int64_t replicas = partitioned ? importer.replicas() : 1;
  const std::vector<MeshSharding> in = read_shardings(program, op.required("in_shardings"));
  const std::vector<MeshSharding> out = read_shardings(program, op.required("out_shardings"));
  const std::vector<std::string> axes = read_mesh_axes(program, op.required("manual_axes"));
  if (in.size() != op.operand_count() || out.size() != op.op().results.size()) {
    op.fail("its shardings", str(in.size(), " and ", out.size()),
            str("one for each of ", op.operand_count(), " operands and ", op.op().results.size(),
                " results"));
  }
  std::vector<Value> arguments;
  for (size_t i = 0; i < in.size(); ++i) {
    if (op.operand_type(i).kind == Type::Kind::token) continue;
    const Value whole = op.operand(i);
    arguments.push_back(part_of(whole, parts_of(in[i], whole.shape(), cores, &axes), replicas));
  }
  const Importer::ManualPart inside(op.importer());
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
    const ir::Type type = op.static_type(i);
    const Parts parts = parts_of(out[i], type.shape, cores, &axes);
    if (!(results[k].shape() == Shape(parts.size))) {
      op.fail(str("result ", i, " of its region"), to_string(results[k].shape()),
              to_string(Shape(parts.size)));
    }
    whole.push_back(whole_of(results[k], parts, type.shape, replicas));
  }
  op.divide(whole);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
