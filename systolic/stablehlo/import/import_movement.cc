// Ops that move elements.
#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {

void import_broadcast_in_dim(OpImport& op) {
  op.append(ir::BroadcastAttributes{op.axes("broadcast_dimensions")}, {}, {op.static_type()});
}

// New axes in front.
void import_broadcast(OpImport& op) {
  const ir::Value x = op.operand(0);
  const ir::Axes sizes = op.axes("broadcast_sizes");
  ir::Axes dims = sizes, axes;
  for (int64_t size : x.shape()) {
    axes.push_back(static_cast<int64_t>(dims.size()));
    dims.push_back(size);
  }
  op.set(ir::broadcast_in_dim(x, Shape(dims), axes));
}

void import_concatenate(OpImport& op) {
  op.append(ir::ConcatenateAttributes{op.integer("dimension")});
}

void import_dynamic_slice(OpImport& op) {
  op.append(ir::DynamicSliceAttributes{op.axes("slice_sizes")});
}

ir::GatherAttributes gather_attributes(const OpImport& op) {
  const Attribute& numbers = op.required("dimension_numbers");
  return {.offset_dims = op.field_axes(numbers, "offset_dims"),
          .collapsed_slice_dims = op.field_axes(numbers, "collapsed_slice_dims"),
          .operand_batching_dims = op.field_axes(numbers, "operand_batching_dims"),
          .start_indices_batching_dims = op.field_axes(numbers, "start_indices_batching_dims"),
          .start_index_map = op.field_axes(numbers, "start_index_map"),
          .index_vector_dim = op.field_integer(numbers, "index_vector_dim", 0),
          .indices_are_sorted = op.boolean("indices_are_sorted", false)};
}

void import_gather(OpImport& op) {
  ir::GatherAttributes attributes = gather_attributes(op);
  attributes.slice_sizes = op.axes("slice_sizes");
  op.append(std::move(attributes));
}

void import_pad(OpImport& op) {
  op.append(ir::PadAttributes{op.axes("edge_padding_low"), op.axes("edge_padding_high"),
                              op.axes("interior_padding")});
}

void import_reshape(OpImport& op) { op.append({}, {}, {op.static_type()}); }

void import_reverse(OpImport& op) { op.append(ir::AxesAttributes{op.axes("dimensions")}); }

void import_scatter(OpImport& op) {
  const Attribute& numbers = op.required("scatter_dimension_numbers");
  ir::ScatterAttributes attributes{
      .update_window_dims = op.field_axes(numbers, "update_window_dims"),
      .inserted_window_dims = op.field_axes(numbers, "inserted_window_dims"),
      .input_batching_dims = op.field_axes(numbers, "input_batching_dims"),
      .scatter_indices_batching_dims = op.field_axes(numbers, "scatter_indices_batching_dims"),
      .scatter_dims_to_operand_dims = op.field_axes(numbers, "scatter_dims_to_operand_dims"),
      .index_vector_dim = op.field_integer(numbers, "index_vector_dim", 0),
      .indices_are_sorted = op.boolean("indices_are_sorted", false),
      .unique_indices = op.boolean("unique_indices", false)};
  std::vector<ir::Block> regions;
  regions.push_back(op.region(0));
  op.append(std::move(attributes), std::move(regions));
}

void import_slice(OpImport& op) {
  op.append(
      ir::SliceAttributes{op.axes("start_indices"), op.axes("limit_indices"), op.axes("strides")});
}

void import_sort(OpImport& op) {
  std::vector<ir::Block> regions;
  regions.push_back(op.region(0));
  op.append(ir::SortAttributes{op.integer("dimension", -1), op.boolean("is_stable", false)},
            std::move(regions));
}

void import_transpose(OpImport& op) { op.append(ir::AxesAttributes{op.axes("permutation")}); }

}  // namespace stablehlo
}  // namespace systolic::inline v0
