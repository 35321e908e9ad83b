#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace {

template <class From>
double clamp_to_four_bits(From value, double low, double high) {
  const double number = convert_element<double>(value);
  return number != number ? 0.0 : number < low ? low : number > high ? high : number;
}

// i4 and u4 live in bytes: floats saturate at the four-bit limits, integers wrap.
template <class To, class From>
To four_bits(From value, bool is_signed) {
  if constexpr (std::is_integral_v<From>) {
    const auto bits = static_cast<uint8_t>(value) & 15u;
    return static_cast<To>(is_signed && bits >= 8 ? static_cast<int>(bits) - 16
                                                  : static_cast<int>(bits));
  } else {
    return static_cast<To>(is_signed ? clamp_to_four_bits(value, -8, 7)
                                     : clamp_to_four_bits(value, 0, 15));
  }
}

template <class To, class From>
void convert_all(const From* from, To* to, int64_t count, DType type) {
  if constexpr (std::is_same_v<To, int8_t> || std::is_same_v<To, uint8_t>) {
    if (type == DType::i4 || type == DType::u4) {
      for (int64_t i = 0; i < count; ++i) to[i] = four_bits<To>(from[i], type == DType::i4);
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i) to[i] = convert_element<To>(from[i]);
}

}  // namespace

void convert_elements(DType from, const void* source, DType to, void* destination, int64_t count) {
  visit_dtype(from, [&](auto from_tag) {
    visit_dtype(to, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      convert_all(static_cast<const From*>(source), static_cast<To*>(destination), count, to);
    });
  });
}

Literal Literal::convert(DType dtype) const {
  if (dtype == dtype_) return *this;
  Literal result(dtype, shape_);
  std::byte* out = byte_width(dtype) == 0 ? nullptr : result.mutable_raw();
  convert_elements(dtype_, raw(), dtype, out, size_);
  return result;
}

}  // namespace systolic::inline v0
