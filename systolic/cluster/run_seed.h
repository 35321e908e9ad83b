// A seed that the processes of one run have in common, known before they have met.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/cluster/place/surroundings.h"

namespace systolic::inline v0 {
namespace cluster {

// From what tells one run from another: the coordinator's address, the token, and the launcher's
// number of the job. Where these are the same in each run, as on a TPU slice without a token, so is
// the seed. Nothing for a process that is alone, or does not know its place: find_place says why.
std::optional<uint64_t> run_seed(const Surroundings& surroundings);

}  // namespace cluster
}  // namespace systolic::inline v0
