#include "backends/cpu/kernels/movement/top_k.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/ordered_bits.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// A key followed by its column, so that among equal keys the first column is the smaller number.
template <class T>
uint64_t candidate(const T* keys, SortOrder order, int64_t column) {
  const uint32_t bits = ordered_bits(keys[column], order.total);
  return uint64_t{order.descending ? ~bits : bits} << 32 | static_cast<uint64_t>(column);
}

// The `count` smallest candidates: those below the largest that may still be among them are
// collected, and whenever twice as many are there the larger half is dropped.
template <class T>
void top_of_row(const T* keys, SortOrder order, int64_t columns, int64_t count, int32_t* result,
                std::vector<uint64_t>& kept) {
  const auto wanted = static_cast<size_t>(count);
  const size_t most = 2 * wanted + 32;
  kept.clear();
  uint64_t bound = UINT64_MAX;
  for (int64_t i = 0; i < columns; ++i) {
    const uint64_t next = candidate(keys, order, i);
    if (next >= bound) continue;
    kept.push_back(next);
    if (kept.size() < most) continue;
    std::nth_element(kept.begin(), kept.begin() + count - 1, kept.end());
    kept.resize(wanted);
    bound = kept.back();
  }
  std::partial_sort(kept.begin(), kept.begin() + count, kept.end());
  for (size_t j = 0; j < wanted; ++j) result[j] = static_cast<int32_t>(kept[j] & UINT32_MAX);
}

}  // namespace

bool selects_top(DType dtype, int64_t columns, int64_t count) {
  constexpr int64_t least_columns = 64;
  const bool narrow = !is_complex(dtype) && byte_width(dtype) <= 4;
  return narrow && count >= 1 && columns >= least_columns && count <= columns / 8 &&
         columns <= INT32_MAX;
}

void top_rows(DType dtype, const void* keys, SortOrder order, int64_t rows, int64_t columns,
              int64_t count, int32_t* permutation, ThreadPool& pool) {
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!is_complex_type<T>) {
      if constexpr (has_ordered_bits<T>) {
        pool.parallel_for(rows, std::max<int64_t>(1, 16384 / columns),
                          [&](int64_t begin, int64_t end) {
                            std::vector<uint64_t> kept;
                            for (int64_t row = begin; row < end; ++row) {
                              top_of_row(static_cast<const T*>(keys) + row * columns, order,
                                         columns, count, permutation + row * columns, kept);
                            }
                          });
      }
    }
  });
}

void permute_top(int element_bytes, const void* input, const int32_t* permutation, int64_t rows,
                 int64_t columns, int64_t count, void* output, ThreadPool& pool) {
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    pool.parallel_for(rows, std::max<int64_t>(1, 16384 / count), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* from = static_cast<const T*>(input) + row * columns;
        const int32_t* order = permutation + row * columns;
        T* to = static_cast<T*>(output) + row * columns;
        for (int64_t j = 0; j < count; ++j) to[j] = from[order[j]];
      }
    });
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
