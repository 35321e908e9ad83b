#include "systolic/stablehlo/element_type.h"

#include <array>

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using E = ElementType;

constexpr std::array<ElementInfo, element_type_count> rows{{
    {E::i1, "i1", 1, DType::pred},
    {E::i2, "i2", 2, std::nullopt},
    {E::i4, "i4", 4, DType::i4},
    {E::i8, "i8", 8, DType::i8},
    {E::i16, "i16", 16, DType::i16},
    {E::i32, "i32", 32, DType::i32},
    {E::i64, "i64", 64, DType::i64},
    {E::ui2, "ui2", 2, std::nullopt},
    {E::ui4, "ui4", 4, DType::u4},
    {E::ui8, "ui8", 8, DType::u8},
    {E::ui16, "ui16", 16, DType::u16},
    {E::ui32, "ui32", 32, DType::u32},
    {E::ui64, "ui64", 64, DType::u64},
    {E::f4e2m1fn, "f4E2M1FN", 4, std::nullopt},
    {E::f6e2m3fn, "f6E2M3FN", 6, std::nullopt},
    {E::f6e3m2fn, "f6E3M2FN", 6, std::nullopt},
    {E::f8e3m4, "f8E3M4", 8, std::nullopt},
    {E::f8e4m3, "f8E4M3", 8, std::nullopt},
    {E::f8e4m3b11fnuz, "f8E4M3B11FNUZ", 8, std::nullopt},
    {E::f8e4m3fn, "f8E4M3FN", 8, DType::f8e4m3fn},
    {E::f8e4m3fnuz, "f8E4M3FNUZ", 8, std::nullopt},
    {E::f8e5m2, "f8E5M2", 8, DType::f8e5m2},
    {E::f8e5m2fnuz, "f8E5M2FNUZ", 8, std::nullopt},
    {E::f8e8m0fnu, "f8E8M0FNU", 8, std::nullopt},
    {E::bf16, "bf16", 16, DType::bf16},
    {E::f16, "f16", 16, DType::f16},
    {E::tf32, "tf32", 19, std::nullopt},
    {E::f32, "f32", 32, DType::f32},
    {E::f64, "f64", 64, DType::f64},
    {E::c64, "complex<f32>", 64, DType::c64},
    {E::c128, "complex<f64>", 128, DType::c128},
    {E::index, "index", 0, std::nullopt},
    {E::none, "none", 0, std::nullopt},
}};

constexpr bool rows_stand_at_their_type() {
  for (int i = 0; i < element_type_count; ++i) {
    if (static_cast<int>(rows[static_cast<size_t>(i)].type) != i) return false;
  }
  return true;
}
static_assert(rows_stand_at_their_type(), "one row for each ElementType, in its order");

}  // namespace

const ElementInfo& info(ElementType type) { return rows[static_cast<size_t>(type)]; }

std::optional<ElementType> find_element_type(std::string_view name) {
  for (const ElementInfo& row : rows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
