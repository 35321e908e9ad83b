// What the cores exchange when each computes its part of a program whose arrays lie as a Placement
// says: sums over an axis that is cut (all-reduce), arrays that are needed whole (all-gather), cuts
// that change (all-to-all), rows beyond a part's border (collective-permute). Sums that the program
// itself leaves as addends, P(unreduced={"x"}), are exchanged where somebody needs the sum.
#pragma once

#include <vector>

#include "plugin/shardings/collective.h"
#include "plugin/shardings/placement.h"

namespace systolic::inline v0 {
namespace plugin {

// In the order of the steps, for what `results` need. An array that several steps need whole is
// gathered once.
std::vector<Collective> placed_collectives(Placement& placement, const std::vector<int>& results,
                                           int64_t cores);

}  // namespace plugin
}  // namespace systolic::inline v0
