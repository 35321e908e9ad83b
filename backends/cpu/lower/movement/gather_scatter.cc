#include <optional>

#include "backends/cpu/fuse/row_pick.h"
#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/movement/row_sums.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/folds/general_scatter.h"
#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_gather(Planner& planner, const ir::Op& op) {
  const ir::Type& index_type = planner.type(op.operands[1]);
  const ir::Type& type = planner.type(op.results[0]);
  const kernels::GatherGeometry geometry = gather_geometry(planner, op);
  const PlaceId operand = planner.dense(op.operands[0]), indices = planner.dense(op.operands[1]);
  const PlaceId result = planner.define(op.results[0]);
  StepNote note{.name = op_text(planner, op), .reads = {operand, indices}, .writes = {result}};
  if (type.shape.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  const int width = byte_width(type.dtype);
  const DType index_dtype = index_type.dtype;
  if (const std::optional<RowPick> rows = row_pick(geometry)) {
    return planner.emit(std::move(note), [=, pick = *rows](const Frame& frame) {
      kernels::gather_rows(width, frame.at(operand), pick.rows, pick.row_elements, index_dtype,
                           frame.at(indices), pick.count, frame.at(result), frame.pool());
    });
  }
  if (const int64_t parts = kernels::gather_parts(geometry, index_dtype); parts > 0) {
    note.parts = {.count = parts,
                  .read_pieces = {parts, parts},
                  .written_pieces = {parts},
                  .run = [=](const Frame& frame, int64_t begin, int64_t end) {
                    kernels::gather_range(geometry, width, frame.at(operand), index_dtype,
                                          frame.at(indices), frame.at(result), begin, end);
                  }};
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
  const std::optional<RowPick> picked = row_pick(geometry);
  const bool sets = *kind == kernels::ScatterKind::set;
  const bool rows = !nothing && (sets || adds_rows(*kind, type.dtype)) && picked.has_value();
  const RowPick pick = picked.value_or(RowPick{});
  planner.emit(std::move(note), [=, kind = *kind, dtype = type.dtype,
                                 bytes = type.bytes()](const Frame& frame) {
    if ((rows || nothing) && frame.at(operand) != frame.at(result)) {
      kernels::copy_bytes(frame.at(operand), frame.at(result), bytes, frame.pool());
    }
    if (nothing) return;
    if (rows && sets) {
      kernels::scatter_set_rows(byte_width(dtype), frame.at(result), pick.rows, pick.row_elements,
                                index_dtype, frame.at(indices), pick.count, frame.at(updates),
                                frame.pool());
    } else if (rows) {
      kernels::scatter_add_rows(dtype, frame.at(result), pick.rows, pick.row_elements, index_dtype,
                                frame.at(indices), pick.count, frame.at(updates), frame.pool());
    } else {
      kernels::scatter(geometry, kind, dtype, frame.at(operand), index_dtype, frame.at(indices),
                       frame.at(updates), frame.at(result), frame.pool());
    }
  });
}

void lower_row_sums(Planner& planner, const ir::Op& op) {
  const RowPick pick = *row_pick(scatter_geometry(planner, op));
  const ir::Type lists_type{DType::i32, Shape{kernels::row_list_elements(pick.rows, pick.count)}};
  const ir::Type updates_type{DType::f32, Shape{pick.count, pick.row_elements}};
  const PlaceId indices = planner.dense(op.operands[1]), updates = planner.dense(op.operands[2]);
  const PlaceId lists = planner.temporary(lists_type.bytes());
  planner.define(op.results[0], RowSums{.lists = dense_view(lists, lists_type),
                                        .updates = dense_view(updates, updates_type)});
  const DType index_dtype = planner.type(op.operands[1]).dtype;
  planner.emit({.name = str("list updates of ", op_text(planner, op)),
                .reads = {indices},
                .writes = {lists}},
               [=](const Frame& frame) {
                 kernels::list_updates(index_dtype, frame.at(indices), pick.count, pick.rows,
                                       frame.at<int32_t>(lists));
               });
}

}  // namespace cpu
}  // namespace systolic::inline v0
