// UTF-8: reading, writing and checking characters.
//
// Functions that read take valid UTF-8 (is_valid_utf8); what comes from outside goes through
// lossy_utf8 first, which never fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace text {

// Bytes of the character that starts with `lead`.
inline size_t utf8_size(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}
// Bytes that a character takes.
inline size_t utf8_size_of(char32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The character at text[at], whose bytes are utf8_size(text[at]).
inline char32_t character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return lead;
  if (lead < 0xE0) return (lead & 0x1F) << 6 | (byte(1) & 0x3F);
  if (lead < 0xF0) return (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  return (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
}

// The character that ends before text[end]; end > 0. Sets `end` to where it begins.
inline char32_t character_before(std::string_view text, size_t& end) {
  do {
    --end;
  } while (end > 0 && is_continuation(text[end]));
  return character_at(text, end);
}

// Calls f(character, begin, size) for each character.
template <class F>
void for_each_character(std::string_view text, F&& f) {
  for (size_t at = 0; at < text.size();) {
    const size_t size = utf8_size(static_cast<unsigned char>(text[at]));
    f(character_at(text, at), at, size);
    at += size;
  }
}

void append_utf8(std::string& text, char32_t c);
std::string to_utf8(std::u32string_view characters);
std::u32string to_characters(std::string_view text);
size_t count_characters(std::string_view text);

bool is_ascii(std::string_view text);
// No overlong forms, no surrogates, nothing above U+10FFFF (Unicode 15, section 3.9, table 3-7).
bool is_valid_utf8(std::string_view text);
// The text with each ill-formed part (the longest prefix of a character that there is, or one byte)
// replaced by U+FFFD, as Unicode advises and Python's errors="replace" does.
std::string lossy_utf8(std::string_view text);

}  // namespace text
}  // namespace systolic::inline v0
