#include "backends/cpu/lower/patterns/normalize_gradient.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/reduce/normalize_gradient_rows.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/lower/patterns/rows_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

struct GradientPlaces {
  PlaceId gradient, scale, centered, inverse, added, dx, scale_sums, offset_sums;
};

// The operands of blocks of `rows` rows each, from row `begin` on; no_place is null.
kernels::NormalizeGradientOperands gradient_operands(const Frame& frame,
                                                     const GradientPlaces& places, int64_t begin,
                                                     int64_t rows, int64_t columns) {
  const auto at = [&](PlaceId place, int64_t width) {
    return place == no_place ? nullptr : frame.at<float>(place) + begin * width;
  };
  return {.gradient = at(places.gradient, rows * columns),
          .scale = at(places.scale, 0),
          .centered = at(places.centered, rows * columns),
          .inverse = at(places.inverse, rows),
          .added = at(places.added, rows * columns),
          .dx = at(places.dx, rows * columns),
          .scale_sums = at(places.scale_sums, columns),
          .offset_sums = at(places.offset_sums, columns)};
}

// Sums of columns of the sums of blocks, for all that come later: the chain of steps that works on
// the rows may go on meanwhile.
void emit_total(Planner& planner, PlaceId sums, int64_t blocks, int64_t columns,
                ir::ValueId result) {
  if (result == ir::no_value) return;
  const int64_t dims[] = {blocks, columns}, axes[] = {0};
  const kernels::Reduction total(kernels::ReduceKind::sum, DType::f32, dims, axes);
  const PlaceId output = planner.define(result);
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(total.scratch_bytes()));
  planner.let_chain_grow(true);
  planner.emit({.name = str("sums of columns of f32[", blocks, ",", columns, "]"),
                .reads = {sums},
                .writes = {output},
                .scratch = {scratch},
                .flops = static_cast<double>(blocks * columns)},
               [=](const Frame& frame) {
                 total.run(frame.at(sums), frame.at(output), frame.at(scratch), frame.pool());
               });
  planner.let_chain_grow(false);
}

}  // namespace

void lower_normalization_gradient(Planner& planner, const Group&, const NormalizationGradient& n) {
  const ir::Type& type = planner.type(n.result);
  const int64_t columns = type.shape[-1];
  const int64_t rows = std::max<int64_t>(1, n.rows_of_a_sum);
  const int64_t blocks = type.shape.elements() / columns / rows;
  StepNote note{.name = "normalization gradient " + ir::to_string(type),
                .flops = static_cast<double>(type.shape.elements() * 12)};
  const auto read = [&](ir::ValueId value, int64_t pieces) {
    if (value == ir::no_value) return no_place;
    note.reads.push_back(planner.dense(value));
    note.parts.read_pieces.push_back(pieces);
    return note.reads.back();
  };
  const auto write = [&](PlaceId place) {
    note.writes.push_back(place);
    note.parts.written_pieces.push_back(blocks);
    return place;
  };
  const auto write_sums = [&](ir::ValueId result) {
    const int64_t bytes = blocks * columns * int64_t{sizeof(float)};
    return result == ir::no_value ? no_place : write(planner.temporary(bytes));
  };
  GradientPlaces places{};
  places.gradient = read(n.gradient, blocks);
  places.scale = read(n.scale, 1);
  places.centered = read(n.centered, blocks);
  places.inverse = read(n.inverse, blocks);
  places.added = read(n.others, blocks);
  places.dx = write(planner.define(n.result));
  places.scale_sums = write_sums(n.scale_sums);
  places.offset_sums = write_sums(n.offset_sums);
  const MemoryLayout& memory = planner.memory();
  const bool reads_gradient_again = std::any_of(
      note.reads.begin() + 1, note.reads.end(),
      [&](PlaceId place) { return memory.root(place) == memory.root(places.gradient); });
  if (!reads_gradient_again) note.in_place = {{places.dx, places.gradient}};
  const kernels::NormalizeGradientOptions options{
      .columns = columns, .mean_factor = n.mean_factor, .variance_factor = n.variance_factor};
  const auto run = [=](const Frame& frame, int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      kernels::normalize_gradient_rows_f32(options, rows,
                                           gradient_operands(frame, places, block, rows, columns));
    }
  };
  emit_rows(planner, std::move(note), blocks, rows * columns, run);
  emit_total(planner, places.scale_sums, blocks, columns, n.scale_sums);
  emit_total(planner, places.offset_sums, blocks, columns, n.offset_sums);
}

}  // namespace cpu
}  // namespace systolic::inline v0
