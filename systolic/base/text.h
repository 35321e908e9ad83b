// Building text: the one way in which messages are made.
//
//   str("input has ", rank, " axes ", shape)
//
// A type of one's own joins in with a function `std::string to_string(const T&)` in its namespace.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {

// A part of a text: characters, which must outlive it, or a number. One function, compiled once,
// joins the parts, since every message has its own list of types.
class TextPart {
 public:
  TextPart(std::string_view text) : characters_(text), kind_(Kind::characters) {}
  TextPart(const char* text) : TextPart(std::string_view(text)) {}
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}
  template <std::same_as<bool> Bool>  // no pointer becomes one
  TextPart(Bool value) : TextPart(value ? "true" : "false") {}
  TextPart(char value) : character_(value), kind_(Kind::character) {}
  template <std::signed_integral Integer>
  TextPart(Integer value) : integer_(value), kind_(Kind::integer) {}
  template <std::unsigned_integral Natural>
  requires(!std::same_as<Natural, bool>) TextPart(Natural value)
      : natural_(value), kind_(Kind::natural) {}
  // The shortest digits that read back as the same number; always with '.' whatever the locale.
  TextPart(float value) : single_(value), kind_(Kind::single_precision) {}
  TextPart(double value) : number_(value), kind_(Kind::double_precision) {}

  void append_to(std::string& text) const;

 private:
  enum class Kind : uint8_t {
    characters,
    character,
    integer,
    natural,
    single_precision,
    double_precision
  };
  union {
    std::string_view characters_;
    char character_;
    long long integer_;
    unsigned long long natural_;
    float single_;
    double number_;
  };
  Kind kind_;
};

std::string concatenate(std::initializer_list<TextPart> parts);

// What a TextPart is made of: the value itself, or what its to_string() says.
template <std::convertible_to<TextPart> T>
const T& text_source(const T& value) {
  return value;
}
template <class T>
requires(!std::convertible_to<T, TextPart>) std::string text_source(const T& value) {
  return to_string(value);
}

template <class... Parts>
std::string str(const Parts&... parts) {
  return concatenate({TextPart(text_source(parts))...});
}

// "1, 2, 3"
template <class Range>
std::string join(const Range& range, std::string_view separator = ", ") {
  std::string result;
  bool first = true;
  for (const auto& item : range) {
    if (!first) result += separator;
    TextPart(text_source(item)).append_to(result);
    first = false;
  }
  return result;
}

// Fixed number of digits after the point: fixed(0.12345, 4) is "0.1235". Independent of the
// locale.
std::string fixed(double value, int digits);
// 1234567 -> "1,234,567"
std::string with_commas(int64_t value);
// 1536 -> "1.50 KB" (powers of 1024, as Keras's summary prints them)
std::string bytes_text(int64_t bytes);
// "a,b,c" -> {"a", "b", "c"}; an empty text gives no parts.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Numbers from text. They do not throw: false means that the text as a whole is not such a number
// in range.
bool parse_number(std::string_view text, int64_t& value);
bool parse_number(std::string_view text, double& value);

// The known names closest to a misspelt one, best first (edit distance), for "did you mean" hints.
std::vector<std::string> closest_names(std::string_view name, const std::vector<std::string>& known,
                                       size_t most = 3);

}  // namespace systolic::inline v0
