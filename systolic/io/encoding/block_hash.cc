#include "systolic/io/encoding/block_hash.h"

#include <algorithm>
#include <cstring>

namespace systolic::inline v0 {
namespace io {

void HashBlocks::add(std::string_view bytes, AddBlock add_block) {
  size_t held = bytes_ % block_bytes;
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), block_bytes - held);
    std::memcpy(rest_.data() + held, bytes.data(), count);
    bytes.remove_prefix(count);
    held += count;
    if (held < block_bytes) return;
    add_block(rest_.data());
    held = 0;
  }
}

void HashBlocks::finish(bool big_endian, AddBlock add_block) {
  const uint64_t bits = 8 * bytes_;
  std::string end(1 + (119 - bytes_ % block_bytes) % block_bytes, '\0');
  end[0] = '\x80';
  for (int byte = 0; byte < 8; ++byte) {
    const int shift = 8 * (big_endian ? 7 - byte : byte);
    end += static_cast<char>(bits >> shift);
  }
  add(end, add_block);
}

}  // namespace io
}  // namespace systolic::inline v0
