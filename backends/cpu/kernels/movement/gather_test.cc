// Gather, scatter and sort against the specification's formulae, index by index; windows of a
// scatter that do not lie inside as a whole are left out, as XLA does.
#include "backends/cpu/kernels/movement/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"
#include "systolic/core/axes.h"
#include "systolic/core/shape.h"

namespace systolic {
namespace {

using kernels::GatherGeometry;
using kernels::ScatterKind;
using Dims = std::vector<int64_t>;

// The start index and the index within the window for one index of the result (StableHLO spec,
// "gather").
struct Place {
  Dims start, window;
};
Place place_of(const GatherGeometry& g, const std::vector<int32_t>& indices, const Dims& result) {
  const auto& n = g.numbers;
  Dims batch, offset;
  for (size_t k = 0; k < result.size(); ++k) {
    (has_axis(n.offset_dims, int64_t(k)) ? offset : batch).push_back(result[k]);
  }
  Place place{Dims(g.operand_dims.size(), 0), Dims(g.operand_dims.size(), 0)};
  for (size_t c = 0; c < n.start_index_map.size(); ++c) {
    Dims index = batch;
    if (n.index_vector_dim < int64_t(g.indices_dims.size())) {
      index.insert(index.begin() + n.index_vector_dim, int64_t(c));
    }
    place.start[n.start_index_map[c]] = indices[offset_of(g.indices_dims, index)];
  }
  for (size_t i = 0; i < n.operand_batching_dims.size(); ++i) {
    int64_t axis = n.start_indices_batching_dims[i];
    if (axis > n.index_vector_dim) --axis;
    place.start[n.operand_batching_dims[i]] = batch[axis];
  }
  size_t next = 0;
  for (size_t axis = 0; axis < g.operand_dims.size(); ++axis) {
    if (has_axis(n.collapsed_slice_dims, int64_t(axis)) ||
        has_axis(n.operand_batching_dims, int64_t(axis)))
      continue;
    place.window[axis] = offset[next++];
  }
  return place;
}

const GatherGeometry geometries[] = {
    // rows of a table
    {{{1}, {0}, {}, {}, {0}, 1}, {10, 4}, {6}, {1, 4}, {6, 4}},
    {{{2}, {0}, {}, {}, {0}, 2}, {10, 40}, {3, 50, 1}, {1, 40}, {3, 50, 40}},
    // columns
    {{{0}, {1}, {}, {}, {1}, 1}, {5, 9}, {4, 1}, {5, 1}, {5, 4}},
    {{{0}, {1}, {}, {}, {1}, 1}, {300, 9}, {70, 1}, {300, 1}, {300, 70}},
    // windows of 2 x 3 anywhere in a matrix, window axes first in the result
    {{{0, 1}, {}, {}, {}, {0, 1}, 1}, {6, 7}, {5, 2}, {2, 3}, {2, 3, 5}},
    // the same, last in the result
    {{{1, 2}, {}, {}, {}, {0, 1}, 1}, {6, 7}, {5, 2}, {2, 3}, {5, 2, 3}},
    // the components of the index in the other order, index vector first
    {{{1}, {1}, {}, {}, {1, 0}, 0}, {6, 7}, {2, 8}, {3, 1}, {8, 3}},
    // single elements of a 3-D array
    {{{}, {0, 1, 2}, {}, {}, {0, 1, 2}, 1}, {4, 5, 6}, {7, 3}, {1, 1, 1}, {7}},
    // take along an axis: batching
    {{{}, {1}, {0}, {0}, {1}, 2}, {3, 8}, {3, 5, 1}, {1, 1}, {3, 5}},
    {{{2}, {1}, {0}, {1}, {1}, 2}, {3, 8, 4}, {5, 3, 1}, {1, 1, 4}, {5, 3, 4}},
    {{{}, {1}, {0}, {0}, {1}, 2}, {3, 8}, {3, 37, 1}, {1, 1}, {3, 37}},
    // rows that clamp whole runs of indices, and a rest
    {{{}, {1}, {0}, {0}, {1}, 2}, {5, 8}, {5, 131, 1}, {1, 1}, {5, 131}},
    // two axes that are batched, in parts of several rows
    {{{}, {2}, {0, 1}, {0, 1}, {2}, 3}, {4, 3, 9}, {4, 3, 70, 1}, {1, 1, 1}, {4, 3, 70}},
    // batched along the second axis first: no parts
    {{{}, {2}, {1, 0}, {0, 1}, {2}, 3}, {3, 4, 9}, {4, 3, 7, 1}, {1, 1, 1}, {4, 3, 7}},
    // along the first axis: the last batch axis is the one that is batched
    {{{}, {0}, {1}, {1}, {0}, 2}, {8, 5}, {4, 5, 1}, {1, 1}, {4, 5}},
    // one scalar index
    {{{0}, {0}, {}, {}, {0}, 0}, {9, 3}, {1}, {1, 3}, {3}},
    // nothing
    {{{1}, {0}, {}, {}, {0}, 1}, {10, 4}, {0}, {1, 4}, {0, 4}},
};

std::vector<int32_t> indices_for(const GatherGeometry& g) {
  std::vector<int32_t> indices;
  for (double value : test_values(product(g.indices_dims), 3)) {
    indices.push_back(static_cast<int32_t>(std::floor(value * 8 + 3)));  // some outside
  }
  return indices;
}

// Parts one at a time give what the whole does, and read and write their own pieces only: the
// others' indices are beyond any array, and their results stay as they were.
template <class T>
void check_parts(const GatherGeometry& g, const std::vector<T>& operand,
                 const std::vector<int32_t>& indices, const std::vector<T>& whole) {
  const int64_t parts = kernels::gather_parts(g, DType::i32);
  const auto piece = [&](auto size) { return static_cast<int64_t>(size) / parts; };
  for (int64_t part = 0; part < parts; ++part) {
    const auto own = [&](int64_t i, int64_t size) { return i / size == part; };
    std::vector<T> source(operand.size(), T{99}), got(whole.size(), T{77}), wanted = got;
    std::vector<int32_t> at(indices.size(), 1 << 30);
    for (int64_t i = 0; i < std::ssize(source); ++i) {
      if (own(i, piece(source.size()))) source[i] = operand[i];
    }
    for (int64_t i = 0; i < std::ssize(at); ++i) {
      if (own(i, piece(at.size()))) at[i] = indices[i];
    }
    for (int64_t i = 0; i < std::ssize(got); ++i) {
      if (own(i, piece(got.size()))) wanted[i] = whole[i];
    }
    kernels::gather_range(g, sizeof(T), source.data(), DType::i32, at.data(), got.data(), part,
                          part + 1);
    EXPECT_EQ(got, wanted) << part;
  }
}

TEST(Gather, RunsInPartsWhereTheFirstAxisIsBatched) {
  int64_t with_parts = 0;
  for (const GatherGeometry& g : geometries) {
    const int64_t parts = kernels::gather_parts(g, DType::i32);
    if (parts == 0) continue;
    EXPECT_EQ(parts, g.result_dims[0]);
    ++with_parts;
    EXPECT_EQ(kernels::gather_parts(g, DType::u8), 0) << "indices of other types run whole";
  }
  EXPECT_EQ(with_parts, 4);
}

template <class T>
void check_gather() {
  for (const GatherGeometry& g : geometries) {
    const std::vector<int32_t> indices = indices_for(g);
    const std::vector<T> operand = test_data<T>(product(g.operand_dims), 1);
    std::vector<T> got(static_cast<size_t>(product(g.result_dims)));
    kernels::gather(g, sizeof(T), operand.data(), DType::i32, indices.data(), got.data(), pool());
    const std::vector<int64_t> wide(indices.begin(), indices.end());
    std::vector<T> by_wide(got.size());
    kernels::gather(g, sizeof(T), operand.data(), DType::i64, wide.data(), by_wide.data(), pool());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), by_wide.begin()));
    if (got.empty()) continue;
    check_parts(g, operand, indices, got);
    Dims result(g.result_dims.size(), 0);
    do {
      const Place place = place_of(g, indices, result);
      Dims from;
      for (size_t k = 0; k < g.operand_dims.size(); ++k) {
        const int64_t last = g.operand_dims[k] - g.slice_sizes[k];
        from.push_back(std::clamp<int64_t>(place.start[k], 0, last) + place.window[k]);
      }
      ASSERT_EQ(got[offset_of(g.result_dims, result)], operand[offset_of(g.operand_dims, from)]);
    } while (next_index(Shape(g.result_dims), result));
  }
}

TEST(Gather, FollowsTheSpecification) {
  check_gather<float>();
  check_gather<double>();
  check_gather<int8_t>();
  check_gather<int16_t>();
}

double combine(ScatterKind kind, double old, double update) {
  switch (kind) {
    case ScatterKind::set:
      return update;
    case ScatterKind::sum:
      return old + update;
    case ScatterKind::product:
      return old * update;
    case ScatterKind::maximum:
      return std::max(old, update);
    default:
      return std::min(old, update);
  }
}

template <class T>
void check_scatter(double tolerance) {
  for (const GatherGeometry& g : geometries) {
    for (ScatterKind kind : {ScatterKind::set, ScatterKind::sum, ScatterKind::product,
                             ScatterKind::maximum, ScatterKind::minimum}) {
      for (bool in_place : {false, true}) {
        const std::vector<int32_t> indices = indices_for(g);
        const std::vector<T> operand = test_data<T>(product(g.operand_dims), 1);
        const std::vector<T> updates = test_data<T>(product(g.result_dims), 2);
        std::vector<T> got = in_place ? operand : std::vector<T>(operand.size());
        kernels::scatter(g, kind, dtype_of<T>, in_place ? got.data() : operand.data(), DType::i32,
                         indices.data(), updates.data(), got.data(), pool());
        std::vector<double> wanted = widened(operand);
        Dims update(g.result_dims.size(), 0);
        if (!updates.empty()) do {
            const Place place = place_of(g, indices, update);
            Dims to;
            bool inside = true;
            for (size_t k = 0; k < g.operand_dims.size(); ++k) {
              to.push_back(place.start[k] + place.window[k]);
              inside = inside && place.start[k] >= 0 &&
                       place.start[k] + g.slice_sizes[k] <= g.operand_dims[k];
            }
            if (!inside) continue;
            double& target = wanted[offset_of(g.operand_dims, to)];
            const T value = updates[offset_of(g.result_dims, update)];
            target = combine(kind, target, static_cast<double>(value));
          } while (next_index(Shape(g.result_dims), update));
        for (size_t i = 0; i < wanted.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(got[i]), wanted[i],
                      tolerance * (1 + std::fabs(wanted[i])))
              << int(kind) << " of " << to_string(dtype_of<T>);
        }
      }
    }
  }
}

TEST(Scatter, FollowsTheSpecification) {
  check_scatter<float>(1e-5);
  check_scatter<double>(1e-12);
  check_scatter<bfloat16>(0.1);
}

TEST(Rows, GatherAddAndSet) {
  const int64_t rows = 50, columns = 33, count = 1000;
  const std::vector<float> table = converted<float>(test_values(rows * columns, 1));
  std::vector<int64_t> indices;
  for (double value : test_values(count, 2)) {
    indices.push_back(static_cast<int64_t>(std::floor(value * 27 + 25)));  // some outside
  }
  std::vector<float> picked(count * columns);
  kernels::gather_rows(4, table.data(), rows, columns, DType::i64, indices.data(), count,
                       picked.data(), pool());
  for (int64_t n = 0; n < count; ++n) {
    const int64_t row = std::clamp<int64_t>(indices[n], 0, rows - 1);
    for (int64_t j = 0; j < columns; ++j) {
      ASSERT_EQ(picked[n * columns + j], table[row * columns + j]);
    }
  }
  std::vector<float> sums = table;
  std::vector<double> wanted = widened(table);
  kernels::scatter_add_rows(DType::f32, sums.data(), rows, columns, DType::i64, indices.data(),
                            count, picked.data(), pool());
  for (int64_t n = 0; n < count; ++n) {
    if (indices[n] < 0 || indices[n] >= rows) continue;
    for (int64_t j = 0; j < columns; ++j)
      wanted[indices[n] * columns + j] += picked[n * columns + j];
  }
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(sums[i], wanted[i], 1e-4);

  const std::vector<float> updates = converted<float>(test_values(count * columns, 3));
  std::vector<float> set = table, last = table;  // of equal rows the last one stays
  kernels::scatter_set_rows(4, set.data(), rows, columns, DType::i64, indices.data(), count,
                            updates.data(), pool());
  for (int64_t n = 0; n < count; ++n) {
    if (indices[n] < 0 || indices[n] >= rows) continue;
    for (int64_t j = 0; j < columns; ++j) last[indices[n] * columns + j] = updates[n * columns + j];
  }
  EXPECT_EQ(set, last);
}

template <class T>
void check_sort() {
  for (int64_t columns : {1, 2, 16, 17, 100, 5000}) {
    for (bool descending : {false, true}) {
      const int64_t rows = 3;
      std::vector<T> keys = test_data<T>(rows * columns, 4);
      if constexpr (std::is_floating_point_v<T>) {
        for (T& key : keys) key = std::round(key * 50);  // ties
        if (columns > 20) keys[3] = keys[11] = NAN, keys[5] = T(-0.0), keys[6] = T(0.0);
      }
      const std::vector<T> original = keys;
      std::vector<int32_t> order(keys.size());
      std::vector<T> sorted(keys.size()), carried(keys.size());
      AlignedBytes scratch(kernels::sort_scratch_bytes(dtype_of<T>, rows, columns));
      kernels::sort_rows(dtype_of<T>, keys.data(), {.descending = descending}, rows, columns,
                         sorted.data(), order.data(), scratch.data(), pool());
      kernels::permute_rows(sizeof(T), keys.data(), order.data(), rows, columns, carried.data(),
                            pool());
      kernels::sort_rows(dtype_of<T>, keys.data(), {.descending = descending}, rows, columns,
                         keys.data(), order.data(), scratch.data(), pool());
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<int32_t> wanted(static_cast<size_t>(columns));
        std::iota(wanted.begin(), wanted.end(), 0);
        // NaN counts as larger than all numbers.
        const auto rank = [&](int32_t j) {
          const double value = static_cast<double>(original[r * columns + j]);
          return std::isnan(value) ? std::make_pair(1, 0.0) : std::make_pair(0, value);
        };
        std::stable_sort(wanted.begin(), wanted.end(), [&](int32_t a, int32_t b) {
          return descending ? rank(b) < rank(a) : rank(a) < rank(b);
        });
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t i = r * columns + j;
          ASSERT_EQ(order[i], wanted[j]) << columns;
          const T value = original[r * columns + wanted[j]];
          for (T got : {sorted[i], carried[i], keys[i]}) {
            ASSERT_TRUE(static_cast<double>(got) == static_cast<double>(value) ||
                        (got != got && value != value));
          }
        }
      }
    }
  }
}

// Every number before the next one, whatever its bits.
TEST(Sort, TotalOrderTellsSignsOfZeroAndNanApart) {
  std::vector<float> sorted{-NAN, -INFINITY, -1, -1e-45f, -0.0f, 0.0f, 1e-45f, 2, INFINITY, NAN};
  std::vector<int32_t> shuffle{7, 4, 9, 0, 5, 2, 8, 6, 1, 3};
  for (bool descending : {false, true, false, true}) {
    const auto count = static_cast<int64_t>(sorted.size());
    std::vector<float> keys, got(sorted.size());
    for (int32_t i : shuffle) keys.push_back(sorted[static_cast<size_t>(i)]);
    std::vector<int32_t> order(sorted.size());
    AlignedBytes scratch(kernels::sort_scratch_bytes(DType::f32, 1, count));
    kernels::sort_rows(DType::f32, keys.data(), {descending, true}, 1, count, got.data(),
                       order.data(), scratch.data(), pool());
    for (size_t i = 0; i < sorted.size(); ++i) {
      const size_t from = descending ? sorted.size() - 1 - i : i;
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(sorted[from])) << i;
      EXPECT_EQ(shuffle[static_cast<size_t>(order[i])], static_cast<int32_t>(from));
    }
    // A long row has a way of its own.
    for (int32_t i = 10; descending && sorted.size() < 1000; ++i) {
      sorted.insert(sorted.end() - 3, 0.001f * static_cast<float>(i - 9));
      shuffle.insert(shuffle.begin() + i * 7 % 10, i);
    }
  }
}

TEST(Sort, IsStableInBothDirections) {
  check_sort<float>();
  check_sort<double>();
  check_sort<int32_t>();
  check_sort<uint8_t>();
  check_sort<bfloat16>();
}

TEST(Gather, IndicesThatAreNoIntegersAreErrors) {
  const float x[4] = {};
  float y[4];
  EXPECT_THROW(kernels::gather_rows(4, x, 2, 2, DType::f32, x, 2, y, pool()), InvalidArgument);
}

}  // namespace
}  // namespace systolic
