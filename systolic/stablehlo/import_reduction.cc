// Folds and windows.
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::vector<ir::Block> regions_as_written(OpImport& op, size_t count) {
  std::vector<ir::Block> regions;
  for (size_t i = 0; i < count; ++i) regions.push_back(op.region(i));
  return regions;
}

}  // namespace

void import_reduce(OpImport& op) {
  std::vector<ir::Block> regions = regions_as_written(op, 1);
  op.append(ir::AxesAttributes{op.axes("dimensions")}, std::move(regions));
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
