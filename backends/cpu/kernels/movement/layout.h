// Moving elements without computing: strided copies, pad, fill, and conversion of type.
//
// All arrays are row-major unless strides are given; sizes, strides and offsets count elements;
// element_bytes is 1, 2, 4, 8 or 16. At most 12 axes. Nothing is allocated. Inputs and outputs must
// not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

inline constexpr int max_axes = 12;

// destination[sum i * destination_strides] = source[sum i * source_strides] for every index i of
// `dims`. Source strides may be 0 (broadcast) or negative (reverse); transposes are blocked for the
// caches.
void copy_strided(int element_bytes, std::span<const int64_t> dims, const void* source,
                  std::span<const int64_t> source_strides, void* destination,
                  std::span<const int64_t> destination_strides, ThreadPool& pool);

// StableHLO pad: low and high may be negative (cut off), interior elements go between neighbours.
// `value` is one element.
void pad(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> low,
         std::span<const int64_t> high, std::span<const int64_t> interior, const void* input,
         const void* value, void* output, ThreadPool& pool);
// count copies of the element at `value`.
void fill(int element_bytes, const void* value, void* output, int64_t count, ThreadPool& pool);
void copy_bytes(const void* input, void* output, int64_t bytes, ThreadPool& pool);

// StableHLO convert of `count` elements; pred, integers and real floats of all widths, and complex
// from and to complex or real (the imaginary part is dropped or 0).
void convert(DType from, const void* input, DType to, void* output, int64_t count,
             ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
