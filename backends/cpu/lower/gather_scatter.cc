#include <algorithm>
#include <array>

#include "backends/cpu/fuse/fold_kind.h"
#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/general_scatter.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Rows of a table: indices [..., 1] or [...] pick whole rows of operand [rows, ...].
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

struct RowPick {
  int64_t rows, row_elements, count;
};
RowPick row_pick(const kernels::GatherGeometry& geometry) {
  const std::span<const int64_t> dims(geometry.operand_dims);
  return {dims[0], product(dims.subspan(1)), product(geometry.indices_dims)};
}

}  // namespace

void lower_gather(Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::GatherAttributes>();
  const ir::Type& operand_type = planner.type(op.operands[0]);
  const ir::Type& index_type = planner.type(op.operands[1]);
  const ir::Type& type = planner.type(op.results[0]);
  const kernels::GatherGeometry geometry{
      .numbers = {a.offset_dims, a.collapsed_slice_dims, a.operand_batching_dims,
                  a.start_indices_batching_dims, a.start_index_map, a.index_vector_dim},
      .operand_dims = operand_type.shape.to_vector(),
      .indices_dims = index_type.shape.to_vector(),
      .slice_sizes = a.slice_sizes,
      .result_dims = type.shape.to_vector()};
  const PlaceId operand = planner.dense(op.operands[0]), indices = planner.dense(op.operands[1]);
  const PlaceId result = planner.define(op.results[0]);
  StepNote note{.name = op_text(planner, op), .reads = {operand, indices}, .writes = {result}};
  if (type.shape.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  const int width = byte_width(type.dtype);
  const DType index_dtype = index_type.dtype;
  if (picks_rows(geometry)) {
    const RowPick pick = row_pick(geometry);
    return planner.emit(std::move(note), [=](const Frame& frame) {
      kernels::gather_rows(width, frame.at(operand), pick.rows, pick.row_elements, index_dtype,
                           frame.at(indices), pick.count, frame.at(result), frame.pool());
    });
  }
  planner.emit(std::move(note), [=](const Frame& frame) {
    kernels::gather(geometry, width, frame.at(operand), index_dtype, frame.at(indices),
                    frame.at(result), frame.pool());
  });
}

namespace {

// `value` when the region replaces by the update.
std::optional<kernels::ScatterKind> scatter_kind(const ir::Block& region) {
  if (region.arguments.size() == 2 && region.results.size() == 1 &&
      region.results[0] == region.arguments[1]) {
    return kernels::ScatterKind::set;
  }
  const std::optional<kernels::ReduceKind> fold = fold_kind(region);
  if (!fold) return std::nullopt;
  switch (*fold) {
    case kernels::ReduceKind::sum:
      return kernels::ScatterKind::sum;
    case kernels::ReduceKind::product:
      return kernels::ScatterKind::product;
    case kernels::ReduceKind::maximum:
      return kernels::ScatterKind::maximum;
    case kernels::ReduceKind::minimum:
      return kernels::ScatterKind::minimum;
    case kernels::ReduceKind::and_:
      return kernels::ScatterKind::and_;
    case kernels::ReduceKind::or_:
      return kernels::ScatterKind::or_;
    default:
      return std::nullopt;
  }
}

bool adds_rows(kernels::ScatterKind kind, DType dtype) {
  return kind == kernels::ScatterKind::sum && dtype != DType::pred && !is_complex(dtype);
}

}  // namespace

void lower_scatter(Planner& planner, const ir::Op& op) {
  const std::optional<kernels::ScatterKind> kind = scatter_kind(op.regions[0]);
  const bool known = kind && (*kind == kernels::ScatterKind::set ||
                              !is_complex(planner.type(op.results[0]).dtype));
  if (!known || op.results.size() != 1) return lower_general_scatter(planner, op);
  const ir::Type& type = planner.type(op.results[0]);
  const ir::Type& index_type = planner.type(op.operands[1]);
  const ir::Type& update_type = planner.type(op.operands[2]);
  const kernels::GatherGeometry geometry = scatter_geometry(planner, op);
  const PlaceId operand = planner.dense(op.operands[0]), indices = planner.dense(op.operands[1]);
  const PlaceId updates = planner.dense(op.operands[2]);
  const PlaceId result = planner.define(op.results[0]);
  StepNote note{.name = op_text(planner, op),
                .reads = {operand, indices, updates},
                .writes = {result},
                .flops = static_cast<double>(update_type.shape.elements())};
  MemoryLayout& memory = planner.memory();
  if (memory.root(operand) != memory.root(indices) && memory.root(operand) != memory.root(updates))
    note.in_place = {{result, operand}};
  const DType index_dtype = index_type.dtype;
  const bool nothing = update_type.shape.elements() == 0;
  const bool rows = !nothing && adds_rows(*kind, type.dtype) && picks_rows(geometry);
  const RowPick pick = rows ? row_pick(geometry) : RowPick{};
  planner.emit(std::move(note), [=, kind = *kind, dtype = type.dtype,
                                 bytes = type.bytes()](const Frame& frame) {
    if ((rows || nothing) && frame.at(operand) != frame.at(result)) {
      kernels::copy_bytes(frame.at(operand), frame.at(result), bytes, frame.pool());
    }
    if (nothing) return;
    if (rows) {
      kernels::scatter_add_rows(dtype, frame.at(result), pick.rows, pick.row_elements, index_dtype,
                                frame.at(indices), pick.count, frame.at(updates), frame.pool());
    } else {
      kernels::scatter(geometry, kind, dtype, frame.at(operand), index_dtype, frame.at(indices),
                       frame.at(updates), frame.at(result), frame.pool());
    }
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
