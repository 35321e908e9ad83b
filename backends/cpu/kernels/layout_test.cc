// Moving elements, against index arithmetic.
#include "backends/cpu/kernels/layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/shape.h"

namespace systolic {
namespace {

using Dims = std::vector<int64_t>;

ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

int64_t product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

int64_t offset_of(const Dims& dims, const Dims& index) {
  int64_t offset = 0;
  for (size_t k = 0; k < dims.size(); ++k) offset = offset * dims[k] + index[k];
  return offset;
}

// Elements of `bytes` bytes that are all different as far as the width allows.
std::vector<uint8_t> numbered(int64_t count, int bytes) {
  std::vector<uint8_t> data(static_cast<size_t>(count * bytes));
  uint32_t state = 1;
  for (uint8_t& byte : data) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return data;
}

// Checks output[i] == input[source(i)] for every index i of output_dims; source returns -1 for
// `padding`.
template <class Source>
void expect_moved(const char* what, int bytes, const Dims& output_dims,
                  const std::vector<uint8_t>& input, const std::vector<uint8_t>& output,
                  const std::vector<uint8_t>& padding, Source source) {
  if (product(output_dims) == 0) return;
  Dims index(output_dims.size(), 0);
  const Shape shape(output_dims);
  int64_t position = 0;
  do {
    const int64_t from = source(index);
    const uint8_t* wanted = from < 0 ? padding.data() : input.data() + from * bytes;
    ASSERT_EQ(std::memcmp(output.data() + position * bytes, wanted, static_cast<size_t>(bytes)), 0)
        << what << " of " << bytes << " bytes at element " << position;
    ++position;
  } while (next_index(shape, index));
}

const int widths[] = {1, 2, 4, 8, 16};

TEST(Layout, TransposeOfAnyPermutation) {
  struct Case {
    Dims dims, permutation;
  };
  const Case cases[] = {
      {{}, {}},
      {{7}, {0}},
      {{3, 5}, {1, 0}},
      {{67, 45}, {1, 0}},
      {{300, 130}, {1, 0}},
      {{2, 9, 11, 5}, {0, 3, 1, 2}},   // NHWC to NCHW
      {{2, 5, 9, 11}, {0, 2, 3, 1}},   // and back
      {{3, 40, 2, 50}, {0, 2, 1, 3}},  // attention heads
      {{4, 1, 6, 5}, {3, 1, 0, 2}},
      {{2, 3, 4, 5, 6, 2}, {5, 3, 1, 0, 2, 4}},
      {{40000, 2}, {1, 0}},
      {{2, 40000}, {1, 0}},
      {{0, 3}, {1, 0}},
  };
  for (const Case& c : cases) {
    for (int bytes : widths) {
      Dims output_dims;
      for (int64_t axis : c.permutation) output_dims.push_back(c.dims[axis]);
      const auto input = numbered(product(c.dims), bytes);
      std::vector<uint8_t> output(input.size());
      kernels::transpose(bytes, c.dims, c.permutation, input.data(), output.data(), pool());
      expect_moved("transpose", bytes, output_dims, input, output, {}, [&](const Dims& index) {
        Dims from(index.size());
        for (size_t k = 0; k < index.size(); ++k) from[c.permutation[k]] = index[k];
        return offset_of(c.dims, from);
      });
    }
  }
}

TEST(Layout, BroadcastInDim) {
  struct Case {
    Dims dims, axes, output_dims;
  };
  const Case cases[] = {{{}, {}, {5, 3}},           {{4}, {1}, {3, 4}},
                        {{4}, {0}, {4, 30}},        {{1, 7}, {0, 2}, {5, 2, 7}},
                        {{6, 1}, {0, 1}, {6, 100}}, {{2, 3}, {2, 0}, {3, 4, 2}},
                        {{1}, {0}, {100000}}};
  for (const Case& c : cases) {
    for (int bytes : widths) {
      const auto input = numbered(product(c.dims), bytes);
      std::vector<uint8_t> output(static_cast<size_t>(product(c.output_dims) * bytes));
      kernels::broadcast_in_dim(bytes, c.dims, c.axes, c.output_dims, input.data(), output.data(),
                                pool());
      expect_moved("broadcast", bytes, c.output_dims, input, output, {}, [&](const Dims& index) {
        Dims from(c.dims.size());
        for (size_t k = 0; k < from.size(); ++k) from[k] = c.dims[k] == 1 ? 0 : index[c.axes[k]];
        return offset_of(c.dims, from);
      });
    }
  }
}

TEST(Layout, SliceWithSteps) {
  struct Case {
    Dims dims, starts, limits, steps;
  };
  const Case cases[] = {{{10}, {2}, {9}, {1}},
                        {{10}, {1}, {10}, {4}},
                        {{6, 8}, {0, 3}, {6, 4}, {1, 1}},
                        {{6, 8, 5}, {1, 0, 2}, {6, 8, 5}, {2, 3, 1}},
                        {{3, 3}, {1, 1}, {1, 3}, {1, 1}}};
  for (const Case& c : cases) {
    for (int bytes : widths) {
      Dims output_dims;
      for (size_t k = 0; k < c.dims.size(); ++k) {
        output_dims.push_back((c.limits[k] - c.starts[k] + c.steps[k] - 1) / c.steps[k]);
      }
      const auto input = numbered(product(c.dims), bytes);
      std::vector<uint8_t> output(static_cast<size_t>(product(output_dims) * bytes));
      kernels::slice(bytes, c.dims, c.starts, c.limits, c.steps, input.data(), output.data(),
                     pool());
      expect_moved("slice", bytes, output_dims, input, output, {}, [&](const Dims& index) {
        Dims from(index.size());
        for (size_t k = 0; k < from.size(); ++k) from[k] = c.starts[k] + index[k] * c.steps[k];
        return offset_of(c.dims, from);
      });
    }
  }
}

TEST(Layout, Reverse) {
  const Dims dims = {3, 4, 50};
  for (const Dims& axes : {Dims{}, Dims{0}, Dims{2}, Dims{2, 1}, Dims{0, 1, 2}}) {
    const auto input = numbered(product(dims), 4);
    std::vector<uint8_t> output(input.size());
    kernels::reverse(4, dims, axes, input.data(), output.data(), pool());
    expect_moved("reverse", 4, dims, input, output, {}, [&](Dims index) {
      for (int64_t axis : axes) index[axis] = dims[axis] - 1 - index[axis];
      return offset_of(dims, index);
    });
  }
}

TEST(Layout, Concatenate) {
  for (int axis : {0, 1, 2}) {
    const Dims sizes = {2, 0, 5, 1};
    Dims dims = {3, 4, 6};
    std::vector<std::vector<uint8_t>> parts;
    std::vector<const void*> pointers;
    for (size_t n = 0; n < sizes.size(); ++n) {
      Dims part = dims;
      part[axis] = sizes[n];
      parts.push_back(numbered(product(part) + static_cast<int64_t>(n), 4));
      pointers.push_back(parts.back().data());
    }
    dims[axis] = 8;
    std::vector<uint8_t> output(static_cast<size_t>(product(dims) * 4));
    kernels::concatenate(4, dims, axis, sizes, pointers, output.data(), pool());
    Dims index(3, 0);
    int64_t position = 0;
    do {
      size_t n = 0;
      Dims from = index;
      while (from[axis] >= sizes[n]) from[axis] -= sizes[n++];
      Dims part = dims;
      part[axis] = sizes[n];
      ASSERT_EQ(std::memcmp(output.data() + position++ * 4,
                            parts[n].data() + offset_of(part, from) * 4, 4),
                0)
          << axis;
    } while (next_index(Shape(dims), index));
  }
}

TEST(Layout, PadWithInteriorAndNegativeEdges) {
  struct Case {
    Dims dims, low, high, interior;
  };
  const Case cases[] = {{{5}, {0}, {0}, {0}},
                        {{5}, {2}, {3}, {0}},
                        {{5}, {-2}, {-1}, {0}},
                        {{5}, {1}, {2}, {2}},
                        {{5}, {-1}, {-1}, {2}},
                        {{5}, {-4}, {-5}, {3}},
                        {{5}, {-5}, {0}, {0}},
                        {{5}, {-9}, {20}, {1}},
                        {{0}, {2}, {1}, {3}},
                        {{4, 6, 3}, {1, -2, 0}, {-1, 2, 4}, {1, 0, 2}},
                        {{2, 30, 30, 4}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}}};
  for (const Case& c : cases) {
    for (int bytes : widths) {
      Dims output_dims;
      for (size_t k = 0; k < c.dims.size(); ++k) {
        const int64_t inner = c.dims[k] == 0 ? 0 : (c.dims[k] - 1) * c.interior[k];
        output_dims.push_back(std::max<int64_t>(0, c.dims[k] + inner + c.low[k] + c.high[k]));
      }
      const auto input = numbered(product(c.dims), bytes);
      const std::vector<uint8_t> padding(static_cast<size_t>(bytes), 0xab);
      std::vector<uint8_t> output(static_cast<size_t>(product(output_dims) * bytes));
      kernels::pad(bytes, c.dims, c.low, c.high, c.interior, input.data(), padding.data(),
                   output.data(), pool());
      expect_moved("pad", bytes, output_dims, input, output, padding, [&](const Dims& index) {
        Dims from(index.size());
        for (size_t k = 0; k < from.size(); ++k) {
          const int64_t place = index[k] - c.low[k], step = c.interior[k] + 1;
          if (place < 0 || place % step != 0 || place / step >= c.dims[k]) return int64_t{-1};
          from[k] = place / step;
        }
        return offset_of(c.dims, from);
      });
    }
  }
}

TEST(Layout, UpdateSliceClampsItsStart) {
  const Dims dims = {6, 7}, update_dims = {2, 3};
  for (const Dims& starts : {Dims{1, 2}, Dims{-3, 0}, Dims{5, 6}}) {
    for (bool in_place : {false, true}) {
      const auto input = numbered(42, 4);
      const auto update = numbered(48, 4);
      std::vector<uint8_t> output = in_place ? input : std::vector<uint8_t>(42 * 4);
      kernels::update_slice(4, dims, update_dims, starts, in_place ? output.data() : input.data(),
                            update.data(), output.data(), pool());
      const int64_t row = std::clamp<int64_t>(starts[0], 0, 4);
      const int64_t column = std::clamp<int64_t>(starts[1], 0, 4);
      for (int64_t i = 0; i < 6; ++i) {
        for (int64_t j = 0; j < 7; ++j) {
          const bool inside = i >= row && i < row + 2 && j >= column && j < column + 3;
          const uint8_t* wanted = inside ? update.data() + ((i - row) * 3 + j - column) * 4
                                         : input.data() + (i * 7 + j) * 4;
          ASSERT_EQ(std::memcmp(output.data() + (i * 7 + j) * 4, wanted, 4), 0);
        }
      }
    }
  }
}

TEST(Layout, ConvertKeepsBoundsAcrossPieces) {
  const int64_t count = 50001;
  std::vector<float> x(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i - 25000) * 0.37f;
  std::vector<bfloat16> narrow(x.size());
  std::vector<float> wide(x.size());
  std::vector<int16_t> integers(x.size());
  std::vector<float16> half(x.size());
  std::vector<std::complex<float>> complex(x.size());
  kernels::convert(DType::f32, x.data(), DType::bf16, narrow.data(), count, pool());
  kernels::convert(DType::bf16, narrow.data(), DType::f32, wide.data(), count, pool());
  kernels::convert(DType::f32, x.data(), DType::i16, integers.data(), count, pool());
  kernels::convert(DType::f32, x.data(), DType::f16, half.data(), count, pool());
  kernels::convert(DType::f32, x.data(), DType::c64, complex.data(), count, pool());
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(narrow[i].bits, bfloat16(x[i]).bits);
    ASSERT_EQ(wide[i], static_cast<float>(bfloat16(x[i])));
    ASSERT_EQ(integers[i], static_cast<int16_t>(x[i]));
    ASSERT_EQ(half[i].bits, float16(x[i]).bits);
    ASSERT_EQ(complex[i], std::complex<float>(x[i], 0));
  }
}

TEST(Layout, FillAndCopyOfLongArrays) {
  const uint16_t value = 0xbeef;
  std::vector<uint16_t> output(300001);
  kernels::fill(2, &value, output.data(), 300000, pool());
  EXPECT_EQ(output[299999], value);
  EXPECT_EQ(output[300000], 0);
  std::vector<uint16_t> copy(300001);
  kernels::copy_bytes(output.data(), copy.data(), 600002, pool());
  EXPECT_EQ(copy, output);
}

}  // namespace
}  // namespace systolic
