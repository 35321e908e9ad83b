#include "tools/systolic/tfrecord/text_file.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace tool::tfrecord {

using namespace systolic;

TextFile::TextFile(std::string path)
    : path_(std::move(path)), bytes_(io::read_file(path_, {})), text_(bytes_) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) {
    text_.remove_prefix(byte_order_mark.size());
  }
}

std::string_view TextFile::line(size_t& at) const {
  const size_t end = std::min(text_.find('\n', at), text_.size());
  std::string_view line = text_.substr(at, end - at);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  at = std::min(end + 1, text_.size());
  return line;
}

void TextFile::damaged(size_t at, const std::string& what, const std::string& wanted,
                       const std::string& hint) const {
  const std::string_view before = text_.substr(0, at);
  const size_t begin = before.rfind('\n') + 1;  // 0 in the first line, since npos + 1 is 0
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  raise<DataLoss>({.what = str("'", path_, "', line ",
                               1 + std::count(before.begin(), before.end(), '\n'), ", column ",
                               1 + std::count_if(before.begin() + static_cast<ptrdiff_t>(begin),
                                                 before.end(), starts_character),
                               ": ", what),
                   .wanted = wanted,
                   .hint = hint});
}

}  // namespace tool::tfrecord
