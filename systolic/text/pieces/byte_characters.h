// The 256 characters that stand for bytes in byte-level vocabularies: printable Latin-1 characters
// for themselves, the others from U+0100 on (GPT-2, bytes_to_unicode). A space is 'Ġ'.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace text {

inline constexpr char32_t space_character = 0x120;

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The character of each byte.
constexpr std::array<char32_t, 256> byte_characters = [] {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    characters[byte] = stands_for_itself(byte) ? byte : next++;
  }
  return characters;
}();

// The byte that a character stands for, or -1.
constexpr int byte_of(char32_t c) {
  for (uint32_t byte = 0; c >= 0x100 && byte < 256; ++byte) {
    if (byte_characters[byte] == c) return static_cast<int>(byte);
  }
  return c < 0x100 && stands_for_itself(c) ? static_cast<int>(c) : -1;
}

}  // namespace text
}  // namespace systolic::inline v0
