#include "systolic/text/models/stored_score.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr int most_exponent = 308;

double power_of_ten(int exponent) {
  static const auto powers = [] {
    std::array<double, most_exponent + 1> all{};
    for (int i = 0; i <= most_exponent; ++i) {
      const std::string text = "1e" + std::to_string(i);
      std::from_chars(text.data(), text.data() + text.size(), all[static_cast<size_t>(i)]);
    }
    return all;
  }();
  return powers[static_cast<size_t>(exponent)];
}

}  // namespace

double stored_score(double score) {
  if (!std::isfinite(score)) return score;
  // The shortest digits that say the number, as files have them: "d.ddde-dd".
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(score),
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  uint64_t digits = 0;
  int exponent = 0;
  size_t at = 0;
  for (bool after_point = false; text[at] != 'e'; ++at) {
    if (text[at] == '.') {
      after_point = true;
      continue;
    }
    digits = 10 * digits + static_cast<uint64_t>(text[at] - '0');
    exponent -= after_point;
  }
  int power = 0;
  const size_t sign = text[at + 1] == '+' ? 2 : 1;  // from_chars takes no plus
  std::from_chars(text.data() + at + sign, text.data() + text.size(), power);
  exponent += power;
  auto value = static_cast<double>(digits);
  for (; exponent < -most_exponent; exponent += most_exponent) value /= 1e308;
  value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  return std::signbit(score) ? -value : value;
}

}  // namespace text
}  // namespace systolic::inline v0
