#include "systolic/io/tensors/torch/pickle_write.h"

#include <cstdint>

namespace systolic::inline v0 {
namespace io {

void PickleWriter::number(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
}

void PickleWriter::global(std::string_view module, std::string_view name) {
  bytes_ += 'c';
  bytes_ += module;
  bytes_ += '\n';
  bytes_ += name;
  bytes_ += '\n';
}

void PickleWriter::text(std::string_view value) {
  bytes_ += 'X';
  number(value.size(), 4);
  bytes_ += value;
}

void PickleWriter::integer(int64_t value) {
  if (value >= 0 && value <= UINT8_MAX) {
    bytes_ += 'K';
    number(static_cast<uint64_t>(value), 1);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    bytes_ += 'J';
    number(static_cast<uint64_t>(value), 4);
  } else {
    bytes_ += "\x8a\x08";
    number(static_cast<uint64_t>(value), 8);
  }
}

}  // namespace io
}  // namespace systolic::inline v0
