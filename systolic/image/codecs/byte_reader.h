// Little-endian numbers from bytes of a file, within their bounds.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/image/codecs/format.h"

namespace systolic::inline v0 {
namespace image {

class ByteReader {
 public:
  // `kind` names the format in errors.
  ByteReader(std::string_view kind, std::string_view bytes) : kind_(kind), bytes_(bytes) {}

  // The next `count` bytes; DataLoss where the file ends before.
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - position_) {
      raise<DataLoss>(
          {.what = str("a ", kind_, " image ends before its picture"), .hint = remedy_of_damage});
    }
    const std::string_view result = bytes_.substr(position_, count);
    position_ += count;
    return result;
  }
  uint32_t number(int bytes) {
    uint32_t value = 0;
    int shift = 0;
    for (const char c : take(static_cast<uint64_t>(bytes))) {
      value |= static_cast<uint32_t>(static_cast<uint8_t>(c)) << shift;
      shift += 8;
    }
    return value;
  }
  uint64_t position() const { return position_; }
  void go_to(uint64_t position) {
    position_ = 0;
    take(position);
  }

 private:
  std::string_view kind_, bytes_;
  uint64_t position_ = 0;
};

}  // namespace image
}  // namespace systolic::inline v0
