// What a program itself says of others than the device that runs it: its collectives, such as
// stablehlo.all_reduce, which JAX's shard_map and pmap write, and the foreign functions it calls.
#pragma once

#include <string>
#include <vector>

#include "plugin/shardings/collective.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

std::vector<Collective> written_collectives(const stablehlo::Program& program);

// Their names, each once, in the order of the text; no annotations, which have the form of calls.
std::vector<std::string> written_calls(const stablehlo::Program& program);

}  // namespace plugin
}  // namespace systolic::inline v0
