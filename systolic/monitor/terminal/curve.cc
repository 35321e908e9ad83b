#include "systolic/monitor/terminal/curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr int dot_columns = 2, dot_rows = 4;

// U+2800 and the bits of its dots, by column and row of a character, as Unicode numbers them.
constexpr std::array<std::array<uint8_t, dot_rows>, dot_columns> dot_bits{
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string braille(uint8_t dots) {
  if (dots == 0) return " ";
  const unsigned code = 0x2800u + dots;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

float mean(std::span<const float> values) {
  float sum = 0;
  int count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? NAN : sum / static_cast<float>(count);
}

}  // namespace

std::vector<std::string> curve(std::span<const float> values, int columns, int rows, float low,
                               float high) {
  std::vector<std::vector<uint8_t>> dots(static_cast<size_t>(rows),
                                         std::vector<uint8_t>(static_cast<size_t>(columns)));
  const auto width = static_cast<size_t>(columns * dot_columns);
  const size_t drawn = std::min(width, values.size());
  const float range = high > low ? high - low : 1;
  for (size_t x = 0; x < drawn; ++x) {
    const size_t begin = x * values.size() / drawn, end = (x + 1) * values.size() / drawn;
    const float value = mean(values.subspan(begin, end - begin));
    if (!std::isfinite(value)) continue;
    const float share = std::clamp((value - low) / range, 0.0f, 1.0f);
    const int height = rows * dot_rows - 1;
    const int y = height - static_cast<int>(std::lround(share * static_cast<float>(height)));
    dots[static_cast<size_t>(y / dot_rows)][x / dot_columns] |=
        dot_bits[x % dot_columns][static_cast<size_t>(y % dot_rows)];
  }
  std::vector<std::string> lines;
  for (const auto& row : dots) {
    lines.emplace_back();
    for (const uint8_t character : row) lines.back() += braille(character);
  }
  return lines;
}

}  // namespace monitor
}  // namespace systolic::inline v0
