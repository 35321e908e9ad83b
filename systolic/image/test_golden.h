// Reads the golden files of systolic/image/golden.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

// golden/NAME of the source tree.
nlohmann::json read_golden(const std::string& name);
std::string from_base64(std::string_view text);
// {"dtype", "shape", "base64"}; u16 as well as u8 and f32.
Literal golden_literal(const nlohmann::json& array);
// The largest difference of two elements; infinity where type or shape differ.
double largest_difference(const Literal& a, const Literal& b);

}  // namespace image
}  // namespace systolic::inline v0
