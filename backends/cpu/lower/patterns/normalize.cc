#include "backends/cpu/lower/patterns/normalize.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/reduce/normalize_rows.h"
#include "backends/cpu/lower/patterns/rows_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

struct NormalizedPlaces {
  PlaceId x, scale, offset, centered, inverse, normalized, y;
};

// Rows [begin, end); no_place is null.
kernels::NormalizeRowsOperands operands_at(const Frame& frame, const NormalizedPlaces& places,
                                           int64_t begin, int64_t columns) {
  const auto rows = [&](PlaceId place, int64_t width) {
    return place == no_place ? nullptr : frame.at<float>(place) + begin * width;
  };
  return {.x = rows(places.x, columns),
          .scale = rows(places.scale, 0),
          .offset = rows(places.offset, 0),
          .centered = rows(places.centered, columns),
          .inverse = rows(places.inverse, 1),
          .normalized = rows(places.normalized, columns),
          .y = rows(places.y, columns)};
}

// By others than the group's own ops.
bool is_read_outside(const Planner& planner, const Group& group, ir::ValueId value) {
  if (value == ir::no_value) return false;
  int inside = 0;
  for (const ir::Op* op : group.ops) {
    inside += static_cast<int>(std::count(op->operands.begin(), op->operands.end(), value));
  }
  return planner.uses(value) > inside;
}

}  // namespace

void lower_normalization(Planner& planner, const Group& group, const Normalization& n) {
  const ir::Type& type = planner.type(n.x);
  const int64_t columns = type.shape[-1], rows = type.shape.elements() / columns;
  StepNote note{.name = "normalize " + ir::to_string(type),
                .flops = static_cast<double>(type.shape.elements() * 8)};
  const auto read = [&](ir::ValueId value, int64_t pieces) {
    if (value == ir::no_value) return no_place;
    note.reads.push_back(planner.dense(value));
    note.parts.read_pieces.push_back(pieces);
    return note.reads.back();
  };
  const auto write = [&](ir::ValueId value) {
    if (value == ir::no_value) return no_place;
    note.writes.push_back(planner.define(value));
    note.parts.written_pieces.push_back(rows);
    return note.writes.back();
  };
  NormalizedPlaces places{};
  places.x = read(n.x, rows);
  places.scale = read(n.scale, 1);
  places.offset = read(n.offset, 1);
  places.y = write(n.result);
  places.centered = write(n.centered);
  const bool stored = is_read_outside(planner, group, n.normalized);
  places.normalized = write(stored ? n.normalized : ir::no_value);
  places.inverse = write(n.inverse);
  const MemoryLayout& memory = planner.memory();
  const bool reads_x_apart =
      std::any_of(note.reads.begin() + 1, note.reads.end(),
                  [&](PlaceId place) { return memory.root(place) == memory.root(places.x); });
  const PlaceId over_x = places.y == no_place ? places.centered : places.y;
  if (!reads_x_apart) note.in_place = {{over_x, places.x}};
  const kernels::NormalizeRowsOptions options{.columns = columns,
                                              .mean_factor = n.mean_factor,
                                              .variance_factor = n.variance_factor,
                                              .epsilon = n.epsilon};
  const auto run = [=](const Frame& frame, int64_t begin, int64_t end) {
    kernels::normalize_rows_f32(options, end - begin, operands_at(frame, places, begin, columns));
  };
  emit_rows(planner, std::move(note), rows, columns, run);
}

}  // namespace cpu
}  // namespace systolic::inline v0
