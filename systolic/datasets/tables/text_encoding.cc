#include "systolic/datasets/tables/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// How many bytes the character takes that begins here; 0 where none does (RFC 3629).
size_t character_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return continues(1) ? 2 : 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0,
               surrogate = first == 0xed && second > 0x9f;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second > 0x8f;
  return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
}

// Where the first byte is that is not UTF-8; the end where all are.
size_t first_fault(std::string_view text) {
  constexpr uint64_t high_bits = 0x8080808080808080;
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word = high_bits;
    if (at + sizeof word <= text.size()) std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & high_bits) == 0) {
      at += sizeof word;
      continue;
    }
    const size_t size = character_bytes(text, at);
    if (size == 0) break;
    at += size;
  }
  return at;
}

[[noreturn]] void raise_other(const std::string& path, const std::string& what,
                              const std::string& encoding, SourceLocation location) {
  raise<DataLoss>({.what = str("'", path, "'", what),
                   .wanted = "UTF-8",
                   .hint = str("`iconv -f ", encoding, " -t utf-8 FILE > NEW_FILE` converts it"),
                   .location = location});
}

}  // namespace

std::string_view utf8_text(const std::string& path, std::string_view text,
                           SourceLocation location) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv) || text.starts_with("\0\0\xfe\xff"sv))
    raise_other(path, " is UTF-32", "utf-32", location);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    raise_other(path, " is UTF-16", "utf-16", location);
  if (text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0'))
    raise_other(path, " seems to be UTF-16 without a byte order mark",
                text[0] == '\0' ? "utf-16be" : "utf-16le", location);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t fault = first_fault(text);
  if (fault == text.size()) return text;
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fault), '\n');
  const auto byte = static_cast<unsigned char>(text[fault]);
  raise_other(path,
              str(", line ", line, ": the byte 0x", "0123456789abcdef"[byte >> 4],
                  "0123456789abcdef"[byte & 15], " is not UTF-8; the file may be Latin-1"),
              "latin1", location);
}

}  // namespace datasets
}  // namespace systolic::inline v0
