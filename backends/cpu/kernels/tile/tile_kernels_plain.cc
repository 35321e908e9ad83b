// Plain loops over tiles, one per op and type; the compiler vectorizes those that can be. A result
// of bytes could be the call's own memory, for all that the compiler knows: so each loop has its
// bounds in variables of its own, and says that it depends on no other element.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "backends/cpu/kernels/element_ops.h"
#include "backends/cpu/kernels/tile/tile_io.h"
#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "systolic/core/convert.h"

#if defined(__clang__)
#define SYSTOLIC_EACH_ALONE
#else
#define SYSTOLIC_EACH_ALONE _Pragma("GCC ivdep")
#endif

namespace systolic::inline v0 {
namespace kernels {
namespace {

template <class T, class Result, Result (*function)(T)>
void unary(const TileCall& call) {
  const T* a = static_cast<const T*>(call.operands[0]);
  Result* result = static_cast<Result*>(call.result);
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) result[i] = function(a[i]);
}

template <class T, class Result, Result (*function)(T, T)>
void binary(const TileCall& call) {
  const T* a = static_cast<const T*>(call.operands[0]);
  const T* b = static_cast<const T*>(call.operands[1]);
  Result* result = static_cast<Result*>(call.result);
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) result[i] = function(a[i], b[i]);
}

template <class T>
void clamp(const TileCall& call) {
  const T* low = static_cast<const T*>(call.operands[0]);
  const T* value = static_cast<const T*>(call.operands[1]);
  const T* high = static_cast<const T*>(call.operands[2]);
  T* result = static_cast<T*>(call.result);
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) result[i] = element::clamp(low[i], value[i], high[i]);
}

template <class T>
void select(const TileCall& call) {
  const uint8_t* condition = static_cast<const uint8_t*>(call.operands[0]);
  const T* on_true = static_cast<const T*>(call.operands[1]);
  const T* on_false = static_cast<const T*>(call.operands[2]);
  T* result = static_cast<T*>(call.result);
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) result[i] = condition[i] ? on_true[i] : on_false[i];
}

template <class T>
void reduce_precision(const TileCall& call) {
  const T* a = static_cast<const T*>(call.operands[0]);
  T* result = static_cast<T*>(call.result);
  const auto exponent_bits = call.parameters[0], mantissa_bits = call.parameters[1];
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) {
    result[i] = element::reduce_precision(a[i], exponent_bits, mantissa_bits);
  }
}

void round_to(const TileCall& call) {
  const DType dtype = static_cast<DType>(call.parameters[0]);
  alignas(64) std::array<std::byte, max_tile_elements * 2> small;
  narrow(dtype, call.operands[0], small.data(), call.count);
  widen(dtype, small.data(), call.result, call.count);
}

template <class T, int direction>
uint8_t compare(T a, T b) {
  switch (static_cast<CompareDirection>(direction)) {
    case CompareDirection::eq:
      return a == b;
    case CompareDirection::ne:
      return a != b;
    case CompareDirection::ge:
      return a >= b;
    case CompareDirection::gt:
      return a > b;
    case CompareDirection::le:
      return a <= b;
    case CompareDirection::lt:
      break;
  }
  return a < b;
}
template <class T, int direction>
uint8_t compare_total(T a, T b) {
  const auto x = element::total_order_key(a), y = element::total_order_key(b);
  return compare<decltype(x + 0), direction>(x, y);
}

template <class T>
TileKernel find_compare(int direction) {
  static constexpr TileKernel kernels[] = {
      binary<T, uint8_t, compare<T, 0>>, binary<T, uint8_t, compare<T, 1>>,
      binary<T, uint8_t, compare<T, 2>>, binary<T, uint8_t, compare<T, 3>>,
      binary<T, uint8_t, compare<T, 4>>, binary<T, uint8_t, compare<T, 5>>};
  return kernels[direction];
}
template <class T>
TileKernel find_compare_total(int direction) {
  if constexpr (std::is_floating_point_v<T>) {
    static constexpr TileKernel kernels[] = {
        binary<T, uint8_t, compare_total<T, 0>>, binary<T, uint8_t, compare_total<T, 1>>,
        binary<T, uint8_t, compare_total<T, 2>>, binary<T, uint8_t, compare_total<T, 3>>,
        binary<T, uint8_t, compare_total<T, 4>>, binary<T, uint8_t, compare_total<T, 5>>};
    return kernels[direction];
  } else {
    return find_compare<T>(direction);
  }
}

template <class T>
void rotate_left(const TileCall& call) {
  const T* a = static_cast<const T*>(call.operands[0]);
  T* result = static_cast<T*>(call.result);
  const int up = call.parameters[0], down = 8 * static_cast<int>(sizeof(T)) - up;
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) {
    result[i] = static_cast<T>(a[i] << up | a[i] >> down);
  }
}

template <int width>
void copy(const TileCall& call) {
  std::memmove(call.result, call.operands[0], static_cast<size_t>(call.count * width));
}

// By its bits: subnormal numbers may count as 0 on this thread, but none rounds up or down to 0.
bool subnormal(double a, uint64_t sign) {
  const uint64_t rest = std::bit_cast<uint64_t>(a) ^ sign;
  return rest - 1 < (uint64_t{1} << 52) - 1;
}

// The C library's functions as functions of one type.
// clang-format off
double round_even(double a) { return std::nearbyint(a); }
double round_away(double a) { return std::round(a); }
double ceil(double a) { return subnormal(a, 0) ? 1 : std::ceil(a); }
double floor(double a) { return subnormal(a, uint64_t{1} << 63) ? -1 : std::floor(a); }
double sqrt(double a) { return std::sqrt(a); }
double rsqrt(double a) { return 1.0 / std::sqrt(a); }
double cbrt(double a) { return std::cbrt(a); }
double exp(double a) { return std::exp(a); }
double expm1(double a) { return std::expm1(a); }
double log(double a) { return std::log(a); }
double log1p(double a) { return std::log1p(a); }
double sin(double a) { return std::sin(a); }
double cos(double a) { return std::cos(a); }
double tan(double a) { return std::tan(a); }
double tanh(double a) { return std::tanh(a); }
double erf(double a) { return std::erf(a); }
double logistic(double a) { return 1.0 / (1.0 + std::exp(-a)); }
double atan2(double a, double b) { return std::atan2(a, b); }
uint8_t is_finite(double a) { return std::isfinite(a); }
uint8_t not_pred(uint8_t a) { return a == 0; }
// clang-format on

// Ops that every number type has.
template <class T>
TileKernel find_common(TileOp op) {
  switch (op) {
    case TileOp::add:
      return binary<T, T, element::add<T>>;
    case TileOp::subtract:
      return binary<T, T, element::subtract<T>>;
    case TileOp::multiply:
      return binary<T, T, element::multiply<T>>;
    case TileOp::divide:
      return binary<T, T, element::divide<T>>;
    case TileOp::remainder:
      return binary<T, T, element::remainder<T>>;
    case TileOp::maximum:
      return binary<T, T, element::maximum<T>>;
    case TileOp::minimum:
      return binary<T, T, element::minimum<T>>;
    case TileOp::power:
      return binary<T, T, element::power<T>>;
    case TileOp::abs:
      return unary<T, T, element::abs<T>>;
    case TileOp::negate:
      return unary<T, T, element::negate<T>>;
    case TileOp::sign:
      return unary<T, T, element::sign<T>>;
    case TileOp::clamp:
      return clamp<T>;
    case TileOp::select:
      return select<T>;
    default:
      return nullptr;
  }
}

template <class T>
TileKernel find_integer(TileOp op) {
  switch (op) {
    case TileOp::and_:
      return binary<T, T, element::and_<T>>;
    case TileOp::or_:
      return binary<T, T, element::or_<T>>;
    case TileOp::xor_:
      return binary<T, T, element::xor_<T>>;
    case TileOp::not_:
      return unary<T, T, element::not_<T>>;
    case TileOp::shift_left:
      return binary<T, T, element::shift_left<T>>;
    case TileOp::shift_right_logical:
      return binary<T, T, element::shift_right_logical<T>>;
    case TileOp::shift_right_arithmetic:
      return binary<T, T, element::shift_right_arithmetic<T>>;
    case TileOp::popcnt:
      return unary<T, T, element::popcnt<T>>;
    case TileOp::count_leading_zeros:
      return unary<T, T, element::count_leading_zeros<T>>;
    default:
      return find_common<T>(op);
  }
}

TileKernel find_f64(TileOp op) {
  switch (op) {
    case TileOp::round_nearest_even:
      return unary<double, double, round_even>;
    case TileOp::round_nearest_afz:
      return unary<double, double, round_away>;
    case TileOp::ceil:
      return unary<double, double, ceil>;
    case TileOp::floor:
      return unary<double, double, floor>;
    case TileOp::sqrt:
      return unary<double, double, sqrt>;
    case TileOp::rsqrt:
      return unary<double, double, rsqrt>;
    case TileOp::cbrt:
      return unary<double, double, cbrt>;
    case TileOp::exponential:
      return unary<double, double, exp>;
    case TileOp::exponential_minus_one:
      return unary<double, double, expm1>;
    case TileOp::log:
      return unary<double, double, log>;
    case TileOp::log_plus_one:
      return unary<double, double, log1p>;
    case TileOp::sine:
      return unary<double, double, sin>;
    case TileOp::cosine:
      return unary<double, double, cos>;
    case TileOp::tan:
      return unary<double, double, tan>;
    case TileOp::tanh:
      return unary<double, double, tanh>;
    case TileOp::erf:
      return unary<double, double, erf>;
    case TileOp::logistic:
      return unary<double, double, logistic>;
    case TileOp::atan2:
      return binary<double, double, atan2>;
    case TileOp::is_finite:
      return unary<double, uint8_t, is_finite>;
    default:
      return find_common<double>(op);
  }
}

TileKernel find_pred(TileOp op) {
  switch (op) {
    case TileOp::and_:
    case TileOp::minimum:
    case TileOp::multiply:
      return binary<uint8_t, uint8_t, element::and_<uint8_t>>;
    case TileOp::or_:
    case TileOp::maximum:
    case TileOp::add:
      return binary<uint8_t, uint8_t, element::or_<uint8_t>>;
    case TileOp::xor_:
      return binary<uint8_t, uint8_t, element::xor_<uint8_t>>;
    case TileOp::not_:
      return unary<uint8_t, uint8_t, not_pred>;
    case TileOp::select:
      return select<uint8_t>;
    default:
      return nullptr;
  }
}

template <class T>
TileKernel find_typed(TileCode code) {
  const int value = static_cast<int>(code);
  if (value < tile_op_count) {
    const TileOp op = static_cast<TileOp>(value);
    if constexpr (std::is_same_v<T, bool>) {
      return find_pred(op);
    } else if constexpr (std::is_same_v<T, double>) {
      return find_f64(op);
    } else if constexpr (std::is_integral_v<T>) {
      return find_integer<T>(op);
    } else {
      return find_common<T>(op);
    }
  }
  if (code == TileCode::bitcast) return copy<sizeof(T)>;
  using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  if (code >= TileCode::compare && code < TileCode::compare_total) {
    return find_compare<Stored>(value - static_cast<int>(TileCode::compare));
  }
  if (code >= TileCode::compare_total && code < TileCode::compare_select) {
    return find_compare_total<Stored>(value - static_cast<int>(TileCode::compare_total));
  }
  if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
    if (code == TileCode::rotate_left) return rotate_left<T>;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (code == TileCode::round_to) return round_to;
    if (code == TileCode::reduce_precision) return reduce_precision<T>;
  }
  return nullptr;
}

template <class From, class To>
void convert_tile(const TileCall& call) {
  const From* a = static_cast<const From*>(call.operands[0]);
  To* result = static_cast<To*>(call.result);
  const int64_t count = call.count;
  SYSTOLIC_EACH_ALONE
  for (int64_t i = 0; i < count; ++i) result[i] = convert_element<To>(a[i]);
}

// Calls visitor with a tag of the compute type; null for other types.
template <class Visitor>
TileKernel visit_compute_type(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::pred:
      return visitor(TypeTag<bool>{});
    case DType::i8:
      return visitor(TypeTag<int8_t>{});
    case DType::i16:
      return visitor(TypeTag<int16_t>{});
    case DType::i32:
      return visitor(TypeTag<int32_t>{});
    case DType::i64:
      return visitor(TypeTag<int64_t>{});
    case DType::u8:
      return visitor(TypeTag<uint8_t>{});
    case DType::u16:
      return visitor(TypeTag<uint16_t>{});
    case DType::u32:
      return visitor(TypeTag<uint32_t>{});
    case DType::u64:
      return visitor(TypeTag<uint64_t>{});
    case DType::f32:
      return visitor(TypeTag<float>{});
    case DType::f64:
      return visitor(TypeTag<double>{});
    default:
      return nullptr;
  }
}

}  // namespace

TileKernel find_plain_kernel(TileCode code, DType type) {
  return visit_compute_type(
      type, [&](auto tag) -> TileKernel { return find_typed<typename decltype(tag)::type>(code); });
}

TileKernel find_convert(DType from, DType to) {
  return visit_compute_type(from, [&](auto from_tag) -> TileKernel {
    return visit_compute_type(to, [&](auto to_tag) -> TileKernel {
      return convert_tile<typename decltype(from_tag)::type, typename decltype(to_tag)::type>;
    });
  });
}

TileKernel find_kernel(TileCode code, DType type) {
  if (type == DType::f32) {
    if (const TileKernel kernel = find_f32_kernel(code)) return kernel;
  }
  if (type == DType::i32) {
    if (const TileKernel kernel = find_i32_kernel(code)) return kernel;
  }
  if (type == DType::u32) {
    if (const TileKernel kernel = find_u32_kernel(code)) return kernel;
  }
  return find_plain_kernel(code, type);
}

}  // namespace kernels
}  // namespace systolic::inline v0
