// Small whole numbers that are known while a program is imported: the sizes that dynamic ops take.
#pragma once

#include <optional>
#include <span>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace stablehlo {

inline constexpr int64_t most_folded_elements = 64;

// What an op of ir gives for these operands (nullptr: not known), when it is arithmetic or movement
// of at most 64 whole numbers or truth values; nothing for all other ops.
std::optional<Literal> fold_sizes(const ir::Op& op, std::span<const Literal* const> operands,
                                  const ir::Type& result);

}  // namespace stablehlo
}  // namespace systolic::inline v0
