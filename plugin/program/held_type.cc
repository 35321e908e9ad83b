#include "plugin/program/held_type.h"

#include <array>

#include "systolic/base/error.h"
#include "systolic/pjrt_abi/element_type.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using abi::ElementType;
using Written = stablehlo::ElementType;

struct HeldType {
  ElementType type;
  Written written;
  DType held;
};
constexpr std::array<HeldType, 9> held_types = {{
    {ElementType::s2, Written::i2, DType::i8},
    {ElementType::u2, Written::ui2, DType::u8},
    {ElementType::f4e2m1fn, Written::f4e2m1fn, DType::u8},
    {ElementType::f8e3m4, Written::f8e3m4, DType::u8},
    {ElementType::f8e4m3, Written::f8e4m3, DType::u8},
    {ElementType::f8e4m3b11fnuz, Written::f8e4m3b11fnuz, DType::u8},
    {ElementType::f8e4m3fnuz, Written::f8e4m3fnuz, DType::u8},
    {ElementType::f8e5m2fnuz, Written::f8e5m2fnuz, DType::u8},
    {ElementType::f8e8m0fnu, Written::f8e8m0fnu, DType::u8},
}};

// Bits of a type that takes less than a byte; 8 for others.
int bits_of(ElementType type) {
  switch (type) {
    case ElementType::s2:
    case ElementType::u2:
      return 2;
    case ElementType::s4:
    case ElementType::u4:
    case ElementType::f4e2m1fn:
      return 4;
    default:
      return 8;
  }
}

}  // namespace

DType held_as(ElementType type) {
  for (const HeldType& row : held_types) {
    if (row.type == type) return row.held;
  }
  return pjrt::dtype_of_element(type);
}

ElementType element_type(Written written, DType held) {
  for (const HeldType& row : held_types) {
    if (row.written == written) return row.type;
  }
  return pjrt::element_type(held);
}

int64_t primitive_type(ElementType type) {
  switch (type) {
    // clang-format off
    case ElementType::pred: return 1;
    case ElementType::s8: return 2;
    case ElementType::s16: return 3;
    case ElementType::s32: return 4;
    case ElementType::s64: return 5;
    case ElementType::u8: return 6;
    case ElementType::u16: return 7;
    case ElementType::u32: return 8;
    case ElementType::u64: return 9;
    case ElementType::f16: return 10;
    case ElementType::f32: return 11;
    case ElementType::f64: return 12;
    case ElementType::c64: return 15;
    case ElementType::bf16: return 16;
    case ElementType::c128: return 18;
    case ElementType::f8e5m2: return 19;
    case ElementType::f8e4m3fn: return 20;
    case ElementType::s4: return 21;
    case ElementType::u4: return 22;
    case ElementType::f8e4m3b11fnuz: return 23;
    case ElementType::f8e5m2fnuz: return 24;
    case ElementType::f8e4m3fnuz: return 25;
    case ElementType::token: return 17;
    case ElementType::s2: return 26;
    case ElementType::u2: return 27;
    case ElementType::f8e4m3: return 28;
    case ElementType::f8e3m4: return 29;
    case ElementType::f4e2m1fn: return 32;
    case ElementType::f8e8m0fnu: return 33;
    // clang-format on
    case ElementType::invalid:
      break;
  }
  raise<Unimplemented>({.what = str("HLO of element type ", static_cast<int32_t>(type))});
}

void clear_unused_bits(ElementType type, Literal& literal) {
  const int bits = bits_of(type);
  if (bits == 8) return;
  const bool is_signed = is_signed_integer(literal.dtype());
  const unsigned low = (1u << bits) - 1, sign = 1u << (bits - 1);
  auto* bytes = reinterpret_cast<uint8_t*>(literal.mutable_raw());
  for (size_t i = 0; i < literal.byte_size(); ++i) {
    const unsigned value = bytes[i] & low;
    bytes[i] = static_cast<uint8_t>(is_signed && (value & sign) != 0 ? value | ~low : value);
  }
}

}  // namespace plugin
}  // namespace systolic::inline v0
