// Names of modules against regular expressions, as peft compares them. Internal to transformers.
#pragma once

#include <optional>
#include <string>

namespace systolic::inline v0 {

// InvalidArgument for an expression that is none, ResourceExhausted where it takes too long.
bool matches_whole(const std::string& pattern, const std::string& module);
// The whole name, or what is after one of its points.
bool matches_end(const std::string& pattern, const std::string& module);
// The number of a module's layer, the first part of its name that is a number and has two parts
// before it; with a pattern, the first number after a part that matches it.
std::optional<int64_t> layer_number(const std::string& module, const std::string& pattern = "");

}  // namespace systolic::inline v0
