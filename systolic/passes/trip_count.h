// How often a loop runs whose counter starts at a constant, grows by one, and is compared with
// another: what JAX's fori_loop and scan, and our own loops over steps, become.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The op that makes a value; null for arguments of the function and of regions.
using DefinitionOf = std::function<const ir::Op*(ir::ValueId)>;

// How often a while op runs its body; nothing where that depends on what it computes.
std::optional<int64_t> trip_count(const DefinitionOf& definition_of, const ir::Op& loop);

}  // namespace passes
}  // namespace systolic::inline v0
