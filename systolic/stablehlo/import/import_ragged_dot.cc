// chlo.ragged_dot: a product of matrices whose rows, columns or batches fall into groups.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

bool holds(const ir::Axes& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Axes of what is left when `axis` is gone.
ir::Axes without(ir::Axes axes, int64_t axis) {
  for (int64_t& each : axes) each -= each > axis ? 1 : 0;
  return axes;
}

struct RaggedDot {
  ir::Value lhs, rhs, sizes;
  ir::DotAttributes dot;
  int64_t ragged = 0;
  DType result = DType::f32;

  int64_t groups() const { return sizes.shape()[-1]; }

  // Element g of the sizes' last axis, over the shape of lhs: the sizes' other axes are its batch.
  ir::Value over_lhs(ir::Value by_group, int64_t g) const {
    ir::Axes start(static_cast<size_t>(by_group.rank()), 0), limit = by_group.shape().to_vector();
    start.back() = g;
    limit.back() = g + 1;
    const ir::Value one = ir::reshape(ir::slice(by_group, start, limit),
                                      by_group.shape().without(by_group.rank() - 1));
    ir::Axes axes = dot.lhs_batching_dimensions;
    axes.resize(static_cast<size_t>(one.rank()));
    return ir::broadcast_in_dim(one, lhs.shape(), axes);
  }

  // lhs with zeros outside group g. `ends` are the sums of the sizes up to each group's end.
  ir::Value masked(ir::Value ends, int64_t g) const {
    const ir::Value index = lhs.builder().iota({ends.dtype(), lhs.shape()}, ragged);
    ir::Value inside = ir::compare(index, over_lhs(ends, g), ir::Direction::lt);
    if (g > 0) {
      const ir::Value after = ir::compare(index, over_lhs(ends, g - 1), ir::Direction::ge);
      inside = ir::binary(ir::OpCode::and_, inside, after);
    }
    return ir::select(inside, lhs, formula::like(lhs, 0));
  }
};

// The sums of the sizes up to each one, along the last axis.
ir::Value running_sum(ir::Value sizes) {
  const int64_t last = sizes.rank() - 1, count = sizes.shape()[-1];
  ir::Builder& b = sizes.builder();
  const ir::Type square{sizes.dtype(), {count, count}};
  const ir::Value upper = ir::convert(
      ir::compare(b.iota(square, 0), b.iota(square, 1), ir::Direction::le), sizes.dtype());
  return ir::dot_general(sizes, upper,
                         {.lhs_batching_dimensions = {},
                          .rhs_batching_dimensions = {},
                          .lhs_contracting_dimensions = {last},
                          .rhs_contracting_dimensions = {0}});
}

// Group g of rhs, without the axis of groups.
ir::Value group_of(ir::Value rhs, int64_t axis, int64_t g) {
  ir::Axes start(static_cast<size_t>(rhs.rank()), 0), limit = rhs.shape().to_vector();
  start[static_cast<size_t>(axis)] = g;
  limit[static_cast<size_t>(axis)] = g + 1;
  return ir::reshape(ir::slice(rhs, start, limit), rhs.shape().without(static_cast<int>(axis)));
}

RaggedDot ragged_dot(const OpImport& op, const Attribute& numbers) {
  RaggedDot r;
  r.lhs = op.operand(0);
  r.rhs = op.operand(1);
  r.sizes = op.operand(2);
  r.dot.lhs_batching_dimensions = op.field_axes(numbers, "lhs_batching_dimensions");
  r.dot.rhs_batching_dimensions = op.field_axes(numbers, "rhs_batching_dimensions");
  r.dot.lhs_contracting_dimensions = op.field_axes(numbers, "lhs_contracting_dimensions");
  r.dot.rhs_contracting_dimensions = op.field_axes(numbers, "rhs_contracting_dimensions");
  r.dot.precision = op.precision();
  r.result = op.result_dtype();
  const ir::Axes ragged = op.field_axes(numbers, "lhs_ragged_dimensions");
  const bool fits = ragged.size() == 1 && ragged[0] >= 0 && ragged[0] < r.lhs.rank() &&
                    r.sizes.rank() >= 1 && is_integer(r.sizes.dtype()) &&
                    r.sizes.rank() - 1 <= static_cast<int>(r.dot.lhs_batching_dimensions.size());
  if (!fits) op.fail("lhs_ragged_dimensions", {}, "one axis of lhs, and sizes of its groups");
  r.ragged = ragged[0];
  return r;
}

// The products of contracted axes one after another along a new first axis; of rows their sum.
ir::Value joined_products(std::vector<ir::Value> products, bool contracts) {
  if (contracts) {
    for (ir::Value& product : products) {
      product = ir::reshape(product, product.shape().with_inserted(0, 1));
    }
    return ir::concatenate(products, 0);
  }
  ir::Value sum = products[0];
  for (size_t g = 1; g < products.size(); ++g) sum = sum + products[g];
  return sum;
}

}  // namespace

// Rows in groups: each group has its own rhs. Contracted axes in groups: each group gives a product
// of its own. Batches in groups: an ordinary product.
void import_ragged_dot(OpImport& op) {
  const Attribute& numbers = op.required("ragged_dot_dimension_numbers");
  const RaggedDot r = ragged_dot(op, numbers);
  if (holds(r.dot.lhs_batching_dimensions, r.ragged)) {
    return op.set(ir::dot_general(r.lhs, r.rhs, r.dot, r.result));
  }
  constexpr int64_t most_groups = 4096;
  if (r.groups() > most_groups) op.lack(str(r.groups(), " groups"));
  const ir::Value ends = running_sum(r.sizes);
  const bool contracts = holds(r.dot.lhs_contracting_dimensions, r.ragged);
  ir::DotAttributes dot = r.dot;
  int64_t group_axis = 0;
  if (!contracts) {
    const ir::Axes axes = op.field_axes(numbers, "rhs_group_dimensions");
    if (axes.size() != 1 || axes[0] < 0 || axes[0] >= r.rhs.rank() ||
        r.rhs.shape()[static_cast<int>(axes[0])] != r.groups()) {
      op.fail("rhs_group_dimensions", {}, str("one axis of rhs, of size ", r.groups()));
    }
    group_axis = axes[0];
    dot.rhs_batching_dimensions = without(dot.rhs_batching_dimensions, group_axis);
    dot.rhs_contracting_dimensions = without(dot.rhs_contracting_dimensions, group_axis);
  }
  std::vector<ir::Value> products;
  for (int64_t g = 0; g < r.groups(); ++g) {
    const ir::Value rhs = contracts ? r.rhs : group_of(r.rhs, group_axis, g);
    products.push_back(ir::dot_general(r.masked(ends, g), rhs, dot, r.result));
  }
  if (products.empty()) {
    const ir::Type type = op.static_type();
    return op.set(op.builder().filled(type.dtype, type.shape, 0));
  }
  op.set(joined_products(std::move(products), contracts));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
