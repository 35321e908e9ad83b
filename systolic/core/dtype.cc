#include "systolic/core/dtype.h"

#include <array>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// In the order of the enumerators; a test checks that.
constexpr std::array<DTypeInfo, dtype_count> infos{{
    // dtype, name, mlir_name, numpy_name, bytes, is_float, is_signed, is_unsigned, is_complex
    {DType::pred, "pred", "i1", "bool", 1, false, false, false, false},
    {DType::i4, "i4", "i4", "int4", 1, false, true, false, false},
    {DType::i8, "i8", "i8", "int8", 1, false, true, false, false},
    {DType::i16, "i16", "i16", "int16", 2, false, true, false, false},
    {DType::i32, "i32", "i32", "int32", 4, false, true, false, false},
    {DType::i64, "i64", "i64", "int64", 8, false, true, false, false},
    {DType::u4, "u4", "ui4", "uint4", 1, false, false, true, false},
    {DType::u8, "u8", "ui8", "uint8", 1, false, false, true, false},
    {DType::u16, "u16", "ui16", "uint16", 2, false, false, true, false},
    {DType::u32, "u32", "ui32", "uint32", 4, false, false, true, false},
    {DType::u64, "u64", "ui64", "uint64", 8, false, false, true, false},
    {DType::f8e4m3fn, "f8e4m3fn", "f8E4M3FN", "float8_e4m3fn", 1, true, false, false, false},
    {DType::f8e5m2, "f8e5m2", "f8E5M2", "float8_e5m2", 1, true, false, false, false},
    {DType::bf16, "bf16", "bf16", "bfloat16", 2, true, false, false, false},
    {DType::f16, "f16", "f16", "float16", 2, true, false, false, false},
    {DType::f32, "f32", "f32", "float32", 4, true, false, false, false},
    {DType::f64, "f64", "f64", "float64", 8, true, false, false, false},
    {DType::c64, "c64", "complex<f32>", "complex64", 8, false, false, false, true},
    {DType::c128, "c128", "complex<f64>", "complex128", 16, false, false, false, true},
    {DType::string, "string", "string", "object", 0, false, false, false, false},
    {DType::token, "token", "token", "token", 0, false, false, false, false},
}};

}  // namespace

const DTypeInfo& info(DType dtype) { return infos.at(static_cast<size_t>(dtype)); }

DType real_part_type(DType dtype) {
  if (dtype == DType::c64) return DType::f32;
  if (dtype == DType::c128) return DType::f64;
  return dtype;
}

std::string to_string(DType dtype) { return std::string(info(dtype).name); }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& row : infos) {
    if (name == row.name || name == row.mlir_name || name == row.numpy_name) return row.dtype;
  }
  return std::nullopt;
}

DType parse_dtype(std::string_view name, SourceLocation location) {
  if (const auto found = find_dtype(name)) return *found;
  std::vector<std::string> known;
  std::vector<std::string> spellings;
  for (const DTypeInfo& row : infos) {
    known.emplace_back(row.name);
    spellings.emplace_back(row.name);
    spellings.emplace_back(row.numpy_name);
  }
  const std::vector<std::string> closest = closest_names(name, spellings, 1);
  raise<InvalidArgument>(
      {.what = str("unknown element type '", name, "'"),
       .wanted = str("one of ", join(known)),
       .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'"),
       .location = location});
}

void raise_not_numeric(DType dtype) {
  raise<InvalidArgument>({.what = str("element type ", to_string(dtype), " has no numbers"),
                          .wanted = "a number or pred"});
}

}  // namespace systolic::inline v0
