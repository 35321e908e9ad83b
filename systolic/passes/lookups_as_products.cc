#include "systolic/passes/lookups_as_products.h"

#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::Function;
using ir::Op;
using ir::OpCode;
using ir::ValueId;

namespace {

// Appends ops in the place of one gather.
class Lookup {
 public:
  Lookup(Function& function, const Op& gather, std::vector<Op>& ops)
      : function_(function), gather_(gather), ops_(ops) {}

  // Whole rows by the first axis, the batch axes of the indices in front of those of a row.
  static bool picks_rows(const Function& function, const Op& op) {
    const auto& a = op.get<ir::GatherAttributes>();
    const ir::Type &table = function.type(op.operands[0]), &ids = function.type(op.operands[1]);
    const int rank = table.shape.rank(), batch = ids.shape.rank() - (has_vector(a, ids) ? 1 : 0);
    if (table.dtype != DType::f32 || (ids.dtype != DType::i32 && ids.dtype != DType::i64)) {
      return false;
    }
    if (rank == 0 || a.collapsed_slice_dims != Axes{0} || a.start_index_map != Axes{0} ||
        !a.operand_batching_dims.empty() || static_cast<int>(a.offset_dims.size()) != rank - 1 ||
        a.index_vector_dim < batch) {
      return false;
    }
    for (int axis = 1; axis < rank; ++axis) {
      const auto k = static_cast<size_t>(axis);
      if (a.offset_dims[k - 1] != batch + axis - 1 || a.slice_sizes[k] != table.shape[axis]) {
        return false;
      }
    }
    return true;
  }

  void append_product() {
    const ir::Type table = function_.type(gather_.operands[0]);
    const ir::Type given = function_.type(gather_.operands[1]);
    const int64_t rows = table.shape[0];
    const bool vector = has_vector(gather_.get<ir::GatherAttributes>(), given);
    const Shape batch = vector ? given.shape.without(given.shape.rank() - 1) : given.shape;
    const Shape places = batch.with_inserted(batch.rank(), rows);
    ValueId ids = gather_.operands[1];
    if (vector) ids = append(OpCode::reshape, {ids}, {}, {given.dtype, batch});
    // A gather takes the nearest row for what lies outside.
    const ValueId first = number(0, given.dtype), last = number(rows - 1, given.dtype);
    ids = append(OpCode::clamp, {first, ids, last}, {}, {given.dtype, batch});
    Axes axes;
    for (int axis = 0; axis < batch.rank(); ++axis) axes.push_back(axis);
    const ValueId wanted = append(OpCode::broadcast_in_dim, {ids}, ir::BroadcastAttributes{axes},
                                  {given.dtype, places});
    const ValueId row =
        append(OpCode::iota, {}, ir::IotaAttributes{batch.rank()}, {given.dtype, places});
    const ValueId same =
        append(OpCode::compare, {wanted, row}, ir::CompareAttributes{}, {DType::pred, places});
    const ValueId ones = append(OpCode::convert, {same}, {}, {table.dtype, places});
    append_op(OpCode::dot_general, {ones, gather_.operands[0]},
              ir::DotAttributes{.lhs_batching_dimensions = {},
                                .rhs_batching_dimensions = {},
                                .lhs_contracting_dimensions = {batch.rank()},
                                .rhs_contracting_dimensions = {0},
                                .precision = ir::Precision::highest},
              gather_.results[0]);
  }

 private:
  // Whether the indices have an axis for the one number that each index is.
  static bool has_vector(const ir::GatherAttributes& a, const ir::Type& ids) {
    return a.index_vector_dim == ids.shape.rank() - 1 && ids.shape[-1] == 1;
  }
  ValueId number(int64_t value, DType dtype) {
    const Literal literal = Literal::from(std::vector<int64_t>{value}, Shape{}).convert(dtype);
    return append(OpCode::constant, {}, ir::ConstantAttributes{literal}, {dtype, Shape{}});
  }
  ValueId append(OpCode code, std::vector<ValueId> operands, ir::Attributes attributes,
                 ir::Type type) {
    const ValueId result = function_.new_value(std::move(type));
    append_op(code, std::move(operands), std::move(attributes), result);
    return result;
  }
  void append_op(OpCode code, std::vector<ValueId> operands, ir::Attributes attributes,
                 ValueId result) {
    Op op;
    op.code = code;
    op.operands = std::move(operands);
    op.results = {result};
    op.attributes = std::move(attributes);
    op.location = gather_.location;
    op.layer_path = gather_.layer_path;
    ops_.push_back(std::move(op));
  }

  Function& function_;
  const Op& gather_;
  std::vector<Op>& ops_;
};

void rewrite(Function& function, ir::Block& block, int64_t most_rows) {
  std::vector<Op> ops;
  ops.reserve(block.ops.size());
  for (Op& op : block.ops) {
    for (ir::Block& region : op.regions) rewrite(function, region, most_rows);
    const bool lookup = op.code == OpCode::gather && Lookup::picks_rows(function, op) &&
                        function.type(op.operands[0]).shape[0] <= most_rows;
    if (lookup) {
      Lookup(function, op, ops).append_product();
    } else {
      ops.push_back(std::move(op));
    }
  }
  block.ops = std::move(ops);
}

}  // namespace

ir::Module lookups_as_products(ir::Module module, int64_t most_rows) {
  for (Function& function : module.functions) rewrite(function, function.body, most_rows);
  return module;
}

}  // namespace passes
}  // namespace systolic::inline v0
