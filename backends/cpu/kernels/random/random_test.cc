// Random bits: the order of XLA's RngBitGenerator, and the advance of the state.
#include "backends/cpu/kernels/random/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/error.h"
#include "systolic/core/random_bits.h"

namespace systolic {
namespace {

using kernels::RandomAlgorithm;
using Dims = std::vector<int64_t>;

struct Case {
  Dims dims;
  int axis;  // the one that Threefry halves
};
const Case cases[] = {
    {{}, 0},        {{1}, 0},    {{2}, 0},     {{7}, 0},           {{8}, 0},
    {{3, 5}, 1},    {{5, 5}, 0}, {{3, 4}, 1},  {{6, 4}, 0},        {{3, 4, 5}, 1},
    {{3, 7, 5}, 1}, {{5001}, 0}, {{40000}, 0}, {{13, 4001, 3}, 1}, {{3, 0}, 1},
};

// States, among them counters about to carry.
const uint64_t counters[] = {0, 42, 0xfffffff0u, 0xfffffffffffffff0u};
constexpr uint64_t key = 0x0123456789abcdefu;
const std::array<uint32_t, 2> key_words = {0x89abcdefu, 0x01234567u};

std::array<uint32_t, 2> words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

template <class T>
void check_threefry(DType dtype) {
  for (const Case& c : cases) {
    for (uint64_t counter : counters) {
      const int64_t count = product(c.dims);
      std::vector<T> got(static_cast<size_t>(count));
      std::vector<uint64_t> state = {key, counter};
      kernels::random_bits(RandomAlgorithm::threefry, state, state, dtype, c.dims, got.data(),
                           pool());
      uint64_t blocks = 0;
      if (sizeof(T) == 8) {
        blocks = static_cast<uint64_t>(count);
        for (int64_t i = 0; i < count; ++i) {
          const auto two = threefry2x32(key_words, words(counter + static_cast<uint64_t>(i)));
          ASSERT_EQ(got[i], static_cast<T>(two[0] | (static_cast<uint64_t>(two[1]) << 32)));
        }
      } else {
        const int64_t size = c.dims.empty() ? 1 : c.dims[c.axis];
        const int64_t half = (size + 1) / 2;
        int64_t inner = 1;
        for (size_t k = c.axis + 1; k < c.dims.size(); ++k) inner *= c.dims[k];
        blocks = size == 0 ? 0 : static_cast<uint64_t>(count / size * half);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t outer = i / (inner * size), along = i / inner % size, column = i % inner;
          const int64_t block = (outer * half + along / 2) * inner + column;
          const auto two = threefry2x32(key_words, words(counter + static_cast<uint64_t>(block)));
          ASSERT_EQ(got[i], static_cast<T>(two[along % 2])) << "element " << i;
        }
      }
      EXPECT_EQ(state, (std::vector<uint64_t>{key, counter + blocks}));
    }
  }
}

TEST(Random, ThreefryOrder) {
  check_threefry<uint32_t>(DType::u32);
  check_threefry<uint64_t>(DType::u64);
  check_threefry<uint16_t>(DType::u16);
  check_threefry<uint8_t>(DType::u8);
}

template <class T>
void check_philox(DType dtype) {
  for (const Case& c : cases) {
    for (uint64_t counter : counters) {
      for (bool three : {false, true}) {
        const int64_t count = product(c.dims);
        std::vector<T> got(static_cast<size_t>(count));
        const uint64_t high = three ? 0xfffffffffffffff7u : key;
        std::vector<uint64_t> state = {key, counter};
        if (three) state.push_back(high);
        kernels::random_bits(RandomAlgorithm::philox, state, state, dtype, c.dims, got.data(),
                             pool());
        const auto word = [&](int64_t n) {
          const uint64_t low = counter + static_cast<uint64_t>(n / 4);
          const uint64_t carried = high + (low < counter ? 1 : 0);
          const auto a = words(low), b = words(carried);
          return philox4x32(key_words, {a[0], a[1], b[0], b[1]})[n % 4];
        };
        for (int64_t i = 0; i < count; ++i) {
          const uint64_t wanted =
              sizeof(T) == 8 ? word(2 * i) | (uint64_t{word(2 * i + 1)} << 32) : word(i);
          ASSERT_EQ(got[i], static_cast<T>(wanted)) << "element " << i;
        }
        const uint64_t blocks = static_cast<uint64_t>((count * (sizeof(T) == 8 ? 2 : 1) + 3) / 4);
        EXPECT_EQ(state[0], key);
        EXPECT_EQ(state[1], counter + blocks);
        if (three) {
          EXPECT_EQ(state[2], high + (counter + blocks < counter ? 1 : 0));
        }
      }
    }
  }
}

TEST(Random, PhiloxOrder) {
  check_philox<uint32_t>(DType::u32);
  check_philox<uint64_t>(DType::u64);
  check_philox<uint16_t>(DType::u16);
  check_philox<uint8_t>(DType::u8);
}

// States of two words and of three, about to carry.
std::vector<std::vector<uint64_t>> states() {
  std::vector<std::vector<uint64_t>> result;
  for (uint64_t counter : counters) {
    result.push_back({key, counter});
    result.push_back({key, counter, ~uint64_t{0}});
  }
  return result;
}

std::vector<uint32_t> all_words(const std::vector<uint64_t>& state, int64_t count) {
  std::vector<uint32_t> words(static_cast<size_t>(count));
  std::vector<uint64_t> after = state;
  const Dims dims = {count};
  kernels::random_bits(RandomAlgorithm::philox, state, after, DType::u32, dims, words.data(),
                       pool());
  std::vector<uint64_t> advanced = state;
  kernels::advance_philox(advanced, count, advanced);
  EXPECT_EQ(advanced, after);
  return words;
}

TEST(Random, PhiloxWordsFromAnywhere) {
  for (const auto& state : states()) {
    const std::vector<uint32_t> wanted = all_words(state, 1000);
    for (int64_t first : {0, 1, 2, 3, 4, 63, 64, 777}) {
      for (int64_t count : {0, 1, 3, 63, 64, 65, 200}) {
        std::vector<uint32_t> got(static_cast<size_t>(count) + 1, 7);
        kernels::philox_words(state, first, count, got.data());
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(got[i], wanted[first + i]) << first << ' ' << i;
        }
        EXPECT_EQ(got[count], 7) << "a word beyond them is written";
      }
    }
  }
}

TEST(Random, ElementwiseProgramsDrawThem) {
  constexpr int64_t rows = 13, columns = 301;
  for (const auto& state : states()) {
    const std::vector<uint32_t> wanted = all_words(state, rows * columns);
    kernels::TileProgramBuilder builder({rows, columns});
    builder.output(builder.drawn_words(static_cast<int>(state.size())), DType::u32);
    const kernels::TileProgram program = builder.build();
    const void* const inputs[] = {state.data()};
    for (const int64_t piece : {int64_t{7}, columns, rows * columns}) {
      std::vector<uint32_t> parts(wanted.size()), ranges(wanted.size());
      for (int64_t begin = 0; begin < rows * columns; begin += piece) {
        const int64_t end = std::min(begin + piece, rows * columns);
        void* const whole[] = {parts.data()};
        void* const from_begin[] = {ranges.data() + begin};
        program.run_part(begin, end, inputs, whole);
        program.run_range(begin, end, inputs, from_begin);
      }
      EXPECT_EQ(parts, wanted) << piece;
      EXPECT_EQ(ranges, wanted) << piece;
    }
  }
}

TEST(Random, AStateOfTheWrongSizeIsAnError) {
  std::vector<uint64_t> state(4);
  EXPECT_THROW(
      kernels::random_bits(RandomAlgorithm::philox, state, state, DType::u32, {}, nullptr, pool()),
      InvalidArgument);
  state.resize(3);
  EXPECT_THROW(kernels::random_bits(RandomAlgorithm::threefry, state, state, DType::u32, {},
                                    nullptr, pool()),
               InvalidArgument);
}

}  // namespace
}  // namespace systolic
