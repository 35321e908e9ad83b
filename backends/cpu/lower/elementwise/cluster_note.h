// What steps of clusters note down about themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Pointer lists of fixed size, so that running allocates nothing: for the 96 ops of the largest
// cluster (group.cc), each of which reads two arrays of its own at most besides what another made.
inline constexpr size_t most_pointers = 2 * 96 + 2;

// Values of the cluster that are read outside it.
std::vector<ir::ValueId> results_of(const Planner& planner, std::span<const ir::Op* const> ops);

std::vector<PlaceId> places_of(std::span<const View> views);

// "fused(add multiply) f32[8,128]"
std::string cluster_text(const Planner& planner, std::span<const ir::Op* const> ops);

// Operands that are read once, whole and in order, may give their memory to a result of their
// element width.
void note_in_place(Planner& planner, std::span<const View> inputs, const Shape& space,
                   StepNote& note);

// StepParts::read_pieces of the program's inputs, as they lie in its space.
std::vector<int64_t> pieces_of(Planner& planner, std::span<const View> inputs, const Shape& space);

}  // namespace cpu
}  // namespace systolic::inline v0
