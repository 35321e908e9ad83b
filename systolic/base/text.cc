#include "systolic/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace systolic::inline v0 {
namespace {

template <class Number>
void append_digits(std::string& text, Number value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

template <class Number>
void append_shortest(std::string& text, Number value) {
  if (std::isnan(value)) {
    text += "nan";
  } else if (std::isinf(value)) {
    text += value > 0 ? "inf" : "-inf";
  } else {
    append_digits(text, value);
  }
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// Characters to insert, delete, substitute, or swap with a neighbour that is not edited again
// (optimal string alignment, the restricted Damerau-Levenshtein distance).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1), above, two_above;
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    two_above = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

void TextPart::append_to(std::string& text) const {
  switch (kind_) {
    case Kind::characters:
      text += characters_;
      return;
    case Kind::character:
      text += character_;
      return;
    case Kind::integer:
      return append_digits(text, integer_);
    case Kind::natural:
      return append_digits(text, natural_);
    case Kind::single_precision:
      return append_shortest(text, single_);
    case Kind::double_precision:
      return append_shortest(text, number_);
  }
}

std::string concatenate(std::initializer_list<TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) part.append_to(text);
  return text;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return str(value);
  std::array<char, 400> buffer{};
  auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                              std::chars_format::fixed, digits);
  return {buffer.data(), result.ptr};
}

std::string with_commas(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = digits.front() == '-' ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string bytes_text(int64_t bytes) {
  static constexpr std::array<const char*, 5> units{"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return str(fixed(value, unit == 0 ? 0 : 2), " ", units[unit]);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool parse_number(std::string_view text, int64_t& value) { return parse_whole(text, value); }
bool parse_number(std::string_view text, double& value) { return parse_whole(text, value); }

std::vector<std::string> closest_names(std::string_view name, const std::vector<std::string>& known,
                                       size_t most) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    // A name cut short is near however much it lacks.
    const bool begins_so = name.size() >= 4 && std::string_view(candidate).starts_with(name);
    if (begins_so || distance <= std::max<size_t>(2, name.size() / 3))
      ranked.emplace_back(distance, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > most) ranked.resize(most);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : ranked) names.push_back(std::move(candidate));
  return names;
}

}  // namespace systolic::inline v0
