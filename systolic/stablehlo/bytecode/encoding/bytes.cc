#include "systolic/stablehlo/bytecode/encoding/bytes.h"

#include <bit>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {

void Bytes::fail(std::string what, std::string got, std::string wanted) const {
  raise_at(*program_, at_, std::move(what), std::move(got), std::move(wanted));
}

uint8_t Bytes::byte() {
  if (empty()) fail("the bytecode ends too early", {}, "another byte");
  return static_cast<uint8_t>((*program_->source)[at_++]);
}

uint64_t Bytes::varint() {
  const unsigned first = byte();
  const int more = first == 0 ? 8 : std::countr_zero(first);
  if (left() < static_cast<size_t>(more)) {
    fail("a number ends too early", str(left(), " bytes"), str(more));
  }
  uint64_t value = 0;
  for (int i = 0; i < more; ++i) value |= static_cast<uint64_t>(byte()) << (8 * i);
  if (more == 8) return value;
  // Seven bits a byte, less the zeros and the one that end the first.
  return value << (7 - more) | first >> (more + 1);
}

int64_t Bytes::signed_varint() {
  const uint64_t value = varint();
  return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::pair<uint64_t, bool> Bytes::flagged() {
  const uint64_t value = varint();
  return {value >> 1, (value & 1) != 0};
}

size_t Bytes::count(std::string_view of_what) {
  const uint64_t value = varint();
  if (value > left()) fail(str("the number of ", of_what), str(value), str("at most ", left()));
  return static_cast<size_t>(value);
}

Bytes Bytes::take(uint64_t size, std::string_view of_what) {
  if (size > left()) {
    fail(str(of_what, " ends too early"), str(left(), " bytes"), str(size));
  }
  const Bytes taken(*program_, at_, at_ + static_cast<size_t>(size));
  at_ += static_cast<size_t>(size);
  return taken;
}

std::string_view Bytes::text() const {
  return std::string_view(*program_->source).substr(at_, left());
}

std::string_view Bytes::terminated() {
  const std::string_view rest = text();
  const size_t size = rest.find('\0');
  if (size == std::string_view::npos) fail("a text has no end", {}, "a zero byte");
  at_ += size + 1;
  return rest.substr(0, size);
}

void Bytes::align(uint64_t alignment) {
  if (!std::has_single_bit(alignment)) {
    fail("an alignment", str(alignment), "a power of two");
  }
  constexpr uint8_t padding = 0xCB;
  while ((at_ & (alignment - 1)) != 0) {
    if (byte() != padding) fail("padding", {}, "bytes 0xCB");
  }
}

uint64_t Bytes::bits(int width) {
  if (width <= 8) return byte();
  const auto value = static_cast<uint64_t>(signed_varint());
  return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
