// MD5 (RFC 1321), by which older collections name their files. It finds damage, not malice: whoever
// wants to can make two files of one digest.
//
//   io::Md5 hash;  hash.add("abc");
//   hash.digest()                                          // "900150983cd24fb0d6963f7d28e17f72"
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/io/encoding/block_hash.h"

namespace systolic::inline v0 {
namespace io {

class Md5 {
 public:
  void add(std::string_view bytes);
  // 32 hexadecimal digits. Nothing may be added afterwards.
  std::string digest();

 private:
  void add_block(const unsigned char* block);
  std::array<uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  HashBlocks blocks_;
};

}  // namespace io
}  // namespace systolic::inline v0
