#include "backends/cpu/fuse/row_pick.h"

#include <span>
#include <vector>

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool picks_rows(const kernels::GatherGeometry& geometry) {
  const kernels::GatherNumbers& numbers = geometry.numbers;
  const auto rank = static_cast<int64_t>(geometry.operand_dims.size());
  const auto index_rank = static_cast<int64_t>(geometry.indices_dims.size());
  const bool one_number =
      numbers.index_vector_dim == index_rank ||
      (numbers.index_vector_dim == index_rank - 1 && geometry.indices_dims.back() == 1);
  if (!one_number || numbers.start_index_map != std::vector<int64_t>{0} ||
      numbers.collapsed_slice_dims != std::vector<int64_t>{0} ||
      !numbers.operand_batching_dims.empty()) {
    return false;
  }
  // Window axes are all but the first, in order, and last in the result.
  const auto result_rank = static_cast<int64_t>(geometry.result_dims.size());
  if (static_cast<int64_t>(numbers.offset_dims.size()) != rank - 1) return false;
  for (int64_t i = 0; i < rank - 1; ++i) {
    const auto k = static_cast<size_t>(i);
    if (numbers.offset_dims[k] != result_rank - (rank - 1) + i) return false;
    if (geometry.result_dims[static_cast<size_t>(numbers.offset_dims[k])] !=
        geometry.operand_dims[k + 1]) {
      return false;
    }
  }
  return true;
}

int64_t product(std::span<const int64_t> dims) {
  int64_t result = 1;
  for (int64_t size : dims) result *= size;
  return result;
}

}  // namespace

kernels::GatherGeometry gather_geometry(const Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::GatherAttributes>();
  return {.numbers = {a.offset_dims, a.collapsed_slice_dims, a.operand_batching_dims,
                      a.start_indices_batching_dims, a.start_index_map, a.index_vector_dim},
          .operand_dims = planner.type(op.operands[0]).shape.to_vector(),
          .indices_dims = planner.type(op.operands[1]).shape.to_vector(),
          .slice_sizes = a.slice_sizes,
          .result_dims = planner.type(op.results[0]).shape.to_vector()};
}

kernels::GatherGeometry scatter_geometry(const Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::ScatterAttributes>();
  const size_t count = op.results.size();
  return {.numbers = {a.update_window_dims, a.inserted_window_dims, a.input_batching_dims,
                      a.scatter_indices_batching_dims, a.scatter_dims_to_operand_dims,
                      a.index_vector_dim},
          .operand_dims = planner.type(op.operands[0]).shape.to_vector(),
          .indices_dims = planner.type(op.operands[count]).shape.to_vector(),
          .slice_sizes = {},
          .result_dims = planner.type(op.operands[count + 1]).shape.to_vector()};
}

std::optional<RowPick> row_pick(const kernels::GatherGeometry& geometry) {
  if (!picks_rows(geometry)) return std::nullopt;
  const std::span<const int64_t> dims(geometry.operand_dims);
  return RowPick{dims[0], product(dims.subspan(1)), product(geometry.indices_dims)};
}

}  // namespace cpu
}  // namespace systolic::inline v0
