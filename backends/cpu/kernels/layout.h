// Moving elements without computing: transpose, broadcast, slice, pad, reverse, concatenate, and
// conversion of type.
//
// All arrays are row-major unless strides are given; sizes, strides and offsets count elements;
// element_bytes is 1, 2, 4, 8 or 16. At most 12 axes. Nothing is allocated. Inputs and outputs must
// not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "systolic/base/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

inline constexpr int max_axes = 12;

// destination[sum i * destination_strides] = source[sum i * source_strides] for every index i of
// `dims`. Source strides may be 0 or negative. The other functions are special cases of this one,
// with transposes blocked for the caches.
void copy_strided(int element_bytes, std::span<const int64_t> dims, const void* source,
                  std::span<const int64_t> source_strides, void* destination,
                  std::span<const int64_t> destination_strides, ThreadPool& pool);

// output[i0, i1, ...] has output.dims[k] = dims[permutation[k]].
void transpose(int element_bytes, std::span<const int64_t> dims,
               std::span<const int64_t> permutation, const void* input, void* output,
               ThreadPool& pool);
// Axis k of the input becomes axis axes[k] of the output; size 1 is repeated (StableHLO
// broadcast_in_dim).
void broadcast_in_dim(int element_bytes, std::span<const int64_t> dims,
                      std::span<const int64_t> axes, std::span<const int64_t> output_dims,
                      const void* input, void* output, ThreadPool& pool);
// input[starts[k] : limits[k] : steps[k]] along each axis.
void slice(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> starts,
           std::span<const int64_t> limits, std::span<const int64_t> steps, const void* input,
           void* output, ThreadPool& pool);
// output starts as a copy of `input` (skipped when they are the same memory) and gets `update` at
// `starts`, which are clamped so that the update fits (StableHLO dynamic_update_slice).
void update_slice(int element_bytes, std::span<const int64_t> dims,
                  std::span<const int64_t> update_dims, std::span<const int64_t> starts,
                  const void* input, const void* update, void* output, ThreadPool& pool);
void reverse(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> axes,
             const void* input, void* output, ThreadPool& pool);
// Joins inputs[n] along `axis`: `dims` are the output's, sizes[n] the inputs' along the axis.
void concatenate(int element_bytes, std::span<const int64_t> dims, int axis,
                 std::span<const int64_t> sizes, std::span<const void* const> inputs, void* output,
                 ThreadPool& pool);
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
