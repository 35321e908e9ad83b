// What Python's str does to texts, for scores that are defined by it. Internal to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace text {

// str.isalnum() and str.isspace() of a character, and "c in string.punctuation".
bool is_python_alphanumeric(char32_t c);
bool is_python_space(char32_t c);
bool is_ascii_punctuation(char32_t c);
// str.lower(), a sigma at a word's end included. Ill-formed bytes become U+FFFD.
std::u32string python_lower(std::string_view text);
// str.split()
std::vector<std::u32string> python_split(const std::u32string& text);

}  // namespace text
}  // namespace systolic::inline v0
