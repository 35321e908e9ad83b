// Moving elements, against index arithmetic.
#include "backends/cpu/kernels/movement/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"
#include "systolic/core/shape.h"

namespace systolic {
namespace {

using Dims = std::vector<int64_t>;

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

// Row-major, counted in elements.
Dims strides_of(const Dims& dims) { return Shape(dims).strides(); }

// The elements from the first to the last that an array of these dims and strides touches, and
// where among them index 0 lies.
struct Extent {
  int64_t elements = 1, origin = 0;
  Extent(const Dims& dims, const Dims& strides) {
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t reach = std::max<int64_t>(0, dims[k] - 1) * strides[k];
      elements += std::abs(reach);
      if (reach < 0) origin -= reach;
    }
  }
};

// Copies elements of every width, and looks at the whole destination: what no index reaches keeps
// its bytes.
void check_copy(const Dims& dims, const Dims& source_strides, const Dims& destination_strides) {
  SCOPED_TRACE(to_string(Shape(dims)) + " from strides " + to_string(Shape(source_strides)) +
               " to " + to_string(Shape(destination_strides)));
  const Extent from(dims, source_strides), to(dims, destination_strides);
  for (int bytes : widths) {
    const auto source = numbered(from.elements, bytes);
    std::vector<uint8_t> wanted(static_cast<size_t>(to.elements * bytes), 0xcd);
    std::vector<uint8_t> got = wanted;
    const auto copy_one = [&](const Dims& index) {
      int64_t read = from.origin, write = to.origin;
      for (size_t k = 0; k < index.size(); ++k) {
        read += index[k] * source_strides[k];
        write += index[k] * destination_strides[k];
      }
      std::memcpy(wanted.data() + write * bytes, source.data() + read * bytes,
                  static_cast<size_t>(bytes));
    };
    Dims index(dims.size(), 0);
    if (product(dims) > 0) {
      do copy_one(index);
      while (next_index(Shape(dims), index));
    }
    kernels::copy_strided(bytes, dims, source.data() + from.origin * bytes, source_strides,
                          got.data() + to.origin * bytes, destination_strides, pool());
    ASSERT_TRUE(got == wanted) << bytes << " bytes an element";
  }
}

TEST(CopyStrided, TransposesByAnyPermutation) {
  struct Case {
    Dims dims, permutation;
  };
  const Case cases[] = {
      {{}, {}},
      {{7}, {0}},
      {{3, 5}, {1, 0}},
      {{67, 45}, {1, 0}},
      {{300, 130}, {1, 0}},
      {{16, 300}, {1, 0}},
      {{300, 48}, {1, 0}},
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
    const Dims strides = strides_of(c.dims);
    Dims output_dims, source;
    for (int64_t axis : c.permutation) {
      output_dims.push_back(c.dims[axis]);
      source.push_back(strides[axis]);
    }
    check_copy(output_dims, source, strides_of(output_dims));
  }
}

TEST(CopyStrided, BroadcastsStepsAndReverses) {
  struct Case {
    Dims dims, source_strides;
  };
  const Case cases[] = {
      {{5, 3}, {0, 0}},          // one element everywhere
      {{3, 4}, {0, 1}},          // a row, repeated
      {{4, 30}, {1, 0}},         // a column, repeated
      {{5, 2, 7}, {0, 0, 1}},    //
      {{3, 4, 2}, {1, 0, 3}},    // [2, 3] transposed and repeated
      {{100000}, {0}},           //
      {{3}, {4}},                // every fourth
      {{6, 1}, {8, 1}},          // a column of [6, 8]
      {{3, 3, 3}, {80, 15, 1}},  // steps of [6, 8, 5]
      {{3, 4, 50}, {-200, 50, 1}},
      {{3, 4, 50}, {200, 50, -1}},
      {{3, 4, 50}, {200, -50, -1}},
      {{3, 4, 50}, {-200, -50, -1}},
      {{0, 3}, {3, 1}},
  };
  for (const Case& c : cases) check_copy(c.dims, c.source_strides, strides_of(c.dims));
}

TEST(CopyStrided, WritesIntoAPartOfALargerArray) {
  struct Case {
    Dims dims, destination_strides;
  };
  const Case cases[] = {
      {{2, 3}, {7, 1}},          // an update of [6, 7]
      {{3, 5, 6}, {48, 6, 1}},   // one of the parts joined along axis 1 of [3, 8, 6]
      {{3, 4, 2}, {32, 8, 1}},   // along the last axis
      {{5}, {3}},                // padding between the elements
      {{4, 6, 3}, {180, 9, 3}},  //
      {{300, 130}, {200, 1}},    // longer than one piece of work
      {{2, 30, 30, 4}, {4096, 128, 4, 1}},
  };
  for (const Case& c : cases) check_copy(c.dims, strides_of(c.dims), c.destination_strides);
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
