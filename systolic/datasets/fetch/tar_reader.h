// TAR archives (POSIX.1-2017, pax), plain or under GZIP: folders and ordinary files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace datasets {

class TarReader {
 public:
  struct Member {
    std::string name;
    uint64_t bytes = 0;
    bool folder = false;
  };

  explicit TarReader(const std::string& path, SourceLocation location);

  // The next member; none at the end. DataLoss for links, devices and damage.
  std::optional<Member> next();
  // The member's bytes, piece by piece; they may be skipped.
  void copy(const std::function<void(std::string_view)>& to);
  void skip();

 private:
  // Fills `buffer`; false at the end of the file, if there is nothing more.
  bool read(char* buffer, size_t size);
  // The bytes of a header that only says more about the next member.
  std::string small_content(std::string_view member);
  [[noreturn]] void damaged(std::string_view what) const;

  std::string path_;
  std::unique_ptr<io::ByteSource> source_;
  uint64_t left_ = 0, padding_ = 0;  // of the current member
};

}  // namespace datasets
}  // namespace systolic::inline v0
