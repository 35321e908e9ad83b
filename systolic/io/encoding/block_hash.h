// What hashes over blocks of 64 bytes have in common (MD5, SHA-256): bytes are collected into
// blocks, and the end is padded by a bit of 1, zeros, and the number of bits. Internal to encoding.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/base/function_ref.h"

namespace systolic::inline v0 {
namespace io {

class HashBlocks {
 public:
  static constexpr size_t block_bytes = 64;
  using AddBlock = FunctionRef<void(const unsigned char* block)>;

  // Calls `add_block` for each block that the bytes complete.
  void add(std::string_view bytes, AddBlock add_block);
  // The last block or two, with the number of bits in eight bytes.
  void finish(bool big_endian, AddBlock add_block);

 private:
  std::array<unsigned char, block_bytes> rest_{};
  uint64_t bytes_ = 0;
};

}  // namespace io
}  // namespace systolic::inline v0
