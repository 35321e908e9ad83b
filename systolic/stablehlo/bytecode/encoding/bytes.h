// A cursor over a range of the bytecode. Nothing is read past the range's end, and a count that the
// remaining bytes could not hold is not believed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

class Bytes {
 public:
  // Bytes [begin, end) of the program's source, which must have them.
  Bytes(const Program& program, size_t begin, size_t end)
      : program_(&program), at_(begin), end_(end) {}

  size_t offset() const { return at_; }  // from the start of the source
  size_t left() const { return end_ - at_; }
  bool empty() const { return at_ == end_; }

  uint8_t byte();
  // One to nine bytes: the zeros at the first one's low end count the others.
  uint64_t varint();
  // Zigzag: 0, -1, 1, -2, ...
  int64_t signed_varint();
  // A number and, in its lowest bit, a flag.
  std::pair<uint64_t, bool> flagged();
  // How many things follow, of at least one byte each.
  size_t count(std::string_view of_what);
  Bytes take(uint64_t size, std::string_view of_what);
  std::string_view text() const;  // everything that is left
  // Up to a zero byte, which is taken too.
  std::string_view terminated();
  // Skips padding up to a multiple of `alignment`, a power of two, from the start of the source.
  void align(uint64_t alignment);
  // Bits of a number that is `width` bits wide, 1 to 64.
  uint64_t bits(int width);

  // "model.mlirbc: byte 17: what, got ..., expected ..."
  [[noreturn]] void fail(std::string what, std::string got = {}, std::string wanted = {}) const;

 private:
  const Program* program_;
  size_t at_, end_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
