#include "backends/cpu/kernels/movement/transpose_block.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/movement/transpose_block.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/transpose-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void transpose_block_target(const uint32_t* source, int64_t source_stride, uint32_t* destination,
                            int64_t destination_stride, int64_t rows) {
  const hn::ScalableTag<uint32_t> d;
  constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(d));
  static_assert(transpose_unit % lanes == 0, "whole squares");
  for (int64_t row = 0; row < rows; row += lanes) {
    for (int64_t column = 0; column < transpose_unit; column += lanes) {
      hn::Vec<decltype(d)> square[lanes];
      for (int64_t i = 0; i < lanes; ++i) {
        square[i] = hn::LoadU(d, source + (column + i) * source_stride + row);
      }
      transpose_square(d, square);
      for (int64_t i = 0; i < lanes; ++i) {
        hn::StoreU(square[i], d, destination + (row + i) * destination_stride + column);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(transpose_block_target);

void transpose_block(const uint32_t* source, int64_t source_stride, uint32_t* destination,
                     int64_t destination_stride, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(transpose_block_target)
  (source, source_stride, destination, destination_stride, rows);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
