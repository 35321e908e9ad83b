// Host arrays converted to the types that devices take.
#pragma once

#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace runtime {

// int64 becomes int32 after a range check (an InvalidArgument names component and value; the
// conversion is logged once), f64 becomes f32. Text is an InvalidArgument.
Literal device_literal(const Literal& literal, std::string_view component);

}  // namespace runtime
}  // namespace systolic::inline v0
