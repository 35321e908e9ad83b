// A text file that records are made of: its bytes, and errors that name their place.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "systolic/io/files/file.h"

namespace tool::tfrecord {

// What a column holds, the narrower first.
enum class Kind { unknown, integer, number, text };

class TextFile {
 public:
  explicit TextFile(std::string path);
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
  std::shared_ptr<const systolic::io::MappedFile> file_;
  std::string_view text_;
};

}  // namespace tool::tfrecord
