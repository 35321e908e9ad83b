#include "systolic/io/encoding/md5.h"

#include <cmath>

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint32_t rotated_left(uint32_t x, int by) { return x << by | x >> (32 - by); }

// 2^32 times the sines of 1 to 64 radians, without their signs.
const std::array<uint32_t, 64>& sines() {
  static const std::array<uint32_t, 64> table = [] {
    std::array<uint32_t, 64> made;
    for (size_t i = 0; i < made.size(); ++i) {
      const double sine = std::abs(std::sin(static_cast<double>(i + 1)));
      made[i] = static_cast<uint32_t>(std::floor(std::ldexp(sine, 32)));
    }
    return made;
  }();
  return table;
}

constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// The function of a round, and the word that its step takes.
uint32_t mixed(size_t round, uint32_t b, uint32_t c, uint32_t d) {
  if (round == 0) return (b & c) | (~b & d);
  if (round == 1) return (d & b) | (~d & c);
  if (round == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

size_t word_of(size_t step) {
  constexpr size_t factors[] = {1, 5, 3, 7}, offsets[] = {0, 1, 5, 0};
  return (factors[step / 16] * step + offsets[step / 16]) % 16;
}

}  // namespace

void Md5::add_block(const unsigned char* block) {
  std::array<uint32_t, 16> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = uint32_t{block[4 * i]} | uint32_t{block[4 * i + 1]} << 8 |
               uint32_t{block[4 * i + 2]} << 16 | uint32_t{block[4 * i + 3]} << 24;
  }
  auto [a, b, c, d] = state_;
  for (size_t step = 0; step < 64; ++step) {
    const uint32_t sum = a + mixed(step / 16, b, c, d) + sines()[step] + words[word_of(step)];
    a = d, d = c, c = b;
    b += rotated_left(sum, shifts[step / 16][step % 4]);
  }
  const std::array<uint32_t, 4> next{a, b, c, d};
  for (size_t i = 0; i < 4; ++i) state_[i] += next[i];
}

void Md5::add(std::string_view bytes) {
  blocks_.add(bytes, [this](const unsigned char* block) { add_block(block); });
}

std::string Md5::digest() {
  blocks_.finish(false, [this](const unsigned char* block) { add_block(block); });
  std::string text;
  for (const uint32_t word : state_) {
    for (int byte = 0; byte < 4; ++byte) {
      const uint32_t value = word >> (8 * byte) & 255;
      text += "0123456789abcdef"[value >> 4];
      text += "0123456789abcdef"[value & 15];
    }
  }
  return text;
}

}  // namespace io
}  // namespace systolic::inline v0
