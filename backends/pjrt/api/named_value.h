// Options and attributes: a name with a text, an integer, integers, a number or a truth value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace pjrt {

using Value = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;
using Values = std::map<std::string, Value>;

// Copies a plugin's attributes, without those of unknown types.
Values values_of(const abi::NamedValue* first, size_t count);

// "[1, 23, 0]", "2", "true": for people.
std::string to_string(const Value& value);

// The views of `values` that a plugin reads; they live as long as both.
std::vector<abi::NamedValue> named_values(const Values& values);

}  // namespace pjrt
}  // namespace systolic::inline v0
