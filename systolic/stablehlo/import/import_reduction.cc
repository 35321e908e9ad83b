// Folds and windows.
#include <algorithm>
#include <numeric>

#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::vector<ir::Block> regions_as_written(OpImport& op, size_t count) {
  std::vector<ir::Block> regions;
  for (size_t i = 0; i < count; ++i) regions.push_back(op.region(i));
  return regions;
}

std::vector<ir::Value> reduce(OpImport& op, std::span<const ir::Value> operands, ir::Axes axes) {
  return op.builder().append(ir::OpCode::reduce, operands, ir::AxesAttributes{std::move(axes)},
                             regions_as_written(op, 1));
}

// Several arrays folded along their last axis, as argmax does, are folded in lanes first: each
// accumulator takes elements that follow each other, and the arrays are turned so that accumulators
// lie side by side. The specification leaves open where a fold begins and how often it takes the
// initial values, but not the order of the elements: that an equal maximum comes first shows it.
constexpr int64_t lanes = 32;

bool folds_in_lanes(const OpImport& op, const std::vector<ir::Value>& operands,
                    const ir::Axes& axes) {
  if (operands.size() < 4 || axes.size() != 1) return false;
  const Shape shape = operands[0].shape();
  const int64_t last = shape.rank() - 1;
  return axes[0] == last && shape[static_cast<int>(last)] % lanes == 0 &&
         shape[static_cast<int>(last)] >= 2 * lanes && op.op().regions.size() == 1;
}

// [..., n] -> [..., n / lanes, lanes]: a lane holds elements in a row.
ir::Value in_lanes(ir::Value x) {
  ir::Axes dims = x.shape().to_vector(), order(dims.size() + 1);
  dims.back() /= lanes;
  dims.insert(dims.end() - 1, lanes);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::swap(order.back(), order[order.size() - 2]);
  return ir::transpose(ir::reshape(x, Shape(dims)), order);
}

}  // namespace

void import_reduce(OpImport& op) {
  const ir::Axes axes = op.axes("dimensions");
  std::vector<ir::Value> operands = op.operands();
  if (folds_in_lanes(op, operands, axes)) {
    const size_t arrays = operands.size() / 2;
    for (size_t i = 0; i < arrays; ++i) {
      operands[i] = in_lanes(operands[i]);
    }
    const std::vector<ir::Value> folded = reduce(op, operands, axes);
    std::copy(folded.begin(), folded.end(), operands.begin());
  }
  op.set_arrays(reduce(op, operands, axes));
}

void import_reduce_window(OpImport& op) {
  const auto rank = static_cast<size_t>(op.operand(0).rank());
  const ir::Axes ones(rank, 1);
  ir::WindowAttributes attributes{.window_dimensions = op.axes("window_dimensions"),
                                  .window_strides = op.axes("window_strides", ones),
                                  .base_dilations = op.axes("base_dilations", ones),
                                  .window_dilations = op.axes("window_dilations", ones),
                                  .padding = op.padding("padding", rank)};
  std::vector<ir::Block> regions = regions_as_written(op, 1);
  op.append(std::move(attributes), std::move(regions));
}

void import_select_and_scatter(OpImport& op) {
  const auto rank = static_cast<size_t>(op.operand(0).rank());
  const ir::Axes ones(rank, 1);
  ir::WindowAttributes attributes{.window_dimensions = op.axes("window_dimensions", ones),
                                  .window_strides = op.axes("window_strides", ones),
                                  .base_dilations = ones,
                                  .window_dilations = ones,
                                  .padding = op.padding("padding", rank)};
  std::vector<ir::Block> regions = regions_as_written(op, 2);
  op.append(std::move(attributes), std::move(regions));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
