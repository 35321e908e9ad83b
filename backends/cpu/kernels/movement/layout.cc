#include "backends/cpu/kernels/movement/layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/float_conversion.h"
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
  const auto is_small = [](DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; };
  if (is_small(from) && to == DType::f32) {
    widen_floats(from, input, static_cast<float*>(output), count);
  } else if (from == DType::f32 && is_small(to)) {
    narrow_floats(to, static_cast<const float*>(input), output, count);
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
