// The beginning of a long text, for messages: what a file contains may be of any length.
//
//   excerpt(error.what(), 200)                           // at most 200 bytes, then "..."
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace systolic::inline v0 {

// Cut between characters of UTF-8.
inline std::string excerpt(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "...";
}

// A name that comes from a file, and may be as long as it.
inline std::string shown_name(std::string_view name) { return excerpt(name, 100); }

}  // namespace systolic::inline v0
