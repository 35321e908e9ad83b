// SHA-256 (FIPS 180-4), which identifies downloaded files.
//
//   io::Sha256 hash;  hash.add("abc");
//   hash.digest()                                          // "ba7816bf8f01cfea414140de5dae2223..."
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/io/encoding/block_hash.h"

namespace systolic::inline v0 {
namespace io {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // 64 hexadecimal digits. Nothing may be added afterwards.
  std::string digest();

 private:
  void add_block(const unsigned char* block);
  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  HashBlocks blocks_;
};

}  // namespace io
}  // namespace systolic::inline v0
