// concatenate, dynamic_slice, dynamic_update_slice, pad.
#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/movement/scalar.h"
#include "backends/cpu/plan/array_alignment.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

// Each operand goes to its part of the result, from wherever its elements lie.
void lower_concatenate(Planner& planner, const ir::Op& op) {
  const auto axis = static_cast<int>(op.get<ir::ConcatenateAttributes>().dimension);
  const ir::Type& type = planner.type(op.results[0]);
  const int width = byte_width(type.dtype);
  const std::vector<int64_t> target = type.shape.strides();
  struct Part {
    View view;
    int64_t offset;
  };
  std::vector<Part> parts;
  StepNote note{.name = op_text(planner, op)};
  int64_t at = 0;
  for (ir::ValueId operand : op.operands) {
    const View& view = planner.view(operand);
    parts.push_back({view, at * target[static_cast<size_t>(axis)]});
    note.reads.push_back(view.place);
    at += view.type.shape[axis];
  }
  const PlaceId result = planner.define(op.results[0]);
  note.writes = {result};
  planner.emit(std::move(note), [=](const Frame& frame) {
    for (const Part& part : parts) {
      if (part.view.type.shape.elements() == 0) continue;
      kernels::copy_strided(width, part.view.type.shape.dims(),
                            frame.at(part.view.place) + part.view.offset * width, part.view.strides,
                            frame.at(result) + part.offset * width, target, frame.pool());
    }
  });
}

namespace {

// Start indices that are read while running and clamped so that the slice lies inside.
struct Starts {
  std::vector<PlaceId> places;
  std::vector<int64_t> limits;  // the largest valid start along each axis
  DType dtype = DType::i32;

  int64_t read(const Frame& frame, size_t axis) const {
    const int64_t start = read_integer(dtype, frame.at(places[axis]));
    return std::clamp<int64_t>(start, 0, limits[axis]);
  }
};

Starts make_starts(Planner& planner, const ir::Op& op, size_t first, const Shape& whole,
                   const Shape& part) {
  Starts starts;
  for (size_t i = first; i < op.operands.size(); ++i) {
    const auto axis = static_cast<int>(i - first);
    starts.dtype = planner.type(op.operands[i]).dtype;
    starts.places.push_back(planner.dense(op.operands[i]));
    starts.limits.push_back(whole[axis] - part[axis]);
  }
  return starts;
}

// Whether a slice's elements lie side by side, wherever it starts, on a boundary as arrays do.
bool slices_are_arrays(const View& operand, const ir::Type& slice) {
  if (!operand.is_dense() || operand.offset != 0) return false;
  const std::vector<int64_t> strides = slice.shape.strides();
  int64_t step = 1;  // elements between possible starts
  bool whole = true;
  for (int axis = slice.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = operand.type.shape[axis], part = slice.shape[axis];
    if (whole) {
      step = strides[static_cast<size_t>(axis)];
    } else if (part != 1) {
      return false;
    }
    whole = whole && part == size;
  }
  return step * byte_width(slice.dtype) % array_alignment == 0;
}

// Whether each row of a view lies within one row of the argument that it shows: a reshaped one's
// may begin in one and end in another, and an argument's rows need not lie side by side.
bool rows_lie_within_rows(Planner& planner, const View& view) {
  const int64_t row_bytes = view.type.bytes() / view.type.shape[0];
  for (ir::ValueId argument : planner.function().body.arguments) {
    if (planner.view(argument).place != view.place) continue;
    const ir::Type& type = planner.type(argument);
    return type.bytes() / type.shape[0] % row_bytes == 0;
  }
  return false;
}

// The slice of an array that nobody writes to is found, not copied.
void lower_moving_slice(Planner& planner, const ir::Op& op, const View& operand,
                        const Starts& starts) {
  const ir::Type& type = planner.type(op.results[0]);
  const PlaceId result = planner.memory().moving(type.bytes());
  planner.define(op.results[0], dense_view(result, type));
  StepNote note{.name = op_text(planner, op) + " in place", .reads = starts.places};
  if (type.shape[0] == 1 && rows_lie_within_rows(planner, operand)) {
    planner.take_row(operand.place);
  } else {
    planner.memory().read(operand.place, planner.memory().position());  // rows side by side
  }
  planner.emit(std::move(note), [=, place = operand.place, width = byte_width(type.dtype),
                                 strides = operand.type.shape.strides()](const Frame& frame) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      offset += starts.read(frame, axis) * strides[axis];
    }
    frame.move(result, frame.row_at(place, offset * width));
  });
}

}  // namespace

void lower_dynamic_slice(Planner& planner, const ir::Op& op) {
  const View operand = planner.view(op.operands[0]);
  const ir::Type& type = planner.type(op.results[0]);
  const Starts starts = make_starts(planner, op, 1, operand.type.shape, type.shape);
  const bool kept = planner.memory().is_kept(operand.place);
  if (kept && type.shape.elements() > 0 && slices_are_arrays(operand, type)) {
    return lower_moving_slice(planner, op, operand, starts);
  }
  const PlaceId result = planner.define(op.results[0]);
  const int width = byte_width(type.dtype);
  StepNote note{.name = op_text(planner, op), .reads = starts.places, .writes = {result}};
  note.reads.push_back(operand.place);
  if (type.shape.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  planner.emit(std::move(note), [=, dims = type.shape.to_vector(),
                                 strides = type.shape.strides()](const Frame& frame) {
    int64_t offset = operand.offset;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      offset += starts.read(frame, axis) * operand.strides[axis];
    }
    kernels::copy_strided(width, dims, frame.at(operand.place) + offset * width, operand.strides,
                          frame.at(result), strides, frame.pool());
  });
}

void lower_dynamic_update_slice(Planner& planner, const ir::Op& op) {
  const ir::Type& type = planner.type(op.results[0]);
  const PlaceId operand = planner.dense(op.operands[0]);
  const View update = planner.view(op.operands[1]);
  const Starts starts = make_starts(planner, op, 2, type.shape, update.type.shape);
  const PlaceId result = planner.define(op.results[0]);
  const int width = byte_width(type.dtype);
  StepNote note{.name = op_text(planner, op), .reads = starts.places, .writes = {result}};
  note.reads.insert(note.reads.end(), {operand, update.place});
  const PlaceId operand_root = planner.memory().root(operand);
  if (operand_root != planner.memory().root(update.place)) note.in_place = {{result, operand}};
  planner.emit(std::move(note), [=, bytes = type.bytes(),
                                 strides = type.shape.strides()](const Frame& frame) {
    if (frame.at(operand) != frame.at(result)) {
      kernels::copy_bytes(frame.at(operand), frame.at(result), bytes, frame.pool());
    }
    if (update.type.shape.elements() == 0) return;
    int64_t offset = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      offset += starts.read(frame, axis) * strides[axis];
    }
    kernels::copy_strided(width, update.type.shape.dims(),
                          frame.at(update.place) + update.offset * width, update.strides,
                          frame.at(result) + offset * width, strides, frame.pool());
  });
}

void lower_pad(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::PadAttributes>();
  const ir::Type& type = planner.type(op.results[0]);
  const PlaceId operand = planner.dense(op.operands[0]);
  const PlaceId value = planner.dense(op.operands[1]);
  const PlaceId result = planner.define(op.results[0]);
  const int width = byte_width(type.dtype);
  StepNote note{.name = op_text(planner, op), .reads = {operand, value}, .writes = {result}};
  if (type.shape.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  const Shape& from = planner.type(op.operands[0]).shape;
  if (from.elements() == 0) {
    return planner.emit(std::move(note), [=, count = type.shape.elements()](const Frame& frame) {
      kernels::fill(width, frame.at(value), frame.at(result), count, frame.pool());
    });
  }
  planner.emit(std::move(note), [=, dims = from.to_vector()](const Frame& frame) {
    kernels::pad(width, dims, attributes.edge_padding_low, attributes.edge_padding_high,
                 attributes.interior_padding, frame.at(operand), frame.at(value), frame.at(result),
                 frame.pool());
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
