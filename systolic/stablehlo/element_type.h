// The element types that StableHLO spells (its specification, "Types"), including those that core
// has no arrays of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace stablehlo {

enum class ElementType : uint8_t {
  i1,
  i2,
  i4,
  i8,
  i16,
  i32,
  i64,
  ui2,
  ui4,
  ui8,
  ui16,
  ui32,
  ui64,
  f4e2m1fn,
  f6e2m3fn,
  f6e3m2fn,
  f8e3m4,
  f8e4m3,
  f8e4m3b11fnuz,
  f8e4m3fn,
  f8e4m3fnuz,
  f8e5m2,
  f8e5m2fnuz,
  f8e8m0fnu,
  bf16,
  f16,
  tf32,
  f32,
  f64,
  c64,
  c128,
  index,
  none,
};
inline constexpr int element_type_count = static_cast<int>(ElementType::none) + 1;

struct ElementInfo {
  ElementType type;
  std::string_view name;       // "ui8", "f8E4M3FN", "complex<f32>"
  int bits;                    // of an element, both parts of complex ones; 0 of index and none
  std::optional<DType> dtype;  // what core calls it; nothing where core holds no such arrays
};
const ElementInfo& info(ElementType type);

// Looks up "ui8" and the like; complex<...> is not looked up here.
std::optional<ElementType> find_element_type(std::string_view name);

}  // namespace stablehlo
}  // namespace systolic::inline v0
