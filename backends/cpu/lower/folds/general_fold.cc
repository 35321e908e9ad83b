#include "backends/cpu/lower/folds/general_fold.h"

#include <algorithm>
#include <array>

#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/lower/regions/region_program.h"
#include "backends/cpu/lower/regions/scalar_region.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr size_t most_arrays = 16;

// One array that is folded: where it is read, where its accumulator lies.
struct Folded {
  View input;
  PlaceId init, output;
  int width;
};

std::vector<Folded> folded_arrays(Planner& planner, const ir::Op& op, StepNote& note) {
  const size_t count = op.results.size();
  if (count > most_arrays) {
    raise<Unimplemented>({.what = str(ir::info(op.code).name, " of ", count, " arrays"),
                          .wanted = str("at most ", most_arrays),
                          .location = op.location});
  }
  std::vector<Folded> arrays;
  for (size_t i = 0; i < count; ++i) {
    const View input = planner.view(op.operands[i]);
    const PlaceId init = planner.dense(op.operands[count + i]);
    const PlaceId output = planner.define(op.results[i]);
    note.reads.insert(note.reads.end(), {input.place, init});
    note.writes.push_back(output);
    arrays.push_back({input, init, output, byte_width(input.type.dtype)});
  }
  return arrays;
}

// Runs the region once: accumulators with the inputs at `offset` elements (one an array).
void fold_once(const kernels::TileProgram& program, const std::vector<Folded>& arrays,
               std::span<const int64_t> offsets, const Frame& frame) {
  std::array<const void*, 2 * most_arrays> inputs;
  std::array<void*, most_arrays> outputs;
  const size_t count = arrays.size();
  for (size_t i = 0; i < count; ++i) {
    inputs[i] = outputs[i] = frame.at(arrays[i].output);
    inputs[count + i] = frame.at(arrays[i].input.place) + offsets[i] * arrays[i].width;
  }
  program.run(std::span(inputs.data(), 2 * count), std::span(outputs.data(), count), frame.pool());
}

void fill_accumulators(const std::vector<Folded>& arrays, int64_t elements, const Frame& frame) {
  for (const Folded& array : arrays) {
    kernels::fill(array.width, frame.at(array.init), frame.at(array.output), elements,
                  frame.pool());
  }
}

// The region's inputs: accumulators lie dense; arrays are read with the strides that `kept` picks.
std::vector<RegionInput> region_inputs(const std::vector<Folded>& arrays, const Shape& kept_shape,
                                       const std::vector<std::vector<int64_t>>& strides) {
  std::vector<RegionInput> inputs;
  for (const Folded& array : arrays) {
    inputs.push_back({array.input.type.dtype, kept_shape.strides()});
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    inputs.push_back({arrays[i].input.type.dtype, strides[i]});
  }
  return inputs;
}

// Element after element, by a region that no tile program can do.
void lower_reduce_by_elements(Planner& planner, const ir::Op& op) {
  const ir::Axes& axes = op.get<ir::AxesAttributes>().axes;
  StepNote note{.name = op_text(planner, op)};
  const std::vector<Folded> arrays = folded_arrays(planner, op, note);
  const ScalarRegion region(planner, op, op.regions[0], note.writes);
  region.note_reads(note);
  const Shape input = planner.type(op.operands[0]).shape;
  const Shape kept = planner.type(op.results[0]).shape;
  // How far the accumulator moves with each axis of the input.
  std::vector<int64_t> steps(static_cast<size_t>(input.rank()), 0);
  const std::vector<int64_t> kept_strides = kept.strides();
  for (size_t axis = 0, next = 0; axis < steps.size(); ++axis) {
    if (!has_axis(axes, static_cast<int64_t>(axis))) steps[axis] = kept_strides[next++];
  }
  note.flops = static_cast<double>(input.elements()) * static_cast<double>(arrays.size());
  planner.emit(std::move(note), [=](const Frame& frame) {
    fill_accumulators(arrays, kept.elements(), frame);
    if (input.elements() == 0) return;
    const size_t count = arrays.size();
    std::vector<int64_t> index(steps.size(), 0);
    std::vector<const void*> arguments(2 * count);
    std::vector<void*> results(count);
    do {
      int64_t to = 0;
      for (size_t axis = 0; axis < index.size(); ++axis) to += index[axis] * steps[axis];
      for (size_t i = 0; i < count; ++i) {
        const Folded& array = arrays[i];
        int64_t from = array.input.offset;
        for (size_t axis = 0; axis < index.size(); ++axis) {
          from += index[axis] * array.input.strides[axis];
        }
        arguments[i] = results[i] = frame.at(array.output) + to * array.width;
        arguments[count + i] = frame.at(array.input.place) + from * array.width;
      }
      region.run(frame, arguments, results);
    } while (next_index(input, index));
  });
}

}  // namespace

void lower_general_reduce(Planner& planner, const ir::Op& op) {
  if (!TileCompiler::supports_region(planner, op.regions[0])) {
    return lower_reduce_by_elements(planner, op);
  }
  const ir::Axes& axes = op.get<ir::AxesAttributes>().axes;
  StepNote note{.name = op_text(planner, op)};
  const std::vector<Folded> arrays = folded_arrays(planner, op, note);
  const Shape input = planner.type(op.operands[0]).shape;
  const Shape kept = planner.type(op.results[0]).shape;
  std::vector<std::vector<int64_t>> kept_strides(arrays.size()), folded_strides(arrays.size());
  std::vector<int64_t> folded_dims;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const bool folded = has_axis(axes, axis);
    if (folded) folded_dims.push_back(input[axis]);
    for (size_t i = 0; i < arrays.size(); ++i) {
      (folded ? folded_strides : kept_strides)[i].push_back(
          arrays[i].input.strides[static_cast<size_t>(axis)]);
    }
  }
  const Shape folded_shape(folded_dims);
  note.flops = static_cast<double>(input.elements()) * static_cast<double>(arrays.size());
  const int64_t elements = kept.elements();
  if (elements == 0) return planner.emit(std::move(note), [](const Frame&) {});
  const auto program =
      compile_region(planner, op, op.regions[0], kept, region_inputs(arrays, kept, kept_strides));
  planner.emit(std::move(note), [=](const Frame& frame) {
    fill_accumulators(arrays, elements, frame);
    if (folded_shape.elements() == 0) return;
    std::vector<int64_t> index(folded_shape.dims().size(), 0);
    std::array<int64_t, most_arrays> offsets{};
    do {
      for (size_t i = 0; i < arrays.size(); ++i) {
        offsets[i] = arrays[i].input.offset;
        for (size_t k = 0; k < index.size(); ++k) offsets[i] += index[k] * folded_strides[i][k];
      }
      fold_once(program, arrays, std::span(offsets.data(), arrays.size()), frame);
    } while (next_index(folded_shape, index));
  });
}

// Each output position alone: exact, and slow; the usual windows have kernels of their own.
void lower_general_reduce_window(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::WindowAttributes>();
  StepNote note{.name = op_text(planner, op)};
  const std::vector<Folded> arrays = folded_arrays(planner, op, note);
  const Shape input = planner.type(op.operands[0]).shape;
  const Shape output = planner.type(op.results[0]).shape;
  const Shape window(attributes.window_dimensions);
  note.flops = static_cast<double>(output.elements()) * static_cast<double>(window.elements());
  const ScalarRegion region(planner, op, op.regions[0], note.writes);
  region.note_reads(note);
  planner.emit(std::move(note), [=, axes = ir::window_axes(attributes)](const Frame& frame) {
    fill_accumulators(arrays, output.elements(), frame);
    if (output.elements() == 0 || window.elements() == 0) return;
    std::vector<int64_t> at(output.dims().size(), 0);
    int64_t element = 0;
    do {
      std::vector<int64_t> in_window(at.size(), 0);
      do {
        std::array<const void*, 2 * most_arrays> inputs;
        std::array<void*, most_arrays> outputs;
        bool inside = true;
        for (size_t i = 0; i < arrays.size() && inside; ++i) {
          int64_t offset = arrays[i].input.offset;
          for (size_t axis = 0; axis < at.size() && inside; ++axis) {
            const int64_t index =
                axes[axis].element_at(at[axis], in_window[axis], input[static_cast<int>(axis)]);
            inside = index >= 0;
            offset += index * arrays[i].input.strides[axis];
          }
          inputs[i] = outputs[i] = frame.at(arrays[i].output) + element * arrays[i].width;
          inputs[arrays.size() + i] = frame.at(arrays[i].input.place) + offset * arrays[i].width;
        }
        // The padding holds the initial value.
        for (size_t i = 0; i < arrays.size() && !inside; ++i) {
          inputs[i] = outputs[i] = frame.at(arrays[i].output) + element * arrays[i].width;
          inputs[arrays.size() + i] = frame.at(arrays[i].init);
        }
        region.run(frame, std::span(inputs.data(), 2 * arrays.size()),
                   std::span(outputs.data(), arrays.size()));
      } while (next_index(window, in_window));
      ++element;
    } while (next_index(output, at));
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
