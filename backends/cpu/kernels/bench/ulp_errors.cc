// The largest error of each elementary function, in units of the last place of its type (ulp),
// against double precision: what docs/numbers.md shows.
//
//   ulp_errors [STEP]     f32: every STEP-th of all 2^32 numbers; f16 and bf16: all of them
//
// Subnormal numbers are kept, as in programs that JAX runs; fit flushes them, as a TPU does. A
// function of two arguments meets each number with some others, in both places. Exit code 1 where a
// function is further off than it may be: 2 ulp of f32, 1 of f16 and bf16 (0.5 is rounded exactly).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/float_types.h"

namespace systolic {
namespace {

using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

constexpr int64_t block = 1 << 14;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Function {
  const char* name;
  TileOp op;
  std::function<double(double)> exact;
  std::function<double(double, double)> exact_of_two = {};
};

const Function functions[] = {
    {"exponential", TileOp::exponential, [](double x) { return std::exp(x); }},
    {"exponential_minus_one", TileOp::exponential_minus_one,
     [](double x) { return std::expm1(x); }},
    {"log", TileOp::log, [](double x) { return std::log(x); }},
    {"log_plus_one", TileOp::log_plus_one, [](double x) { return std::log1p(x); }},
    {"logistic", TileOp::logistic, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"tanh", TileOp::tanh, [](double x) { return std::tanh(x); }},
    {"sine", TileOp::sine, [](double x) { return std::sin(x); }},
    {"cosine", TileOp::cosine, [](double x) { return std::cos(x); }},
    {"tan", TileOp::tan, [](double x) { return std::tan(x); }},
    {"erf", TileOp::erf, [](double x) { return std::erf(x); }},
    {"sqrt", TileOp::sqrt, [](double x) { return std::sqrt(x); }},
    {"rsqrt", TileOp::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"cbrt", TileOp::cbrt, [](double x) { return std::cbrt(x); }},
    {"power", TileOp::power, {}, [](double x, double y) { return std::pow(x, y); }},
    {"atan2", TileOp::atan2, {}, [](double y, double x) { return std::atan2(y, x); }},
};

// The others of a pair.
constexpr float companions[] = {0.0f,   -0.0f,   1.0f,     -1.0f,     2.0f,  3.0f,
                                -3.0f,  0.5f,    -2.5f,    37.3f,     1e-3f, 1e5f,
                                1e-38f, -0.017f, INFINITY, -INFINITY, NAN};

struct Type {
  DType dtype;
  int bytes, precision, smallest;  // of the mantissa with its first bit; 2^smallest is the unit
  double limit;                    // in ulp
  double (*value)(uint32_t bits);
  double (*rounded)(double exact);
};

template <class T>
double narrow_value(uint32_t bits) {
  return static_cast<double>(static_cast<float>(T::from_bits(static_cast<uint16_t>(bits))));
}
template <class T>
double narrow_rounded(double exact) {
  return static_cast<double>(static_cast<float>(T(static_cast<float>(exact))));
}

const Type types[] = {
    {DType::f32, 4, 24, -149, 2, [](uint32_t bits) { return double{std::bit_cast<float>(bits)}; },
     [](double exact) { return double{static_cast<float>(exact)}; }},
    {DType::f16, 2, 11, -24, 1, narrow_value<float16>, narrow_rounded<float16>},
    {DType::bf16, 2, 8, -133, 1, narrow_value<bfloat16>, narrow_rounded<bfloat16>},
};

double ulp_error(const Type& type, double got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : infinity;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : infinity;
  const double rounded = type.rounded(exact);
  if (got == rounded && std::isinf(rounded)) return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - type.precision, type.smallest));
  // One step from the largest number to infinity, or back.
  if (std::isinf(got) || std::isinf(rounded)) {
    const double other = std::isinf(got) ? exact : got;
    return std::isfinite(other) && std::isinf(type.rounded(other + std::copysign(unit, other)))
               ? 1
               : infinity;
  }
  return std::fabs(got - exact) / unit;
}

struct Worst {
  double error = 0, x = 0, y = 0;
  void add(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

TileProgram program_of(const Function& function, const Type& type) {
  TileProgramBuilder builder({block});
  const auto x = builder.input(type.dtype);
  const bool pair = static_cast<bool>(function.exact_of_two);
  const auto result =
      pair ? builder.op(function.op, {x, builder.input(type.dtype)}) : builder.op(function.op, {x});
  builder.output(result, type.dtype);
  return builder.build();
}

// The bits of a number as the type stores them.
void store(const Type& type, std::vector<std::byte>& array, int64_t i, uint32_t bits) {
  if (type.bytes == 4) reinterpret_cast<uint32_t*>(array.data())[i] = bits;
  if (type.bytes == 2) reinterpret_cast<uint16_t*>(array.data())[i] = static_cast<uint16_t>(bits);
}
double load(const Type& type, const std::vector<std::byte>& array, int64_t i) {
  return type.value(type.bytes == 4 ? reinterpret_cast<const uint32_t*>(array.data())[i]
                                    : reinterpret_cast<const uint16_t*>(array.data())[i]);
}

uint32_t bits_of(const Type& type, float value) {
  if (type.dtype == DType::f16) return float16(value).bits;
  if (type.dtype == DType::bf16) return bfloat16(value).bits;
  return std::bit_cast<uint32_t>(value);
}

// No program makes a signaling NaN, of which pow(x, 0) is NaN and not 1 (IEEE 754-2019, 9.2.1): its
// quiet form in its place.
uint32_t without_signal(const Type& type, uint32_t bits) {
  const uint32_t quiet = 1u << (type.precision - 2);
  return std::isnan(type.value(bits)) ? bits | quiet : bits;
}

// Every `step`-th number from the one whose bits are `first` on.
Worst worst_of_block(const Function& function, const Type& type, const TileProgram& program,
                     uint64_t first, uint64_t step) {
  const auto bytes = static_cast<size_t>(block * type.bytes);
  std::vector<std::byte> x(bytes), y(bytes), z(bytes);
  for (int64_t i = 0; i < block; ++i)
    store(type, x, i,
          without_signal(type, static_cast<uint32_t>(first + static_cast<uint64_t>(i) * step)));
  Worst worst;
  const auto compare = [&](const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    const bool pair = static_cast<bool>(function.exact_of_two);
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {z.data()};
    program.run_part(0, block, std::span(inputs, pair ? 2 : 1), outputs);
    for (int64_t i = 0; i < block; ++i) {
      const double p = load(type, a, i), q = load(type, b, i);
      const double exact = pair ? function.exact_of_two(p, q) : function.exact(p);
      worst.add({ulp_error(type, load(type, z, i), exact), p, q});
    }
  };
  if (!function.exact_of_two) {
    compare(x, y);
    return worst;
  }
  for (const float other : companions) {
    for (int64_t i = 0; i < block; ++i) store(type, y, i, bits_of(type, other));
    compare(x, y);
    compare(y, x);
  }
  return worst;
}

Worst worst_of(const Function& function, const Type& type, uint64_t step, ThreadPool& pool) {
  const TileProgram program = program_of(function, type);
  const uint64_t numbers = uint64_t{1} << (8 * type.bytes);
  const uint64_t each = step * static_cast<uint64_t>(block);
  Worst worst;
  std::mutex mutex;
  const auto blocks = static_cast<int64_t>((numbers + each - 1) / each);
  pool.parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Worst found =
          worst_of_block(function, type, program, static_cast<uint64_t>(i) * each, step);
      const std::lock_guard lock(mutex);
      worst.add(found);
    }
  });
  return worst;
}

int run(uint64_t step) {
  ThreadPool pool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  bool fits = true;
  std::printf("| function | f32 | at | f16 | bf16 |\n|---|---|---|---|---|\n");
  for (const Function& function : functions) {
    std::printf("| %s |", function.name);
    for (const Type& type : types) {
      const bool wide = type.dtype == DType::f32;
      const Worst worst = worst_of(function, type, wide ? step : 1, pool);
      fits = fits && worst.error <= type.limit;
      std::printf(" %.3f%s |", worst.error, worst.error <= type.limit ? "" : " **too much**");
      if (wide && function.exact) std::printf(" %.9g |", worst.x);
      if (wide && !function.exact) std::printf(" (%.9g, %.9g) |", worst.x, worst.y);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return fits ? 0 : 1;
}

}  // namespace
}  // namespace systolic

int main(int count, char** arguments) {
  const uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  if (count > 2 || step == 0) {
    std::fprintf(stderr, "usage: ulp_errors [STEP]: a whole number from 1 on\n");
    return 2;
  }
  return systolic::run(step);
}
