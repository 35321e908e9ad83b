#include "backends/cpu/lower/elementwise/cluster_note.h"

#include <unordered_map>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

std::vector<ir::ValueId> results_of(const Planner& planner, std::span<const ir::Op* const> ops) {
  std::unordered_map<ir::ValueId, int> inside;
  for (const ir::Op* op : ops) {
    for (ir::ValueId operand : op->operands) ++inside[operand];
  }
  std::vector<ir::ValueId> results;
  for (const ir::Op* op : ops) {
    if (planner.uses(op->results[0]) > inside[op->results[0]]) results.push_back(op->results[0]);
  }
  return results;
}

std::vector<PlaceId> places_of(std::span<const View> views) {
  std::vector<PlaceId> places;
  for (const View& view : views) places.push_back(view.place);
  return places;
}

std::string cluster_text(const Planner& planner, std::span<const ir::Op* const> ops) {
  std::string text = "fused(";
  for (size_t i = 0; i < ops.size() && i < 8; ++i) {
    if (i > 0) text += ' ';
    text += ir::info(ops[i]->code).name;
  }
  if (ops.size() > 8) text += str(" and ", ops.size() - 8, " more");
  return str(text, ") ", ir::to_string(planner.type(ops.back()->results[0])));
}

void note_in_place(Planner& planner, std::span<const View> inputs, const Shape& space,
                   StepNote& note) {
  MemoryLayout& memory = planner.memory();
  std::unordered_map<PlaceId, int> readers;
  for (PlaceId place : note.reads) ++readers[memory.root(place)];
  for (PlaceId result : note.writes) {
    for (const View& view : inputs) {
      const bool whole = view.is_dense() && view.offset == 0 && view.type.shape == space &&
                         memory.bytes(view.place) == memory.bytes(result);
      if (whole && readers[memory.root(view.place)] == 1) {
        note.in_place.emplace_back(result, view.place);
      }
    }
  }
}

std::vector<int64_t> pieces_of(Planner& planner, std::span<const View> inputs, const Shape& space) {
  std::vector<int64_t> pieces;
  for (View view : inputs) {
    const int64_t elements = planner.memory().bytes(view.place) / byte_width(view.type.dtype);
    const bool in_space = view.strides.size() == static_cast<size_t>(space.rank());
    view.type.shape = space;
    pieces.push_back(in_space ? view_pieces(view, elements) : 1);
  }
  return pieces;
}

}  // namespace cpu
}  // namespace systolic::inline v0
