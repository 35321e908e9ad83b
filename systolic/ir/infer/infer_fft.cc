// The shape rule of fft.
#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// The last axes have the lengths; of half a spectrum the very last has half of its length, and one.
void check_lengths(const InferInput& input, const FftAttributes& a, const Shape& shape) {
  const auto count = static_cast<int>(a.fft_length.size());
  if (count < 1 || count > 3 || count > shape.rank()) {
    raise_constraint(input, "fft_c3", str(count, " lengths"),
                     str("1 to 3, for the last of ", shape.rank(), " axes"));
  }
  check_at_least(input, "fft_i3", "fft_length", a.fft_length, 0);
  for (int i = 0; i < count; ++i) {
    const int64_t length = a.fft_length[static_cast<size_t>(i)];
    const bool half = a.type == FftType::irfft && i == count - 1;
    const int64_t wanted = half ? length / 2 + 1 : length;
    const int64_t size = shape[shape.rank() - count + i];
    if (size == wanted || (size == 0 && length == 0)) continue;
    raise_constraint(input, half ? "fft_c5" : "fft_c4",
                     str("fft_length is [", join(a.fft_length), "] of ", shape.rank(),
                         " axes, the size of the axis ", size),
                     str(wanted));
  }
}

DType complex_of(DType real) { return real == DType::f64 ? DType::c128 : DType::c64; }
DType real_of(DType complex) { return complex == DType::c128 ? DType::f64 : DType::f32; }

}  // namespace

std::vector<Type> infer_fft(const InferInput& input) {
  const auto& a = attributes_of<FftAttributes>(input);
  Type type = input.operands[0];
  const bool from_real = a.type == FftType::rfft;
  const bool fits =
      from_real ? type.dtype == DType::f32 || type.dtype == DType::f64 : is_complex(type.dtype);
  if (!fits) {
    raise_constraint(input, "fft_c2", str("operand is ", to_string(type)),
                     from_real ? "f32 or f64" : "complex numbers");
  }
  check_lengths(input, a, type.shape);
  const int64_t length = a.fft_length.back();
  const bool empty = length == 0 && type.shape[-1] == 0;
  if (from_real) {
    if (!empty) type.shape.set(-1, length / 2 + 1);
    type.dtype = complex_of(type.dtype);
  } else if (a.type == FftType::irfft) {
    type.shape.set(-1, length);
    type.dtype = real_of(type.dtype);
  }
  return {type};
}

}  // namespace ir
}  // namespace systolic::inline v0
