// Hand-written matchers of the regular expressions that well-known tokenizers split by.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "systolic/text/patterns/regex.h"

namespace systolic::inline v0 {
namespace text {

// GPT-2's: contractions; words, numbers or other signs, each with one space before it; and spaces.
inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Where the match of gpt2_pattern that begins at `at` ends. There is one at every character.
size_t gpt2_match(std::string_view text, size_t at);

// nullptr for a pattern that has no matcher.
std::shared_ptr<const Pattern> known_pattern(const std::string& pattern);

}  // namespace text
}  // namespace systolic::inline v0
