// Stable sorting of rows by key, in memory that the caller lends: long ones digit by digit, else by
// merging.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "backends/cpu/kernels/element_ops.h"
#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/ordered_bits.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// a before b. NaN after all numbers; -0 equal to 0.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (b != b && a == a);
  } else {
    return a < b;
  }
}

// Sorts `count` column numbers in `order`; `spare` has room for as many. Bottom-up: runs of 16 by
// insertion, then merges.
template <class Less>
void merge_sort(int32_t* order, int32_t* spare, int64_t count, Less less) {
  constexpr int64_t run = 16;
  for (int64_t begin = 0; begin < count; begin += run) {
    const int64_t end = std::min(count, begin + run);
    for (int64_t i = begin + 1; i < end; ++i) {
      const int32_t moved = order[i];
      int64_t j = i;
      for (; j > begin && less(moved, order[j - 1]); --j) order[j] = order[j - 1];
      order[j] = moved;
    }
  }
  int32_t *from = order, *to = spare;
  for (int64_t width = run; width < count; width *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * width) {
      const int64_t middle = std::min(count, begin + width);
      const int64_t end = std::min(count, begin + 2 * width);
      std::merge(from + begin, from + middle, from + middle, from + end, to + begin, less);
    }
    std::swap(from, to);
  }
  if (from != order) std::copy_n(from, count, order);
}

// `key` gives the key of a column.
template <class Key>
void order_row(const Key& key, bool descending, int64_t columns, int32_t* order, int32_t* spare) {
  std::iota(order, order + columns, 0);
  if (descending) {
    merge_sort(order, spare, columns, [&](int32_t a, int32_t b) { return before(key(b), key(a)); });
  } else {
    merge_sort(order, spare, columns, [&](int32_t a, int32_t b) { return before(key(a), key(b)); });
  }
}

// The column numbers in the order of their keys, by digits from the last to the first, each pass
// keeping the order of equal ones. `spare` has room for two pairs of numbers a column.
constexpr int64_t least_by_digits = 256;
template <class T>
void sort_by_digits(const T* keys, SortOrder wanted, int64_t columns, int32_t* order,
                    uint64_t* spare) {
  constexpr int digit_bits = 11, digits = 3;
  constexpr size_t values = size_t{1} << digit_bits;
  std::array<std::array<int32_t, values>, digits> begins{};
  uint64_t *from = spare, *to = spare + columns;
  const auto digit_of = [](uint64_t pair, int digit) {
    return static_cast<size_t>(pair >> (32 + digit * digit_bits)) & (values - 1);
  };
  for (int64_t i = 0; i < columns; ++i) {
    const uint32_t bits = ordered_bits(keys[i], wanted.total);
    from[i] = uint64_t{wanted.descending ? ~bits : bits} << 32 | static_cast<uint64_t>(i);
    for (int digit = 0; digit < digits; ++digit) {
      ++begins[static_cast<size_t>(digit)][digit_of(from[i], digit)];
    }
  }
  for (int digit = 0; digit < digits; ++digit) {
    auto& begin = begins[static_cast<size_t>(digit)];
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), 0);
    for (int64_t i = 0; i < columns; ++i) to[begin[digit_of(from[i], digit)]++] = from[i];
    std::swap(from, to);
  }
  for (int64_t i = 0; i < columns; ++i) order[i] = static_cast<int32_t>(from[i] & UINT32_MAX);
}

template <class T>
void order_by_keys(const T* keys, SortOrder wanted, int64_t columns, int32_t* order,
                   int32_t* spare) {
  using Key = KeyType<T>;
  if constexpr (has_ordered_bits<T>) {
    if (columns >= least_by_digits) {
      auto* pairs = reinterpret_cast<uint64_t*>(spare);
      return sort_by_digits(keys, wanted, columns, order, pairs);
    }
  }
  const auto key = [&](int32_t i) { return convert_element<Key>(keys[i]); };
  if constexpr (std::is_floating_point_v<Key>) {
    if (wanted.total) {
      return order_row([&](int32_t i) { return element::total_order_key(key(i)); },
                       wanted.descending, columns, order, spare);
    }
  }
  order_row(key, wanted.descending, columns, order, spare);
}

template <class T>
void sort_row(const T* keys, SortOrder wanted, int64_t columns, T* keys_out, int32_t* order,
              int32_t* spare) {
  order_by_keys(keys, wanted, columns, order, spare);
  if (keys_out == nullptr) return;
  if (keys_out != keys) {
    for (int64_t j = 0; j < columns; ++j) keys_out[j] = keys[order[j]];
    return;
  }
  // In place: by way of the spare memory, which has 16 bytes a column.
  T* sorted = reinterpret_cast<T*>(spare);
  for (int64_t j = 0; j < columns; ++j) sorted[j] = keys[order[j]];
  std::copy_n(sorted, columns, keys_out);
}

int64_t spare_bytes_per_row(int64_t columns) { return (columns * 16 + 63) / 64 * 64; }

}  // namespace

size_t sort_scratch_bytes(DType, int64_t rows, int64_t columns) {
  return static_cast<size_t>(rows * spare_bytes_per_row(columns));
}

void sort_rows(DType dtype, const void* keys, SortOrder wanted, int64_t rows, int64_t columns,
               void* keys_out, int32_t* permutation, void* scratch, ThreadPool& pool) {
  if (rows == 0 || columns == 0) return;
  if (columns > INT32_MAX) {
    raise<Unimplemented>(
        {.what = str("sorting rows of ", columns, " elements"), .wanted = "fewer than 2^31"});
  }
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_complex_type<T>) {
      raise<Unimplemented>({.what = str("sorting by keys of ", dtype), .wanted = "real keys"});
    } else {
      const int64_t grain = std::max<int64_t>(1, 4096 / columns);
      pool.parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          T* out = keys_out == nullptr ? nullptr : static_cast<T*>(keys_out) + row * columns;
          char* spare = static_cast<char*>(scratch) + row * spare_bytes_per_row(columns);
          sort_row<T>(static_cast<const T*>(keys) + row * columns, wanted, columns, out,
                      permutation + row * columns, reinterpret_cast<int32_t*>(spare));
        }
      });
    }
  });
}

void permute_rows(int element_bytes, const void* input, const int32_t* permutation, int64_t rows,
                  int64_t columns, void* output, ThreadPool& pool) {
  if (rows == 0 || columns == 0) return;
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, 16384 / columns);
    pool.parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* from = static_cast<const T*>(input) + row * columns;
        const int32_t* order = permutation + row * columns;
        T* to = static_cast<T*>(output) + row * columns;
        for (int64_t j = 0; j < columns; ++j) to[j] = from[order[j]];
      }
    });
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
