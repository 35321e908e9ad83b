#include "backends/cpu/lower/folds/general_scatter.h"

#include "backends/cpu/fuse/row_pick.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/lower/regions/scalar_region.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// One of the arrays that are scattered into.
struct Target {
  PlaceId operand, updates, result;
  int width;
  int64_t bytes;
};

}  // namespace

void lower_general_scatter(Planner& planner, const ir::Op& op) {
  const size_t count = op.results.size();
  const kernels::GatherGeometry geometry = scatter_geometry(planner, op);
  const PlaceId indices = planner.dense(op.operands[count]);
  const DType index_dtype = planner.type(op.operands[count]).dtype;
  StepNote note{.name = op_text(planner, op), .reads = {indices}};
  std::vector<Target> targets;
  for (size_t i = 0; i < count; ++i) {
    const ir::Type& type = planner.type(op.results[i]);
    targets.push_back({planner.dense(op.operands[i]), planner.dense(op.operands[count + 1 + i]),
                       planner.define(op.results[i]), byte_width(type.dtype), type.bytes()});
    note.reads.insert(note.reads.end(), {targets[i].operand, targets[i].updates});
    note.writes.push_back(targets[i].result);
  }
  const ScalarRegion region(planner, op, op.regions[0], note.writes);
  region.note_reads(note);
  const Shape updates = planner.type(op.operands[count + 1]).shape;
  note.flops = static_cast<double>(updates.elements());
  planner.emit(std::move(note), [=](const Frame& frame) {
    for (const Target& target : targets) {
      kernels::copy_bytes(frame.at(target.operand), frame.at(target.result), target.bytes,
                          frame.pool());
    }
    if (updates.elements() == 0) return;
    std::vector<int64_t> index(updates.dims().size(), 0);
    std::vector<const void*> arguments(2 * count);
    std::vector<void*> results(count);
    int64_t position = 0;
    do {
      const int64_t to = kernels::scatter_target(geometry, index_dtype, frame.at(indices), index);
      for (size_t i = 0; i < count && to >= 0; ++i) {
        const Target& target = targets[i];
        arguments[i] = results[i] = frame.at(target.result) + to * target.width;
        arguments[count + i] = frame.at(target.updates) + position * target.width;
      }
      if (to >= 0) region.run(frame, arguments, results);
      ++position;
    } while (next_index(updates, index));
  });
}

namespace {

// Offset of the element under `in_window` of the window at `at`; -1 in the padding and in holes.
int64_t window_element(const std::vector<WindowAxis>& axes, const Shape& shape,
                       const std::vector<int64_t>& at, const std::vector<int64_t>& in_window) {
  int64_t offset = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t size = shape[static_cast<int>(i)];
    const int64_t element = axes[i].element_at(at[i], in_window[i], size);
    if (element < 0) return -1;
    offset = offset * size + element;
  }
  return offset;
}

}  // namespace

void lower_general_select_and_scatter(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::WindowAttributes>();
  const ir::Type& type = planner.type(op.operands[0]);
  const PlaceId operand = planner.dense(op.operands[0]);
  const PlaceId source = planner.dense(op.operands[1]);
  const PlaceId init = planner.dense(op.operands[2]);
  const PlaceId output = planner.define(op.results[0]);
  StepNote note{.name = op_text(planner, op), .reads = {operand, source, init}, .writes = {output}};
  const ScalarRegion select(planner, op, op.regions[0], note.writes);
  const ScalarRegion scatter(planner, op, op.regions[1], note.writes);
  select.note_reads(note);
  scatter.note_reads(note);
  const Shape shape = type.shape, windows = planner.type(op.operands[1]).shape;
  const Shape window(attributes.window_dimensions);
  note.flops = static_cast<double>(windows.elements()) * static_cast<double>(window.elements());
  const int width = byte_width(type.dtype);
  const int sum_width = byte_width(planner.type(op.results[0]).dtype);  // source and init alike
  planner.emit(std::move(note), [=, axes = ir::window_axes(attributes)](const Frame& frame) {
    kernels::fill(sum_width, frame.at(init), frame.at(output), shape.elements(), frame.pool());
    if (windows.elements() == 0 || window.elements() == 0) return;
    const auto element = [&](int64_t i) { return frame.at(operand) + i * width; };
    std::vector<int64_t> at(windows.dims().size(), 0);
    int64_t position = 0;
    do {
      int64_t chosen = -1;
      std::vector<int64_t> in_window(at.size(), 0);
      do {
        const int64_t candidate = window_element(axes, shape, at, in_window);
        if (candidate < 0) continue;
        bool keeps = false;
        if (chosen >= 0) {
          const void* pair[] = {element(chosen), element(candidate)};
          void* answer[] = {&keeps};
          select.run(frame, pair, answer);
        }
        if (!keeps) chosen = candidate;
      } while (next_index(window, in_window));
      if (chosen >= 0) {
        void* sum[] = {frame.at(output) + chosen * sum_width};
        const void* terms[] = {sum[0], frame.at(source) + position * sum_width};
        scatter.run(frame, terms, sum);
      }
      ++position;
    } while (next_index(windows, at));
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
