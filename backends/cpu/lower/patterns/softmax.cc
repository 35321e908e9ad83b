#include "backends/cpu/lower/patterns/softmax.h"

#include <utility>

#include "backends/cpu/kernels/reduce/softmax_rows.h"
#include "backends/cpu/lower/patterns/rows_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_softmax(Planner& planner, const Group&, const Softmax& softmax) {
  const bool divides = softmax.divide != nullptr;
  const ir::Type& type = planner.type(softmax.exponential->results[0]);
  const int64_t columns = type.shape[-1], rows = type.shape.elements() / columns;
  const PlaceId x = planner.dense(softmax.largest->operands[0]);
  const PlaceId y = planner.define((divides ? softmax.divide : softmax.exponential)->results[0]);
  const PlaceId sums = divides ? no_place : planner.define(softmax.sum->results[0]);
  StepNote note{.name = str(divides ? "softmax " : "exponentials and sums ", ir::to_string(type)),
                .reads = {x},
                .writes = {y},
                .in_place = {{y, x}},
                .flops = static_cast<double>(type.shape.elements() * (divides ? 5 : 4))};
  note.parts.read_pieces = note.parts.written_pieces = {rows};
  const PlaceId reciprocals = divides ? no_place : planner.temporary(rows * int64_t{sizeof(float)});
  if (!divides) {
    // No exponential of a row is above 1, and one is 1: the sum lies between 1 and the row's
    // length, or is NaN, and its reciprocal is a normal number.
    planner.define_reciprocals(sums, reciprocals);
    note.writes.insert(note.writes.end(), {sums, reciprocals});
    note.parts.written_pieces.insert(note.parts.written_pieces.end(), {rows, rows});
  }
  const auto run = [=](const Frame& frame, int64_t begin, int64_t end) {
    kernels::softmax_rows_f32(frame.at<const float>(x) + begin * columns, end - begin, columns,
                              frame.at<float>(y) + begin * columns,
                              divides ? nullptr : frame.at<float>(sums) + begin);
    if (divides) return;
    for (int64_t row = begin; row < end; ++row) {
      frame.at<float>(reciprocals)[row] = 1 / frame.at<float>(sums)[row];
    }
  };
  emit_rows(planner, std::move(note), rows, columns, run);
}

}  // namespace cpu
}  // namespace systolic::inline v0
