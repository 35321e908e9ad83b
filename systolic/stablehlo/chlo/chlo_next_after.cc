// next_after by the bits of floats: those of a magnitude count its floats.
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

struct Bits {
  DType dtype;
  int width, mantissa;
};

Bits bits_of(DType dtype) {
  switch (dtype) {
    case DType::f8e5m2:
      return {DType::u8, 8, 2};
    case DType::f16:
      return {DType::u16, 16, 10};
    case DType::bf16:
      return {DType::u16, 16, 7};
    case DType::f32:
      return {DType::u32, 32, 23};
    case DType::f64:
      return {DType::u64, 64, 52};
    default:
      raise<Unimplemented>({.what = str("next_after of ", to_string(dtype))});
  }
}

}  // namespace

// No float is compared as one: subnormal numbers may count as 0 there.
ir::Value next_after(ir::Value x, ir::Value y) {
  const Bits bits = bits_of(x.dtype());
  const ir::Type type{bits.dtype, x.shape()};
  const ir::Value a = ir::bitcast_convert(x, type), b = ir::bitcast_convert(y, type);
  const auto constant = [&](uint64_t value) {
    const Literal scalar = Literal::from(std::span<const uint64_t>(&value, 1), {});
    return ir::broadcast_to(x.builder().constant(scalar.convert(bits.dtype)), type.shape);
  };
  const uint64_t sign = uint64_t{1} << (bits.width - 1);
  const uint64_t infinity = (sign - 1) & ~((uint64_t{1} << bits.mantissa) - 1);
  const auto magnitude = [&](ir::Value v) {
    return ir::binary(ir::OpCode::and_, v, constant(sign - 1));
  };
  const auto sign_of = [&](ir::Value v) { return ir::binary(ir::OpCode::and_, v, constant(sign)); };
  const auto greater = [](ir::Value p, ir::Value q) {
    return ir::compare(p, q, ir::Direction::gt);
  };
  const auto same = [](ir::Value p, ir::Value q) { return ir::compare(p, q, ir::Direction::eq); };
  const auto either = [](ir::Value p, ir::Value q) { return ir::binary(ir::OpCode::or_, p, q); };
  const ir::Value size_a = magnitude(a), size_b = magnitude(b), zero = constant(0);
  const ir::Value opposite = ir::compare(sign_of(a), sign_of(b), ir::Direction::ne);
  const ir::Value inwards = either(opposite, greater(size_a, size_b));
  const ir::Value step = ir::select(inwards, a - constant(1), a + constant(1));
  const ir::Value first = ir::binary(ir::OpCode::or_, sign_of(b), constant(1));
  ir::Value next = ir::select(same(size_a, zero), first, step);
  const ir::Value both_zero = ir::binary(ir::OpCode::and_, same(size_a, zero), same(size_b, zero));
  next = ir::select(either(same(a, b), both_zero), b, next);
  const ir::Value is_nan =
      either(greater(size_a, constant(infinity)), greater(size_b, constant(infinity)));
  const uint64_t quiet = infinity | uint64_t{1} << (bits.mantissa - 1);
  next = ir::select(is_nan, constant(quiet), next);
  return ir::bitcast_convert(next, x.type());
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
