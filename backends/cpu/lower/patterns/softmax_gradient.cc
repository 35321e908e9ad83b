#include "backends/cpu/lower/patterns/softmax_gradient.h"

#include <utility>

#include "backends/cpu/kernels/reduce/softmax_gradient_rows.h"
#include "backends/cpu/lower/patterns/rows_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_softmax_gradient(Planner& planner, const Group&, const SoftmaxGradient& softmax) {
  const ir::Type& type = planner.type(softmax.result);
  const int64_t columns = type.shape[-1], rows = type.shape.elements() / columns;
  const bool divided = softmax.reads_shares;
  const PlaceId gradient = planner.dense(softmax.gradient);
  const PlaceId shares = planner.dense(divided ? softmax.shares : softmax.exponentials);
  const PlaceId sums = divided ? no_place : planner.dense(softmax.sums);
  const PlaceId dx = planner.define(softmax.result);
  StepNote note{.name = str("softmax gradient ", ir::to_string(type)),
                .reads = {gradient, shares},
                .writes = {dx},
                .flops = static_cast<double>(type.shape.elements() * 6)};
  if (!divided) note.reads.push_back(sums);
  note.parts.read_pieces.assign(note.reads.size(), rows);
  note.parts.written_pieces = {rows};
  note.in_place = {{dx, gradient}};  // which is not the shares' own array: see the pattern
  const auto run = [=](const Frame& frame, int64_t begin, int64_t end) {
    const auto row = [&](PlaceId place) { return frame.at<float>(place) + begin * columns; };
    const float* row_sums = divided ? nullptr : frame.at<const float>(sums) + begin;
    kernels::softmax_gradient_rows_f32(
        end - begin, columns,
        {.gradient = row(gradient), .exponentials = row(shares), .sums = row_sums, .dx = row(dx)});
  };
  emit_rows(planner, std::move(note), rows, columns, run);
}

}  // namespace cpu
}  // namespace systolic::inline v0
