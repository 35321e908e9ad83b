// Element types, with StableHLO's names (its specification, "Types").
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/float_types.h"

namespace systolic::inline v0 {

enum class DType : uint8_t {
  pred,  // bool, one byte each: 0 or 1; StableHLO's i1
  i4,    // one byte each on the host, sign extended
  i8,
  i16,
  i32,
  i64,
  u4,  // one byte each on the host
  u8,
  u16,
  u32,
  u64,
  f8e4m3fn,
  f8e5m2,
  bf16,
  f16,
  f32,
  f64,
  c64,     // std::complex<float>
  c128,    // std::complex<double>
  string,  // bytes of any length; host only, never on a device
  token,   // orders side effects; has no data
};
// Element types that there are: the enumerators of DType.
inline constexpr int dtype_count = 21;

struct DTypeInfo {
  DType dtype;
  std::string_view name;        // as users write it: "f32", "bf16", "pred"
  std::string_view mlir_name;   // as StableHLO spells it: "f32", "bf16", "i1"
  std::string_view numpy_name;  // as it prints: "float32", "bfloat16", "bool"
  int bytes;                    // of one element in host memory; 0 for string and token
  bool is_float, is_signed_int, is_unsigned_int, is_complex;
};
// The row of a type, which lives as long as the program.
const DTypeInfo& info(DType dtype);

// Bytes of one element in host memory: 1 for pred, i4 and u4; 0 for string and token.
inline int byte_width(DType dtype) { return info(dtype).bytes; }
// f64, f32, f16, bf16 and the floats of 8 bits.
inline bool is_float(DType dtype) { return info(dtype).is_float; }
// c64 and c128.
inline bool is_complex(DType dtype) { return info(dtype).is_complex; }
// Signed or not, but not pred.
inline bool is_integer(DType dtype) {
  return info(dtype).is_signed_int || info(dtype).is_unsigned_int;
}
// i4, i8, i16, i32 and i64.
inline bool is_signed_integer(DType dtype) { return info(dtype).is_signed_int; }
// u4, u8, u16, u32 and u64, but not pred.
inline bool is_unsigned_integer(DType dtype) { return info(dtype).is_unsigned_int; }
// The type of the real and imaginary part; `dtype` itself for the others.
DType real_part_type(DType dtype);

std::string to_string(DType dtype);
// Takes any of the three names of a type ("f32", "float32", "i1"); nothing for other names.
std::optional<DType> find_dtype(std::string_view name);
// The same, but an unknown name is an error that lists the known ones and the closest.
DType parse_dtype(std::string_view name, SourceLocation location = SourceLocation::current());

// dtype_of<float> is DType::f32, and so on for every C++ element type.
template <class T>
struct DTypeOf;
// The DType of a C++ type: dtype_of<float> is DType::f32.
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;
template <class T>
concept Element = requires {
  DTypeOf<T>::value;
};

// clang-format off
template <> struct DTypeOf<bool> { static constexpr DType value = DType::pred; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = DType::i8; };
template <> struct DTypeOf<int16_t> { static constexpr DType value = DType::i16; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::i32; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = DType::i64; };
template <> struct DTypeOf<long long> { static constexpr DType value = DType::i64; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = DType::u8; };
template <> struct DTypeOf<uint16_t> { static constexpr DType value = DType::u16; };
template <> struct DTypeOf<uint32_t> { static constexpr DType value = DType::u32; };
template <> struct DTypeOf<uint64_t> { static constexpr DType value = DType::u64; };
template <> struct DTypeOf<float8_e4m3fn> { static constexpr DType value = DType::f8e4m3fn; };
template <> struct DTypeOf<float8_e5m2> { static constexpr DType value = DType::f8e5m2; };
template <> struct DTypeOf<bfloat16> { static constexpr DType value = DType::bf16; };
template <> struct DTypeOf<float16> { static constexpr DType value = DType::f16; };
template <> struct DTypeOf<float> { static constexpr DType value = DType::f32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::f64; };
template <> struct DTypeOf<std::complex<float>> { static constexpr DType value = DType::c64; };
template <> struct DTypeOf<std::complex<double>> { static constexpr DType value = DType::c128; };
// clang-format on

// The C++ type that holds an element of this type, as a tag for visit_dtype.
template <class T>
struct TypeTag {
  using type = T;
};

// InvalidArgument for a string or token where numbers are wanted.
[[noreturn]] void raise_not_numeric(DType dtype);

// Calls visitor(TypeTag<T>{}) with the host type of `dtype`: visit_dtype(t, [&](auto tag) {
//   using T = typename decltype(tag)::type; ... });   i4 is visited as int8_t, u4 as uint8_t.
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::pred:
      return visitor(TypeTag<bool>{});
    case DType::i4:
    case DType::i8:
      return visitor(TypeTag<int8_t>{});
    case DType::i16:
      return visitor(TypeTag<int16_t>{});
    case DType::i32:
      return visitor(TypeTag<int32_t>{});
    case DType::i64:
      return visitor(TypeTag<int64_t>{});
    case DType::u4:
    case DType::u8:
      return visitor(TypeTag<uint8_t>{});
    case DType::u16:
      return visitor(TypeTag<uint16_t>{});
    case DType::u32:
      return visitor(TypeTag<uint32_t>{});
    case DType::u64:
      return visitor(TypeTag<uint64_t>{});
    case DType::f8e4m3fn:
      return visitor(TypeTag<float8_e4m3fn>{});
    case DType::f8e5m2:
      return visitor(TypeTag<float8_e5m2>{});
    case DType::bf16:
      return visitor(TypeTag<bfloat16>{});
    case DType::f16:
      return visitor(TypeTag<float16>{});
    case DType::f32:
      return visitor(TypeTag<float>{});
    case DType::f64:
      return visitor(TypeTag<double>{});
    case DType::c64:
      return visitor(TypeTag<std::complex<float>>{});
    case DType::c128:
      return visitor(TypeTag<std::complex<double>>{});
    case DType::string:
    case DType::token:
      break;
  }
  raise_not_numeric(dtype);
}

}  // namespace systolic::inline v0
