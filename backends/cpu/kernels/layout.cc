#include "backends/cpu/kernels/layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/small_float_arrays.h"
#include "systolic/base/error.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using Axes = std::array<int64_t, max_axes>;

Axes row_major(std::span<const int64_t> dims) {
  ensure(dims.size() <= static_cast<size_t>(max_axes), "arrays have at most 12 axes here");
  Axes strides{};
  int64_t stride = 1;
  for (size_t k = dims.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= dims[k];
  }
  return strides;
}

int64_t elements_of(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

std::span<const int64_t> first(const Axes& axes, size_t count) { return {axes.data(), count}; }

const void* at(const void* array, int64_t offset, int element_bytes) {
  return static_cast<const char*>(array) + offset * element_bytes;
}
void* at(void* array, int64_t offset, int element_bytes) {
  return static_cast<char*>(array) + offset * element_bytes;
}

constexpr int64_t piece_bytes = 1 << 17;

}  // namespace

void transpose(int element_bytes, std::span<const int64_t> dims,
               std::span<const int64_t> permutation, const void* input, void* output,
               ThreadPool& pool) {
  const Axes strides = row_major(dims);
  Axes output_dims{}, source{};
  for (size_t k = 0; k < dims.size(); ++k) {
    output_dims[k] = dims[permutation[k]];
    source[k] = strides[permutation[k]];
  }
  const std::span<const int64_t> result = first(output_dims, dims.size());
  copy_strided(element_bytes, result, input, first(source, dims.size()), output,
               first(row_major(result), dims.size()), pool);
}

void broadcast_in_dim(int element_bytes, std::span<const int64_t> dims,
                      std::span<const int64_t> axes, std::span<const int64_t> output_dims,
                      const void* input, void* output, ThreadPool& pool) {
  const Axes strides = row_major(dims);
  Axes source{};
  for (size_t k = 0; k < dims.size(); ++k) source[axes[k]] = dims[k] == 1 ? 0 : strides[k];
  copy_strided(element_bytes, output_dims, input, first(source, output_dims.size()), output,
               first(row_major(output_dims), output_dims.size()), pool);
}

void slice(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> starts,
           std::span<const int64_t> limits, std::span<const int64_t> steps, const void* input,
           void* output, ThreadPool& pool) {
  const Axes strides = row_major(dims);
  Axes output_dims{}, source{};
  int64_t offset = 0;
  for (size_t k = 0; k < dims.size(); ++k) {
    output_dims[k] = std::max<int64_t>(0, (limits[k] - starts[k] + steps[k] - 1) / steps[k]);
    source[k] = strides[k] * steps[k];
    offset += strides[k] * starts[k];
  }
  const std::span<const int64_t> result = first(output_dims, dims.size());
  copy_strided(element_bytes, result, at(input, offset, element_bytes), first(source, dims.size()),
               output, first(row_major(result), dims.size()), pool);
}

void update_slice(int element_bytes, std::span<const int64_t> dims,
                  std::span<const int64_t> update_dims, std::span<const int64_t> starts,
                  const void* input, const void* update, void* output, ThreadPool& pool) {
  if (input != output) copy_bytes(input, output, elements_of(dims) * element_bytes, pool);
  const Axes strides = row_major(dims);
  int64_t offset = 0;
  for (size_t k = 0; k < dims.size(); ++k) {
    offset += std::clamp<int64_t>(starts[k], 0, dims[k] - update_dims[k]) * strides[k];
  }
  copy_strided(element_bytes, update_dims, update,
               first(row_major(update_dims), update_dims.size()), at(output, offset, element_bytes),
               first(strides, dims.size()), pool);
}

void reverse(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> axes,
             const void* input, void* output, ThreadPool& pool) {
  const Axes strides = row_major(dims);
  Axes source = strides;
  int64_t offset = 0;
  for (int64_t axis : axes) {
    source[axis] = -strides[axis];
    offset += strides[axis] * (dims[axis] - 1);
  }
  copy_strided(element_bytes, dims, at(input, offset, element_bytes), first(source, dims.size()),
               output, first(strides, dims.size()), pool);
}

void concatenate(int element_bytes, std::span<const int64_t> dims, int axis,
                 std::span<const int64_t> sizes, std::span<const void* const> inputs, void* output,
                 ThreadPool& pool) {
  const Axes strides = row_major(dims);
  Axes part{};
  std::copy(dims.begin(), dims.end(), part.begin());
  int64_t position = 0;
  for (size_t n = 0; n < inputs.size(); ++n) {
    part[axis] = sizes[n];
    const std::span<const int64_t> input_dims = first(part, dims.size());
    copy_strided(element_bytes, input_dims, inputs[n], first(row_major(input_dims), dims.size()),
                 at(output, position * strides[axis], element_bytes), first(strides, dims.size()),
                 pool);
    position += sizes[n];
  }
}

namespace {

// One axis of a pad: which input elements survive and where the first one goes.
struct PaddedAxis {
  int64_t first = 0, count = 0, target = 0;
};

PaddedAxis clip(int64_t size, int64_t low, int64_t step, int64_t output_size) {
  PaddedAxis result;
  if (low < 0) result.first = (-low + step - 1) / step;
  result.target = low + result.first * step;
  if (result.target < output_size && result.first < size) {
    const int64_t room = (output_size - 1 - result.target) / step + 1;
    result.count = std::min(size - result.first, room);
  }
  return result;
}

}  // namespace

void pad(int element_bytes, std::span<const int64_t> dims, std::span<const int64_t> low,
         std::span<const int64_t> high, std::span<const int64_t> interior, const void* input,
         const void* value, void* output, ThreadPool& pool) {
  Axes output_dims{};
  for (size_t k = 0; k < dims.size(); ++k) {
    const int64_t spread = dims[k] + std::max<int64_t>(0, dims[k] - 1) * interior[k];
    output_dims[k] = std::max<int64_t>(0, low[k] + spread + high[k]);
  }
  const std::span<const int64_t> result = first(output_dims, dims.size());
  const Axes input_strides = row_major(dims), output_strides = row_major(result);
  Axes counts{}, target_strides{};
  int64_t source_offset = 0, target_offset = 0;
  for (size_t k = 0; k < dims.size(); ++k) {
    const int64_t step = interior[k] + 1;
    const PaddedAxis axis = clip(dims[k], low[k], step, output_dims[k]);
    counts[k] = axis.count;
    target_strides[k] = output_strides[k] * step;
    source_offset += axis.first * input_strides[k];
    target_offset += axis.target * output_strides[k];
  }
  const std::span<const int64_t> kept = first(counts, dims.size());
  const int64_t output_elements = elements_of(result);
  if (elements_of(kept) != output_elements) {
    fill(element_bytes, value, output, output_elements, pool);
  }
  if (elements_of(kept) == 0) return;
  copy_strided(element_bytes, kept, at(input, source_offset, element_bytes),
               first(input_strides, dims.size()), at(output, target_offset, element_bytes),
               first(target_strides, dims.size()), pool);
}

void fill(int element_bytes, const void* value, void* output, int64_t count, ThreadPool& pool) {
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T element;
    std::memcpy(&element, value, sizeof(T));
    T* result = static_cast<T*>(output);
    const auto body = [&](int64_t begin, int64_t end) {
      std::fill(result + begin, result + end, element);
    };
    const int64_t grain = piece_bytes / static_cast<int64_t>(sizeof(T));
    if (count <= grain) return body(0, count);
    pool.parallel_for(count, grain, body);
  });
}

void copy_bytes(const void* input, void* output, int64_t bytes, ThreadPool& pool) {
  const auto body = [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(output) + begin, static_cast<const char*>(input) + begin,
                static_cast<size_t>(end - begin));
  };
  if (bytes == 0) return;
  if (bytes <= piece_bytes) return body(0, bytes);
  pool.parallel_for(bytes, piece_bytes, body);
}

namespace {

// The conversions of mixed precision, vectorized; false for the others.
bool convert_small_floats(DType from, const void* input, DType to, void* output, int64_t count) {
  if (from == DType::bf16 && to == DType::f32) {
    bf16_to_f32(static_cast<const bfloat16*>(input), static_cast<float*>(output), count);
  } else if (from == DType::f32 && to == DType::bf16) {
    f32_to_bf16(static_cast<const float*>(input), static_cast<bfloat16*>(output), count);
  } else if (from == DType::f16 && to == DType::f32) {
    f16_to_f32(static_cast<const float16*>(input), static_cast<float*>(output), count);
  } else if (from == DType::f32 && to == DType::f16) {
    f32_to_f16(static_cast<const float*>(input), static_cast<float16*>(output), count);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void convert(DType from, const void* input, DType to, void* output, int64_t count,
             ThreadPool& pool) {
  const int from_bytes = byte_width(from), to_bytes = byte_width(to);
  if (from == to) return copy_bytes(input, output, count * from_bytes, pool);
  const auto body = [&](int64_t begin, int64_t end) {
    const void* source = at(input, begin, from_bytes);
    void* destination = at(output, begin, to_bytes);
    if (convert_small_floats(from, source, to, destination, end - begin)) return;
    convert_elements(from, source, to, destination, end - begin);
  };
  constexpr int64_t grain = 16384;
  if (count <= grain) return body(0, count);
  pool.parallel_for(count, grain, body);
}

}  // namespace kernels
}  // namespace systolic::inline v0
