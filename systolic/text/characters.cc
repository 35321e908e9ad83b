#include "systolic/text/characters.h"

#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {

std::string characters(std::string_view text, Offsets range) {
  const std::string well_formed = text::lossy_utf8(text);
  std::string result;
  uint32_t index = 0;
  text::for_each_character(well_formed, [&](char32_t, size_t begin, size_t size) {
    if (index >= range.begin && index < range.end) result.append(well_formed, begin, size);
    ++index;
  });
  return result;
}

uint32_t character_of(std::string_view text, size_t byte) {
  if (byte >= text.size())
    return static_cast<uint32_t>(text::count_characters(text::lossy_utf8(text)));
  // A byte that continues a character counts as one.
  const std::string before = text::lossy_utf8(text.substr(0, byte + 1));
  return static_cast<uint32_t>(text::count_characters(before)) - 1;
}

}  // namespace systolic::inline v0
