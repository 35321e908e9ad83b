// A text file that records are made of: its bytes, and errors that name their place.
#pragma once

#include <string>
#include <string_view>

namespace tool::tfrecord {

// What a column holds, the narrower first.
enum class Kind { unknown, integer, number, text };

class TextFile {
 public:
  // Reads all of it: a file that is cut or written to meanwhile is as it was when it was read.
  explicit TextFile(std::string path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }
  // Without a byte order mark.
  std::string_view text() const { return text_; }
  // The line that begins at `at`, without its end; `at` becomes the beginning of the next one.
  std::string_view line(size_t& at) const;
  // A DataLoss: "'notes.csv', line 3, column 7: WHAT, expected WANTED". Columns are characters.
  [[noreturn]] void damaged(size_t at, const std::string& what, const std::string& wanted,
                            const std::string& hint = "") const;

 private:
  std::string path_;
  std::string bytes_;
  std::string_view text_;  // of bytes_
};

}  // namespace tool::tfrecord
