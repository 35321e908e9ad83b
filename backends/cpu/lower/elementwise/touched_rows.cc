#include "backends/cpu/lower/elementwise/touched_rows.h"

#include <algorithm>
#include <array>

#include "backends/cpu/fuse/untouched_rows.h"
#include "backends/cpu/kernels/movement/row_sums.h"

namespace systolic::inline v0 {
namespace cpu {

std::optional<TouchedRows> TouchedRows::of(Planner& planner, std::span<const ir::Op* const> ops,
                                           std::span<const ir::ValueId> results) {
  const std::optional<UntouchedRows> found = untouched_rows(planner, ops, results);
  if (!found) return std::nullopt;
  const Shape& table = planner.type(found->sums).shape;
  TouchedRows touched;
  touched.lists_ = planner.held_as<RowSums>(found->sums)->lists.place;
  touched.rows_ = table[0];
  touched.width_ = table.elements() / table[0];
  touched.element_bytes_ = byte_width(planner.type(found->sums).dtype);
  for (const auto& [result, operand] : found->unchanged) {
    const View& view = planner.view(operand);
    const bool as_it_lies = view.is_dense() && view.offset == 0 && view.type.shape == table &&
                            view.type.dtype == planner.type(result).dtype;
    if (!as_it_lies) return std::nullopt;
    touched.same_.emplace_back(planner.view(result).place, view.place);
  }
  return touched;
}

bool TouchedRows::are_all(const Frame& frame) const {
  return std::all_of(same_.begin(), same_.end(), [&](const auto& pair) {
    return frame.at(pair.first) == frame.at(pair.second);
  });
}

// The rows lie far apart: their memory is asked for before the first of them is computed.
void TouchedRows::fetch(const Frame& frame, int64_t element) const {
  constexpr int64_t line = 64;
  for (const auto& [result, operand] : same_) {
    const char* row = frame.at<const char>(result) + element * element_bytes_;
    for (int64_t at = 0; at < std::min<int64_t>(width_ * element_bytes_, 4 * line); at += line) {
      __builtin_prefetch(row + at, 1);
    }
  }
}

void TouchedRows::visit_rows(const Frame& frame, int64_t begin, int64_t end,
                             FunctionRef<void(Ranges)> run) const {
  std::array<kernels::TileProgram::Range, 64> ranges;
  size_t count = 0;
  const auto* lists = frame.at<const int32_t>(lists_);
  for (int64_t from = kernels::next_updated_row(lists, begin, end); from < end;
       from = kernels::next_updated_row(lists, from, end)) {
    int64_t row = from + 1;
    while (row < end && kernels::has_updates(lists, row)) ++row;
    fetch(frame, from * width_);
    ranges[count++] = {from * width_, row * width_};
    from = row;
    if (count < ranges.size()) continue;
    run(ranges);
    count = 0;
  }
  run(Ranges(ranges.data(), count));
}

void TouchedRows::visit(const Frame& frame, FunctionRef<void(Ranges)> run) const {
  frame.pool().parallel_for(
      rows_, 4096, [&](int64_t begin, int64_t end) { visit_rows(frame, begin, end, run); });
}

}  // namespace cpu
}  // namespace systolic::inline v0
