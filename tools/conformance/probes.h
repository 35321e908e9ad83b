// What the probes of a test program see: interpreter.probe hands an array through and keeps a copy,
// check.expect_serialized_eq asks for it. Kept in memory, where upstream's tool writes files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "systolic/core/literal.h"

namespace tool {

// The arrays that each probe saw, in the order in which it was reached.
using Probes = std::map<std::string, std::vector<systolic::Literal>>;

// From now on the probes of programs that are compiled write there.
void record_probes(std::shared_ptr<Probes> probes);

}  // namespace tool
