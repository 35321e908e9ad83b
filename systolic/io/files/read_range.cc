#include "systolic/io/files/read_range.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {

std::shared_ptr<const std::string> read_range(File& file, uint64_t offset, uint64_t size) {
  constexpr uint64_t most_believed = uint64_t{1} << 26, most_at_once = uint64_t{1} << 26;
  auto bytes = std::make_shared<std::string>();
  bytes->reserve(std::min(size, most_believed));
  while (bytes->size() < size) {
    const size_t before = bytes->size();
    const size_t piece = std::min(size - before, most_at_once);
    bytes->resize(before + piece);
    const size_t count = file.read_at(offset + before, bytes->data() + before, piece);
    bytes->resize(before + count);
    if (count < piece) break;
  }
  return bytes;
}

std::string read_file_of_at_most(const std::string& path, uint64_t most_bytes,
                                 SourceLocation location) {
  constexpr size_t piece = 1 << 16;
  if (scheme_of(path).empty()) check_regular_file(path, location);
  File file(path, location);
  std::string bytes;
  for (;;) {
    const size_t before = bytes.size();
    bytes.resize(before + piece);
    const size_t count = file.read(bytes.data() + before, piece);
    bytes.resize(before + count);
    if (bytes.size() > most_bytes) {
      raise<ResourceExhausted>({.what = str("'", path, "' holds more than ", most_bytes, " bytes"),
                                .location = location});
    }
    if (count < piece) return bytes;
  }
}

}  // namespace io
}  // namespace systolic::inline v0
