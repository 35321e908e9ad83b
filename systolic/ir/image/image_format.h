// What writer and reader of an image agree on. Numbers are varints (protobuf's; signed ones in
// zigzag), texts and arrays have their length in front.
#pragma once

#include <string_view>

#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace ir {

// The last character counts versions of the format.
inline constexpr std::string_view image_magic = "SYSTOLIC-IR-1";

inline constexpr int most_nested = 64;  // regions in regions, options in options

}  // namespace ir
}  // namespace systolic::inline v0
