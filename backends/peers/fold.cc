#include "backends/peers/fold.h"

#include <cmath>
#include <type_traits>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace peers {

using ir::OpCode;

namespace {

template <class T>
inline constexpr bool is_narrow_float = !std::is_arithmetic_v<T> && sizeof(T) <= 2;
template <class T>
inline constexpr bool is_complex_number = !std::is_arithmetic_v<T> && sizeof(T) > 2;

// The type in which two elements are folded.
template <class T>
using Wide = std::conditional_t<is_narrow_float<T>, float, T>;

template <class T>
Wide<T> fold_two(OpCode fold, Wide<T> a, Wide<T> b) {
  using W = Wide<T>;
  if (fold == OpCode::add) {
    if constexpr (std::is_integral_v<W> && !std::is_same_v<W, bool>) {
      using U = std::make_unsigned_t<W>;  // wraps
      return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return static_cast<W>(a + b);
    }
  }
  if (fold == OpCode::multiply) {
    if constexpr (std::is_integral_v<W> && !std::is_same_v<W, bool>) {
      return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return static_cast<W>(a * b);
    }
  }
  if constexpr (std::is_integral_v<W>) {
    if (fold == OpCode::and_) return static_cast<W>(a & b);
    if (fold == OpCode::or_) return static_cast<W>(a | b);
    if (fold == OpCode::xor_) return static_cast<W>(a ^ b);
  }
  if constexpr (!is_complex_number<W>) {
    if constexpr (std::is_floating_point_v<W>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
    }
    return (fold == OpCode::maximum) == (a > b) ? a : b;
  }
  return a;
}

template <class T, OpCode fold>
void fold_all(void* out, const void* a, const void* b, size_t elements) {
  auto* to = static_cast<T*>(out);
  const auto *first = static_cast<const T*>(a), *second = static_cast<const T*>(b);
  for (size_t i = 0; i < elements; ++i) {
    to[i] = static_cast<T>(
        fold_two<T>(fold, static_cast<Wide<T>>(first[i]), static_cast<Wide<T>>(second[i])));
  }
}

template <class T>
FoldArrays find_fold(OpCode fold) {
  constexpr bool is_whole = std::is_integral_v<T>;
  switch (fold) {
    case OpCode::add:
      return fold_all<T, OpCode::add>;
    case OpCode::multiply:
      return fold_all<T, OpCode::multiply>;
    case OpCode::maximum:
      if constexpr (!is_complex_number<T>) return fold_all<T, OpCode::maximum>;
      return nullptr;
    case OpCode::minimum:
      if constexpr (!is_complex_number<T>) return fold_all<T, OpCode::minimum>;
      return nullptr;
    case OpCode::and_:
      if constexpr (is_whole) return fold_all<T, OpCode::and_>;
      return nullptr;
    case OpCode::or_:
      if constexpr (is_whole) return fold_all<T, OpCode::or_>;
      return nullptr;
    case OpCode::xor_:
      if constexpr (is_whole) return fold_all<T, OpCode::xor_>;
      return nullptr;
    default:
      return nullptr;
  }
}

FoldArrays find_fold(DType dtype, OpCode fold) {
  const bool has_four_bits = dtype == DType::i4 || dtype == DType::u4;
  const bool wraps = fold == OpCode::add || fold == OpCode::multiply;
  if (dtype == DType::string || dtype == DType::token || (has_four_bits && wraps)) return nullptr;
  return visit_dtype(dtype,
                     [&](auto tag) { return find_fold<typename decltype(tag)::type>(fold); });
}

}  // namespace

bool can_fold(DType dtype, OpCode fold) { return find_fold(dtype, fold) != nullptr; }

FoldArrays fold_arrays(DType dtype, OpCode fold) {
  const FoldArrays found = find_fold(dtype, fold);
  if (found == nullptr) {
    raise<Unimplemented>({.what = str("an all_reduce of ", to_string(dtype), " by ",
                                      ir::info(fold).name, " between processes")});
  }
  return found;
}

}  // namespace peers
}  // namespace systolic::inline v0
