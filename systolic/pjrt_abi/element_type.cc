#include "systolic/pjrt_abi/element_type.h"

#include <array>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

using abi::ElementType;
constexpr std::array<std::pair<DType, ElementType>, 19> pairs = {{
    {DType::pred, ElementType::pred},     {DType::i4, ElementType::s4},
    {DType::i8, ElementType::s8},         {DType::i16, ElementType::s16},
    {DType::i32, ElementType::s32},       {DType::i64, ElementType::s64},
    {DType::u4, ElementType::u4},         {DType::u8, ElementType::u8},
    {DType::u16, ElementType::u16},       {DType::u32, ElementType::u32},
    {DType::u64, ElementType::u64},       {DType::f8e4m3fn, ElementType::f8e4m3fn},
    {DType::f8e5m2, ElementType::f8e5m2}, {DType::bf16, ElementType::bf16},
    {DType::f16, ElementType::f16},       {DType::f32, ElementType::f32},
    {DType::f64, ElementType::f64},       {DType::c64, ElementType::c64},
    {DType::c128, ElementType::c128},
}};

}  // namespace

ElementType element_type(DType dtype) {
  for (const auto& [ours, theirs] : pairs) {
    if (ours == dtype) return theirs;
  }
  raise<Unimplemented>({.what = str("an array of ", to_string(dtype), " on a device")});
}

DType dtype_of_element(ElementType type) {
  for (const auto& [ours, theirs] : pairs) {
    if (theirs == type) return ours;
  }
  raise<Unimplemented>(
      {.what = str("a device's array of element type ", static_cast<int32_t>(type)),
       .wanted = "a type that StableHLO and Systolic both have"});
}

}  // namespace pjrt
}  // namespace systolic::inline v0
