// ASCII letters and digits, whatever the locale: in a Turkish one the small I is another letter.
#pragma once

namespace systolic::inline v0 {

constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_alphanumeric(char c) {
  return is_ascii_upper(c) || is_ascii_lower(c) || is_ascii_digit(c);
}
constexpr char ascii_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace systolic::inline v0
