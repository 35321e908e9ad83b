// What an interpreter.probe becomes: a call of this function, which hands its operand through and
// has the probe's name as its option probe_id.
#pragma once

#include <string_view>

namespace systolic::inline v0 {
namespace stablehlo {

inline constexpr std::string_view probe_function = "interpreter.probe";

}  // namespace stablehlo
}  // namespace systolic::inline v0
