#include "systolic/text/unicode/utf8.h"

#include <cstring>

namespace systolic::inline v0 {
namespace text {
namespace {

// How many bytes at text[at] form the beginning of a character: `size` bytes if it is whole and
// well-formed; the count is at least 1.
struct Prefix {
  size_t count;
  bool whole;
};

Prefix well_formed_prefix(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t size = utf8_size(lead);
  unsigned char low = 0x80, high = 0xBF;  // for the second byte
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  size_t count = 1;
  while (count < size && at + count < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at + count]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++count;
  }
  return {count, count == size};
}

}  // namespace

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string to_utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) append_utf8(text, c);
  return text;
}

std::u32string to_characters(std::string_view text) {
  std::u32string characters;
  for_each_character(text, [&](char32_t c, size_t, size_t) { characters.push_back(c); });
  return characters;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) count += !is_continuation(byte);
  return count;
}

bool is_ascii(std::string_view text) {
  uint64_t high = 0;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    high |= word;
  }
  for (; i < text.size(); ++i) high |= static_cast<unsigned char>(text[i]);
  return (high & 0x8080808080808080u) == 0;
}

bool is_valid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Prefix prefix = well_formed_prefix(text, at);
    if (!prefix.whole) return false;
    at += prefix.count;
  }
  return true;
}

std::string lossy_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Prefix prefix = well_formed_prefix(text, at);
    if (prefix.whole) {
      result.append(text.substr(at, prefix.count));
    } else {
      append_utf8(result, 0xFFFD);
    }
    at += prefix.count;
  }
  return result;
}

}  // namespace text
}  // namespace systolic::inline v0
