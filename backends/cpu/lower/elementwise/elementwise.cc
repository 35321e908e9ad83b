// Elementwise ops outside clusters: those on complex numbers.
#include <cmath>
#include <complex>
#include <functional>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/lower/elementwise/convert.h"
#include "backends/cpu/lower/families.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/complex_math.h"

namespace systolic::inline v0 {
namespace cpu {

void emit_convert(Planner& planner, PlaceId from, DType dtype, ir::ValueId result) {
  const ir::Type& type = planner.type(result);
  const PlaceId to = planner.define(result);
  planner.emit({.name = str("convert ", to_string(dtype), " to ", ir::to_string(type)),
                .reads = {from},
                .writes = {to}},
               [=, wanted = type.dtype, count = type.shape.elements()](const Frame& frame) {
                 kernels::convert(dtype, frame.at(from), wanted, frame.at(to), count, frame.pool());
               });
}

namespace {

constexpr int64_t grain = 4096;

using Wide = std::complex<double>;

Wide compute_unary(ir::OpCode code, Wide x) {
  // clang-format off
  switch (code) {
    case ir::OpCode::exponential: return complex_exp(x);
    case ir::OpCode::exponential_minus_one: return complex_expm1(x);
    case ir::OpCode::log: return std::log(x);
    case ir::OpCode::log_plus_one: return complex_log1p(x);
    case ir::OpCode::sqrt: return std::sqrt(x);
    case ir::OpCode::rsqrt: return 1.0 / std::sqrt(x);
    case ir::OpCode::cbrt: return std::pow(x, 1.0 / 3);
    case ir::OpCode::cosine: return std::cos(x);
    case ir::OpCode::sine: return std::sin(x);
    case ir::OpCode::tan: return complex_tan(x);
    case ir::OpCode::tanh: return complex_tanh(x);
    case ir::OpCode::logistic: return 1.0 / (1.0 + complex_exp(-x));
    case ir::OpCode::sign: return x == 0.0 ? x : x / std::abs(x);
    default: return x;
  }
  // clang-format on
}

// In f64 whatever the type, so that c64 has results of f32's own accuracy.
template <class Real>
std::complex<Real> unary_of(ir::OpCode code, std::complex<Real> x) {
  if (code == ir::OpCode::negate) return -x;
  return std::complex<Real>(compute_unary(code, Wide(x)));
}

template <class Real>
std::complex<Real> compute_binary(ir::OpCode code, std::complex<Real> a, std::complex<Real> b) {
  switch (code) {
    case ir::OpCode::add:
      return a + b;
    case ir::OpCode::subtract:
      return a - b;
    case ir::OpCode::multiply:
      return a * b;
    case ir::OpCode::divide:
      return a / b;
    case ir::OpCode::power:
      return std::pow(a, b);
    case ir::OpCode::atan2: {
      const std::complex<Real> i(0, 1);
      return -i * std::log((b + i * a) / std::sqrt(b * b + a * a));
    }
    default:
      return a;
  }
}

bool has_complex_unary(ir::OpCode code) {
  switch (code) {
    case ir::OpCode::negate:
    case ir::OpCode::exponential:
    case ir::OpCode::exponential_minus_one:
    case ir::OpCode::log:
    case ir::OpCode::log_plus_one:
    case ir::OpCode::sqrt:
    case ir::OpCode::rsqrt:
    case ir::OpCode::cbrt:
    case ir::OpCode::cosine:
    case ir::OpCode::sine:
    case ir::OpCode::tan:
    case ir::OpCode::tanh:
    case ir::OpCode::logistic:
    case ir::OpCode::sign:
      return true;
    default:
      return false;
  }
}

bool has_complex_binary(ir::OpCode code) {
  return code == ir::OpCode::add || code == ir::OpCode::subtract || code == ir::OpCode::multiply ||
         code == ir::OpCode::divide || code == ir::OpCode::power || code == ir::OpCode::atan2;
}

// body(i) for every element, on the pool.
template <class Body>
void for_elements(const Frame& frame, int64_t count, const Body& body) {
  frame.pool().parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

template <class Real>
std::function<void(const Frame&)> complex_kernel(const ir::Op& op, DType from, int64_t n,
                                                 const std::vector<PlaceId>& in, PlaceId out) {
  using Complex = std::complex<Real>;
  const ir::OpCode code = op.code;
  if (has_complex_unary(code)) {
    return [=](const Frame& f) {
      const auto* x = f.at<const Complex>(in[0]);
      for_elements(f, n, [&](int64_t i) { f.at<Complex>(out)[i] = unary_of(code, x[i]); });
    };
  }
  if (has_complex_binary(code)) {
    return [=](const Frame& f) {
      const auto *a = f.at<const Complex>(in[0]), *b = f.at<const Complex>(in[1]);
      for_elements(f, n,
                   [&](int64_t i) { f.at<Complex>(out)[i] = compute_binary(code, a[i], b[i]); });
    };
  }
  switch (code) {
    case ir::OpCode::complex:
      return [=](const Frame& f) {
        const auto *a = f.at<const Real>(in[0]), *b = f.at<const Real>(in[1]);
        for_elements(f, n, [&](int64_t i) { f.at<Complex>(out)[i] = {a[i], b[i]}; });
      };
    case ir::OpCode::abs:
      return [=](const Frame& f) {
        const auto* x = f.at<const Complex>(in[0]);
        for_elements(f, n, [&](int64_t i) { f.at<Real>(out)[i] = std::abs(x[i]); });
      };
    case ir::OpCode::real:
    case ir::OpCode::imag:
      if (!is_complex(from)) break;
      return [=](const Frame& f) {
        const auto* x = f.at<const Complex>(in[0]);
        const bool real = code == ir::OpCode::real;
        for_elements(f, n,
                     [&](int64_t i) { f.at<Real>(out)[i] = real ? x[i].real() : x[i].imag(); });
      };
    case ir::OpCode::compare: {
      const bool equal = op.get<ir::CompareAttributes>().direction == ir::Direction::eq;
      return [=](const Frame& f) {
        const auto *a = f.at<const Complex>(in[0]), *b = f.at<const Complex>(in[1]);
        for_elements(f, n, [&](int64_t i) { f.at<bool>(out)[i] = (a[i] == b[i]) == equal; });
      };
    }
    default:
      break;
  }
  return {};
}

// select of complex values; the predicate may be a scalar.
std::function<void(const Frame&)> select_kernel(int width, bool scalar, int64_t n,
                                                const std::vector<PlaceId>& in, PlaceId out) {
  return [=](const Frame& f) {
    const auto* predicate = f.at<const bool>(in[0]);
    for_elements(f, n, [&](int64_t i) {
      const PlaceId from = predicate[scalar ? 0 : i] ? in[1] : in[2];
      std::copy_n(f.at(from) + i * width, width, f.at(out) + i * width);
    });
  };
}

// real and imag of real numbers: the numbers, and zeros.
std::function<void(const Frame&)> real_part_kernel(const ir::Op& op, int64_t bytes, PlaceId in,
                                                   PlaceId out) {
  const bool real = op.code == ir::OpCode::real;
  return [=](const Frame& f) {
    if (real) return kernels::copy_bytes(f.at(in), f.at(out), bytes, f.pool());
    std::fill_n(f.at(out), bytes, std::byte{0});
  };
}

}  // namespace

void lower_elementwise(Planner& planner, const ir::Op& op) {
  const ir::Type& result = planner.type(op.results[0]);
  const ir::Type from = op.operands.empty() ? result : planner.type(op.operands[0]);
  if (op.code == ir::OpCode::convert) {
    return emit_convert(planner, planner.dense(op.operands[0]), from.dtype, op.results[0]);
  }
  std::vector<PlaceId> inputs;
  for (ir::ValueId operand : op.operands) inputs.push_back(planner.dense(operand));
  const PlaceId output = planner.define(op.results[0]);
  const int64_t count = result.shape.elements();
  const bool wide = from.dtype == DType::c128 || result.dtype == DType::c128;
  std::function<void(const Frame&)> kernel;
  if (op.code == ir::OpCode::select) {
    kernel = select_kernel(byte_width(result.dtype), from.shape.rank() == 0, count, inputs, output);
  } else if (is_complex(from.dtype) || is_complex(result.dtype)) {
    kernel = wide ? complex_kernel<double>(op, from.dtype, count, inputs, output)
                  : complex_kernel<float>(op, from.dtype, count, inputs, output);
  } else if (op.code == ir::OpCode::real || op.code == ir::OpCode::imag) {
    kernel = real_part_kernel(op, result.bytes(), inputs[0], output);
  }
  if (!kernel) {
    raise<Unimplemented>({.what = str(ir::info(op.code).name, " of ", to_string(from.dtype),
                                      " numbers on the software TPU"),
                          .location = op.location});
  }
  planner.emit({.name = op_text(planner, op), .reads = inputs, .writes = {output}},
               std::move(kernel));
}

}  // namespace cpu
}  // namespace systolic::inline v0
