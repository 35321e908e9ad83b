// reduce, reduce_window, select_and_scatter.
#include <algorithm>
#include <array>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/kernels/window/pooling.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/folds/general_fold.h"
#include "backends/cpu/lower/folds/general_scatter.h"
#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_reduce(Planner& planner, const ir::Op& op) {
  const ir::Type& type = planner.type(op.operands[0]);
  if (!is_plain_reduction(planner, op)) return lower_general_reduce(planner, op);
  const kernels::Reduction reduction(*fold_kind(op.regions[0]), type.dtype, type.shape.dims(),
                                     op.get<ir::AxesAttributes>().axes);
  const PlaceId input = planner.dense(op.operands[0]), init = planner.dense(op.operands[1]);
  const PlaceId output = planner.define(op.results[0]);
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(reduction.scratch_bytes()));
  StepNote note{.name = str("reduce of ", ir::to_string(type), " to ",
                            ir::to_string(planner.type(op.results[0]))),
                .reads = {input, init},
                .writes = {output},
                .scratch = {scratch},
                .flops = static_cast<double>(type.shape.elements())};
  if (const int64_t parts = reduction.parts(); parts > 0) {
    note.parts = {.count = parts,
                  .read_pieces = {parts, 1},
                  .written_pieces = {parts},
                  .run = [=](const Frame& frame, int64_t begin, int64_t end) {
                    reduction.run_parts(begin, end, frame.at(input), frame.at(output),
                                        frame.at(init));
                  }};
  }
  planner.emit(std::move(note), [=](const Frame& frame) {
    reduction.run(frame.at(input), frame.at(output), frame.at(scratch), frame.pool(),
                  frame.at(init));
  });
}

namespace {

double window_size(const ir::WindowAttributes& attributes) {
  double size = 1;
  for (int64_t axis : attributes.window_dimensions) size *= static_cast<double>(axis);
  return size;
}

}  // namespace

void lower_reduce_window(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::WindowAttributes>();
  const ir::Type& type = planner.type(op.operands[0]);
  if (!is_plain_reduction(planner, op)) return lower_general_reduce_window(planner, op);
  const auto axes = ir::window_axes(attributes);
  const PlaceId input = planner.dense(op.operands[0]), init = planner.dense(op.operands[1]);
  const PlaceId output = planner.define(op.results[0]);
  const ir::Type& result = planner.type(op.results[0]);
  if (result.shape.elements() == 0) {
    return planner.emit({.name = op_text(planner, op), .writes = {output}}, [](const Frame&) {});
  }
  planner.emit({.name = op_text(planner, op),
                .reads = {input, init},
                .writes = {output},
                .flops = static_cast<double>(result.shape.elements()) * window_size(attributes)},
               [=, kind = *fold_kind(op.regions[0]), dtype = type.dtype,
                dims = type.shape.to_vector()](const Frame& frame) {
                 kernels::reduce_window(kind, dtype, dims, axes, frame.at(input), frame.at(init),
                                        frame.at(output), frame.pool());
               });
}

namespace {

std::optional<kernels::SelectKind> select_kind(const ir::Block& region) {
  if (region.ops.size() != 1 || region.ops[0].code != ir::OpCode::compare) return std::nullopt;
  const ir::Op& op = region.ops[0];
  if (op.operands != region.arguments || region.results != op.results) return std::nullopt;
  switch (op.get<ir::CompareAttributes>().direction) {
    case ir::Direction::ge:
      return kernels::SelectKind::ge;
    case ir::Direction::gt:
      return kernels::SelectKind::gt;
    case ir::Direction::le:
      return kernels::SelectKind::le;
    case ir::Direction::lt:
      return kernels::SelectKind::lt;
    default:
      return std::nullopt;
  }
}

}  // namespace

// Operands: operand, source, init.
void lower_select_and_scatter(Planner& planner, const ir::Op& op) {
  const std::optional<kernels::SelectKind> select = select_kind(op.regions[0]);
  const std::optional<kernels::ReduceKind> scatter = fold_kind(op.regions[1]);
  const DType dtype = planner.type(op.operands[0]).dtype;
  const bool one_type = planner.type(op.results[0]).dtype == dtype;
  if (!one_type || !select || !scatter || is_complex(dtype) ||
      !kernels::Reduction::supports(*scatter, dtype)) {
    return lower_general_select_and_scatter(planner, op);
  }
  const ir::Type& type = planner.type(op.operands[0]);
  const auto& attributes = op.get<ir::WindowAttributes>();
  const auto axes = ir::window_axes(attributes);
  const PlaceId operand = planner.dense(op.operands[0]);
  const PlaceId source = planner.dense(op.operands[1]);
  const PlaceId init = planner.dense(op.operands[2]);
  const PlaceId output = planner.define(op.results[0]);
  if (type.shape.elements() == 0) {
    return planner.emit({.name = op_text(planner, op), .writes = {output}}, [](const Frame&) {});
  }
  planner.emit(
      {.name = op_text(planner, op),
       .reads = {operand, source, init},
       .writes = {output},
       .flops = static_cast<double>(planner.type(op.operands[1]).shape.elements()) *
                window_size(attributes)},
      [=, dims = type.shape.to_vector(), select = *select, scatter = *scatter](const Frame& frame) {
        kernels::select_and_scatter(select, scatter, dtype, dims, axes, frame.at(operand),
                                    frame.at(source), frame.at(init), frame.at(output),
                                    frame.pool());
      });
}

}  // namespace cpu
}  // namespace systolic::inline v0
