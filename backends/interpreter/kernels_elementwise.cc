#include <bit>
#include <cmath>
#include <cstring>

#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/scalar.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::OpCode;

// Keeps i4 and u4 results within four bits.
void wrap_four_bits(Literal& literal) {
  if (literal.dtype() == DType::i4) {
    for (int8_t& x : literal.mutable_data<int8_t>()) x = wrap_i4(x);
  } else if (literal.dtype() == DType::u4) {
    for (uint8_t& x : literal.mutable_data<uint8_t>()) x = wrap_u4(x);
  }
}

template <class T>
Literal map_unary(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const auto in = call.operand().data<T>();
  const auto out = result.mutable_data<T>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = apply_unary(call.op.code, in[i]);
  return result;
}

// is_finite of floats, and abs, real and imag of complex numbers: another type comes out.
Literal is_finite(const Call& call) {
  Literal result(DType::pred, call.result().shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    result.mutable_data<bool>()[static_cast<size_t>(i)] =
        std::isfinite(call.operand().number_at(i));
  }
  return result;
}

template <class T>
Literal complex_part(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const auto in = call.operand().data<std::complex<T>>();
  const auto out = result.mutable_data<T>();
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = call.op.code == OpCode::real   ? in[i].real()
             : call.op.code == OpCode::imag ? in[i].imag()
                                            : std::abs(in[i]);
  }
  return result;
}

// Four-bit numbers count four bits.
int narrower_bits(DType dtype) { return dtype == DType::i4 || dtype == DType::u4 ? 4 : 0; }

}  // namespace

std::vector<Literal> run_unary(const Call& call) {
  const DType dtype = call.operand().dtype();
  const OpCode code = call.op.code;
  if (code == OpCode::is_finite) return {is_finite(call)};
  const bool part = code == OpCode::real || code == OpCode::imag || code == OpCode::abs;
  if (part && dtype == DType::c64) return {complex_part<float>(call)};
  if (part && dtype == DType::c128) return {complex_part<double>(call)};
  Literal result =
      visit_dtype(dtype, [&](auto tag) { return map_unary<typename decltype(tag)::type>(call); });
  if (narrower_bits(dtype) == 4 &&
      (code == OpCode::count_leading_zeros || code == OpCode::popcnt)) {
    for (int64_t i = 0; i < result.size(); ++i) {
      const auto bits = static_cast<unsigned>(call.operand().integer_at(i)) & 15u;
      const int count = code == OpCode::popcnt ? std::popcount(bits) : std::countl_zero(bits) - 28;
      result.mutable_raw()[i] = static_cast<std::byte>(count);
    }
  }
  wrap_four_bits(result);
  return {result};
}

std::vector<Literal> run_binary(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  visit_dtype(result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto a = call.operand(0).data<T>(), b = call.operand(1).data<T>();
    const auto out = result.mutable_data<T>();
    for (size_t i = 0; i < a.size(); ++i) out[i] = apply_binary<T>(call.op.code, a[i], b[i]);
  });
  wrap_four_bits(result);
  return {result};
}

std::vector<Literal> run_compare(const Call& call) {
  Literal result(DType::pred, call.result().shape);
  const auto out = result.mutable_data<bool>();
  visit_dtype(call.operand().dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto a = call.operand(0).data<T>(), b = call.operand(1).data<T>();
    for (size_t i = 0; i < a.size(); ++i) {
      out[i] = apply_compare<T>(call.op.get<ir::CompareAttributes>(), a[i], b[i]);
    }
  });
  return {result};
}

namespace {

template <class T>
Literal join_complex(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const auto re = call.operand(0).data<T>(), im = call.operand(1).data<T>();
  const auto out = result.mutable_data<std::complex<T>>();
  for (size_t i = 0; i < re.size(); ++i) out[i] = {re[i], im[i]};
  return result;
}

}  // namespace

std::vector<Literal> run_complex(const Call& call) {
  return {call.operand().dtype() == DType::f32 ? join_complex<float>(call)
                                               : join_complex<double>(call)};
}

std::vector<Literal> run_clamp(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const bool one_low = call.operand(0).rank() == 0, one_high = call.operand(2).rank() == 0;
  visit_dtype(result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto low = call.operand(0).data<T>(), x = call.operand(1).data<T>(),
               high = call.operand(2).data<T>();
    const auto out = result.mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) {
      const T raised = apply_binary<T>(OpCode::maximum, low[one_low ? 0 : i], x[i]);
      out[i] = apply_binary<T>(OpCode::minimum, raised, high[one_high ? 0 : i]);
    }
  });
  return {result};
}

std::vector<Literal> run_select(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const auto predicate = call.operand(0).data<bool>();
  const bool one = call.operand(0).rank() == 0;
  for (int64_t i = 0; i < result.size(); ++i) {
    const bool chosen = predicate[one ? 0 : static_cast<size_t>(i)];
    copy_element(call.operand(chosen ? 1 : 2), i, result, i);
  }
  return {result};
}

std::vector<Literal> run_convert(const Call& call) {
  return {call.operand().convert(call.result().dtype)};
}

std::vector<Literal> run_bitcast_convert(const Call& call) {
  Literal result(call.result().dtype, call.result().shape);
  const Literal& x = call.operand();
  const auto bits = [](DType dtype) {
    return dtype == DType::i4 || dtype == DType::u4 ? 4 : 8 * byte_width(dtype);
  };
  const int from = bits(x.dtype()), to = bits(result.dtype());
  if (from != 4 && to != 4) {
    std::memcpy(result.mutable_raw(), x.raw(), x.byte_size());
  } else if (from == to) {
    std::memcpy(result.mutable_raw(), x.raw(), x.byte_size());
    wrap_four_bits(result);
  } else {
    // Four-bit elements are packed into bytes: the first one is the low half of the first byte.
    std::byte* out = result.mutable_raw();
    if (from == 4) {
      for (size_t i = 0; i < result.byte_size(); ++i) {
        out[i] = (x.raw()[2 * i] & std::byte{15}) | (x.raw()[2 * i + 1] << 4);
      }
    } else {
      for (size_t i = 0; i < result.byte_size(); ++i) {
        out[i] = (x.raw()[i / 2] >> (i % 2 == 0 ? 0 : 4)) & std::byte{15};
      }
      wrap_four_bits(result);
    }
  }
  return {result};
}

namespace {

// Rounds a finite number to a float of this many exponent and mantissa bits, ties to even.
double reduced(double x, int exponent_bits, int mantissa_bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| in [2^(exponent-1), 2^exponent)
  const int bias = exponent_bits > 30 ? (1 << 30) : (1 << (exponent_bits - 1)) - 1;
  const int digits = exponent - 1 - mantissa_bits;  // weight of the last kept bit
  const double rounded =
      digits < -1074 ? x : std::ldexp(std::nearbyint(std::ldexp(x, -digits)), digits);
  std::frexp(rounded, &exponent);
  if (exponent - 1 > bias) return std::copysign(INFINITY, x);
  if (exponent - 1 < 1 - bias) return std::copysign(0.0, x);  // no subnormals: they become zero
  return rounded;
}

}  // namespace

std::vector<Literal> run_reduce_precision(const Call& call) {
  const auto& attributes = call.op.get<ir::ReducePrecisionAttributes>();
  Literal result(call.result().dtype, call.result().shape);
  visit_dtype(result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<T> && !is_complex_type<T>) {
      const auto in = call.operand().data<T>();
      const auto out = result.mutable_data<T>();
      for (size_t i = 0; i < in.size(); ++i) {
        out[i] = convert_element<T>(reduced(static_cast<double>(in[i]), attributes.exponent_bits,
                                            attributes.mantissa_bits));
      }
    }
  });
  return {result};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
