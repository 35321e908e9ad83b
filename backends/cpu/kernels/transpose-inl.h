// A square of as many vectors as each has lanes, transposed in registers; compiled once for each
// instruction set.
#if defined(SYSTOLIC_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_TRANSPOSE_INL_H_
#undef SYSTOLIC_KERNELS_TRANSPOSE_INL_H_
#else
#define SYSTOLIC_KERNELS_TRANSPOSE_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Transposes as many rows as a block of 16 bytes has elements, each block by itself.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void transpose_in_blocks(D d, V* rows) {
  static_assert(sizeof(hn::TFromD<D>) == 4 || sizeof(hn::TFromD<D>) == 8, "32 or 64 bits");
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V low = hn::InterleaveLower(d, rows[0], rows[1]);
    rows[1] = hn::InterleaveUpper(d, rows[0], rows[1]);
    rows[0] = low;
  } else {
    const hn::Repartition<double, D> pairs;
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
    rows[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    rows[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    rows[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    rows[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
}

// The blocks of rows[0], rows[apart], ..., as many as a vector has.
template <int blocks, class D, class V = hn::Vec<D>>
HWY_INLINE void transpose_blocks(D d, V* rows, size_t apart) {
  static_assert(blocks == 1 || blocks == 2 || blocks == 4, "vectors of 128 to 512 bits");
  if constexpr (blocks == 2) {
    const V low = hn::ConcatLowerLower(d, rows[apart], rows[0]);
    rows[apart] = hn::ConcatUpperUpper(d, rows[apart], rows[0]);
    rows[0] = low;
  }
  if constexpr (blocks == 4) {
    const V low_even = hn::ConcatLowerLower(d, rows[2 * apart], rows[0]);
    const V low_odd = hn::ConcatLowerLower(d, rows[3 * apart], rows[apart]);
    const V high_even = hn::ConcatUpperUpper(d, rows[2 * apart], rows[0]);
    const V high_odd = hn::ConcatUpperUpper(d, rows[3 * apart], rows[apart]);
    rows[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low_odd), low_even);
    rows[apart] = hn::OddEvenBlocks(low_odd, hn::SwapAdjacentBlocks(low_even));
    rows[2 * apart] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high_odd), high_even);
    rows[3 * apart] = hn::OddEvenBlocks(high_odd, hn::SwapAdjacentBlocks(high_even));
  }
}

// Element j of row i becomes element i of row j.
template <class D, size_t lanes, class V = hn::Vec<D>>
HWY_INLINE void transpose_square(D d, V (&rows)[lanes]) {
  static_assert(lanes == hn::MaxLanes(D()), "a square");
  constexpr size_t in_block = 16 / sizeof(hn::TFromD<D>);
  for (size_t i = 0; i < lanes; i += in_block) transpose_in_blocks(d, rows + i);
  for (size_t j = 0; j < in_block; ++j) {
    transpose_blocks<static_cast<int>(lanes / in_block)>(d, rows + j, in_block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
