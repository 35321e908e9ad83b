// VHLO's codes of types and of words, the other way round: for writing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace stablehlo {

// For a type without parts; nothing for complex numbers.
std::optional<uint64_t> vhlo_scalar_code(ElementType element);
// For #stablehlo<ENUMERATION WORD>: the attribute's code and the word's number.
std::optional<std::pair<uint64_t, uint64_t>> vhlo_word(std::string_view enumeration,
                                                       std::string_view word);

}  // namespace stablehlo
}  // namespace systolic::inline v0
