// Building text: the one way messages are put together.
//
//   str("input has ", rank, " axes ", shape)
//
// A type of one's own joins in with a function `std::string to_string(const T&)` in its namespace.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {

std::string to_text(bool value);
std::string to_text(long long value);
std::string to_text(unsigned long long value);
// The shortest digits that read back as the same number; always with '.' whatever the locale.
std::string to_text(double value);
std::string to_text(float value);

inline std::string to_text(const char* value) { return value; }
inline std::string to_text(std::string_view value) { return std::string(value); }
inline std::string to_text(const std::string& value) { return value; }
inline std::string to_text(char value) { return std::string(1, value); }
template <std::signed_integral T>
std::string to_text(T value) {
  return to_text(static_cast<long long>(value));
}
template <std::unsigned_integral T>
std::string to_text(T value) {
  return to_text(static_cast<unsigned long long>(value));
}
template <class T>
requires requires(const T& value) {
  { to_string(value) } -> std::convertible_to<std::string>;
} &&(!std::is_arithmetic_v<T>)std::string to_text(const T& value) {
  return to_string(value);
}

template <class... Parts>
std::string str(const Parts&... parts) {
  std::string result;
  (result.append(to_text(parts)), ...);
  return result;
}

// "1, 2, 3"
template <class Range>
std::string join(const Range& range, std::string_view separator = ", ") {
  std::string result;
  bool first = true;
  for (const auto& item : range) {
    if (!first) result += separator;
    result += to_text(item);
    first = false;
  }
  return result;
}

// Fixed number of digits behind the point: fixed(0.12345, 4) is "0.1235". Independent of the
// locale.
std::string fixed(double value, int digits);
// 1234567 -> "1,234,567"
std::string with_commas(int64_t value);
// 1536 -> "1.50 KB" (powers of 1024, as Keras's summary prints them)
std::string bytes_text(int64_t bytes);
// "a,b,c" -> {"a", "b", "c"}; an empty text gives no parts.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Numbers from text. Nothing is thrown: false means that the whole text is not one such number in
// range.
bool parse_number(std::string_view text, int64_t& value);
bool parse_number(std::string_view text, double& value);

// The known names closest to a misspelt one, best first (edit distance), for "did you mean" hints.
std::vector<std::string> closest_names(std::string_view name, const std::vector<std::string>& known,
                                       size_t most = 3);

}  // namespace systolic::inline v0
