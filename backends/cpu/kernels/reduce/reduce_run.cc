#include "backends/cpu/kernels/reduce/reduce_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "backends/cpu/kernels/reduce/reduce_f32.h"
#include "backends/cpu/kernels/tile/tile_io.h"
#include "systolic/base/error.h"
#include "systolic/base/function_ref.h"
#include "systolic/core/axes.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t item_elements = ReductionBlocks::item_elements;
constexpr int64_t most_columns = ReductionBlocks::most_columns;
constexpr int64_t rows_between_flushes = 128;

// How values of a compute type T are combined: `Lane` accumulates a block, `Total` the blocks.
template <ReduceKind kind, class T>
struct Combiner {
  static constexpr bool real = std::is_floating_point_v<T>;
  static constexpr bool multiplies = kind == ReduceKind::product;
  static constexpr bool extreme = kind == ReduceKind::maximum || kind == ReduceKind::minimum;
  using Total = std::conditional_t<real && !extreme, double, T>;
  using Lane = std::conditional_t<real && multiplies, double, T>;

  static constexpr Total neutral() { return static_cast<Total>(reduce_neutral<kind, T>()); }
  template <class A>
  static A combine(A a, A b) {
    return reduce_combine<kind, A>(a, b);
  }
};

template <class C, class T>
typename C::Total reduce_run(const T* values, int64_t count) {
  using Lane = typename C::Lane;
  Lane lane = static_cast<Lane>(C::neutral());
  for (int64_t i = 0; i < count; ++i) lane = C::combine(lane, static_cast<Lane>(values[i]));
  return static_cast<typename C::Total>(lane);
}
template <ReduceKind kind>
auto reduce_vector_run(const float* values, int64_t count) {
  if constexpr (kind == ReduceKind::sum) {
    return static_cast<double>(sum_f32(values, count));
  } else {
    return kind == ReduceKind::maximum ? maximum_f32(values, count) : minimum_f32(values, count);
  }
}

}  // namespace

class ReductionRun {
 public:
  ReductionRun(const Reduction& plan, ReductionFetch fetch, void* output, void* scratch,
               const void* init)
      : plan_(plan), fetch_(fetch), output_(output), scratch_(scratch), init_(init) {}

  // Rows [begin, end), on the calling thread, where each gives one result.
  void run_rows(int64_t begin, int64_t end) {
    visit_reduction(plan_.kind_, plan_.dtype_, [&](auto kind_tag, auto type_tag) {
      constexpr ReduceKind kind = decltype(kind_tag)::value;
      using T = typename decltype(type_tag)::type;
      using C = Combiner<kind, T>;
      std::array<typename C::Total, item_elements> totals;
      for (int64_t row = begin; row < end; row += plan_.row_block_) {
        const int64_t rows = std::min(plan_.row_block_, end - row);
        reduce_rows<kind, T>(0, row, rows, 0, plan_.reduced_blocks_, totals.data());
        store<C, T>(totals.data(), row, rows);
      }
    });
  }

  void run(ThreadPool& pool) {
    visit_reduction(plan_.kind_, plan_.dtype_, [&](auto kind_tag, auto type_tag) {
      run_typed<decltype(kind_tag)::value, typename decltype(type_tag)::type>(pool);
    });
  }

 private:
  // T: the compute type.
  template <ReduceKind kind, class T>
  void run_typed(ThreadPool& pool) {
    using C = Combiner<kind, T>;
    const int64_t tasks = plan_.outer_kept_count_ * plan_.kept_blocks_ * plan_.pieces_;
    const int64_t task_elements =
        std::max<int64_t>(1, plan_.elements_ / std::max<int64_t>(1, tasks));
    const auto body = [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) run_task<kind, T>(task);
    };
    if (plan_.elements_ <= ReductionBlocks::piece_elements) {
      body(0, tasks);
    } else {
      pool.parallel_for(
          tasks, std::max<int64_t>(1, ReductionBlocks::piece_elements / task_elements), body);
    }
    if (plan_.pieces_ > 1) combine_pieces<C, T>();
  }

  template <ReduceKind kind, class T>
  void run_task(int64_t task) {
    using C = Combiner<kind, T>;
    using Total = typename C::Total;
    const int64_t piece = task % plan_.pieces_;
    const int64_t block = task / plan_.pieces_ % plan_.kept_blocks_;
    const int64_t outer_kept = task / plan_.pieces_ / plan_.kept_blocks_;
    const int64_t items = plan_.outer_reduced_count_ * plan_.reduced_blocks_;
    const int64_t first = items * piece / plan_.pieces_, last = items * (piece + 1) / plan_.pieces_;
    const int64_t kept = plan_.inner_reduced_ ? plan_.rows_ : plan_.columns_;
    const int64_t kept_block = plan_.inner_reduced_ ? plan_.row_block_ : plan_.column_block_;
    const int64_t begin = block * kept_block, size = std::min(kept_block, kept - begin);
    std::array<Total, item_elements> totals;
    if (plan_.inner_reduced_) {
      reduce_rows<kind, T>(outer_kept, begin, size, first, last, totals.data());
    } else {
      reduce_columns<kind, T>(outer_kept, begin, size, first, last, totals.data());
    }
    const int64_t position = outer_kept * kept + begin;
    if (plan_.pieces_ == 1) {
      store<C, T>(totals.data(), position, size);
    } else {
      Total* partial = static_cast<Total*>(scratch_) + piece * plan_.outputs_ + position;
      std::copy_n(totals.data(), size, partial);
    }
  }

  // Offset of an outer position, counted row-major over the groups.
  static int64_t outer_offset(const std::vector<Reduction::Group>& groups, int64_t position) {
    int64_t offset = 0;
    for (size_t k = groups.size(); k-- > 0;) {
      offset += position % groups[k].size * groups[k].stride;
      position /= groups[k].size;
    }
    return offset;
  }
  int64_t item_offset(int64_t outer_kept, int64_t item) const {
    return outer_offset(plan_.outer_kept_, outer_kept) +
           outer_offset(plan_.outer_reduced_, item / plan_.reduced_blocks_);
  }

  // Elements of a row of columns where they are widened, which only floats are.
  template <class T>
  static constexpr int64_t widened_elements = std::is_same_v<T, float> ? most_columns : 1;

  // Stored elements in the compute type.
  template <class T>
  const T* in_compute_type(const void* stored, int64_t count, T* widened) const {
    if (!is_small()) return static_cast<const T*>(stored);
    widen(plan_.dtype_, stored, widened, count);
    return widened;
  }

  // The innermost axes are reduced: each row gives one total.
  template <ReduceKind kind, class T>
  void reduce_rows(int64_t outer_kept, int64_t first_row, int64_t rows, int64_t first_item,
                   int64_t last_item, typename Combiner<kind, T>::Total* totals) {
    using C = Combiner<kind, T>;
    alignas(64) std::array<std::byte, item_elements * sizeof(T)> raw;
    alignas(64) std::array<T, std::is_same_v<T, float> ? item_elements : 1> widened;
    std::fill_n(totals, rows, C::neutral());
    for (int64_t item = first_item; item < last_item; ++item) {
      const int64_t column = item % plan_.reduced_blocks_ * plan_.column_block_;
      const int64_t columns = std::min(plan_.column_block_, plan_.columns_ - column);
      const int64_t begin = item_offset(outer_kept, item) + first_row * plan_.columns_ + column;
      const T* data = in_compute_type(fetch_(begin, rows * columns, raw.data()), rows * columns,
                                      widened.data());
      for (int64_t row = 0; row < rows; ++row) {
        totals[row] = C::combine(totals[row], reduce_row<kind, T>(data + row * columns, columns));
      }
    }
  }
  template <ReduceKind kind, class T>
  static typename Combiner<kind, T>::Total reduce_row(const T* data, int64_t columns) {
    constexpr bool vector_kernel =
        std::is_same_v<T, float> &&
        (kind == ReduceKind::sum || kind == ReduceKind::maximum || kind == ReduceKind::minimum);
    if constexpr (vector_kernel) {
      if (columns >= 16) return reduce_vector_run<kind>(data, columns);
    }
    return reduce_run<Combiner<kind, T>>(data, columns);
  }

  // The innermost axes are kept: rows are added up element by element. Short rows are joined to
  // wide ones first.
  template <ReduceKind kind, class T>
  void reduce_columns(int64_t outer_kept, int64_t first_column, int64_t columns, int64_t first_item,
                      int64_t last_item, typename Combiner<kind, T>::Total* totals) {
    using C = Combiner<kind, T>;
    using Lane = typename C::Lane;
    using Total = typename C::Total;
    alignas(64) std::array<std::byte, item_elements * sizeof(T)> raw;
    alignas(64) std::array<Lane, most_columns> lanes;
    alignas(64) std::array<Total, most_columns> wide_totals;
    const bool whole_rows = columns == plan_.columns_;
    const int64_t joined = whole_rows ? std::max<int64_t>(1, 256 / columns) : 1;
    const int64_t width = joined * columns;
    std::fill_n(wide_totals.data(), width, C::neutral());
    std::fill_n(lanes.data(), width, static_cast<Lane>(C::neutral()));
    int64_t unflushed = 0;
    const auto flush = [&] {
      for (int64_t j = 0; j < width; ++j) {
        wide_totals[j] = C::combine(wide_totals[j], static_cast<Total>(lanes[j]));
      }
      std::fill_n(lanes.data(), width, static_cast<Lane>(C::neutral()));
      unflushed = 0;
    };
    for (int64_t item = first_item; item < last_item; ++item) {
      const int64_t row = item % plan_.reduced_blocks_ * plan_.row_block_;
      const int64_t rows = std::min(plan_.row_block_, plan_.rows_ - row);
      const int64_t begin = item_offset(outer_kept, item) + row * plan_.columns_ + first_column;
      if (whole_rows) {
        const int64_t count = rows * columns;
        const auto* data = static_cast<const std::byte*>(fetch_(begin, count, raw.data()));
        const int64_t whole = count / width;
        const auto row_data = [&](int64_t k, int64_t) { return data + k * width * stored_width(); };
        accumulate_rows<kind, T>(whole, width, row_data, lanes.data());
        accumulate_row<kind, T>(row_data(whole, 0), count % width, lanes.data());
        unflushed += whole + 1;
      } else {
        const auto row_data = [&](int64_t k, int64_t buffer) {
          return fetch_(begin + k * plan_.columns_, columns,
                        raw.data() + buffer * columns * stored_width());
        };
        accumulate_rows<kind, T>(rows, columns, row_data, lanes.data());
        unflushed += rows;
      }
      if (unflushed + item_elements / width >= rows_between_flushes) flush();
    }
    flush();
    std::copy_n(wide_totals.data(), columns, totals);
    for (int64_t k = 1; k < joined; ++k) {
      for (int64_t j = 0; j < columns; ++j) {
        totals[j] = C::combine(totals[j], wide_totals[k * columns + j]);
      }
    }
  }

  // Rows are added up by fours, each of which row_data(row, place in the four) fetches.
  template <ReduceKind kind, class T, class RowData, class Lane>
  void accumulate_rows(int64_t rows, int64_t width, const RowData& row_data, Lane* lanes) const {
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4) {
      accumulate_four<kind, T>(
          {row_data(row, 0), row_data(row + 1, 1), row_data(row + 2, 2), row_data(row + 3, 3)},
          width, lanes);
    }
    for (; row < rows; ++row) accumulate_row<kind, T>(row_data(row, 0), width, lanes);
  }
  template <ReduceKind kind, class T, class Lane>
  void accumulate_row(const void* stored, int64_t width, Lane* lanes) const {
    using C = Combiner<kind, T>;
    std::array<T, widened_elements<T>> widened;
    const T* a = in_compute_type(stored, width, widened.data());
    for (int64_t j = 0; j < width; ++j) lanes[j] = C::combine(lanes[j], static_cast<Lane>(a[j]));
  }
  template <ReduceKind kind, class T, class Lane>
  void accumulate_four(const std::array<const void*, 4>& stored, int64_t width, Lane* lanes) const {
    using C = Combiner<kind, T>;
    if constexpr (kind == ReduceKind::sum && std::is_same_v<T, float>) {
      if (adds_rows(plan_.dtype_)) return add_four_rows(plan_.dtype_, stored, width, lanes);
    }
    std::array<std::array<T, widened_elements<T>>, 4> widened;
    std::array<const T*, 4> rows;
    for (size_t k = 0; k < 4; ++k) {
      rows[k] = in_compute_type(stored[k], width, widened[k].data());
    }
    for (int64_t j = 0; j < width; ++j) {
      const Lane left = C::combine(static_cast<Lane>(rows[0][j]), static_cast<Lane>(rows[1][j]));
      const Lane right = C::combine(static_cast<Lane>(rows[2][j]), static_cast<Lane>(rows[3][j]));
      lanes[j] = C::combine(lanes[j], C::combine(left, right));
    }
  }

  template <class C, class T, class Total>
  void store(const Total* totals, int64_t position, int64_t count) {
    char* target = static_cast<char*>(output_) + position * byte_width(plan_.dtype_);
    constexpr int64_t chunk = 256;
    std::array<T, chunk> values;
    const Total init = init_ == nullptr ? C::neutral() : stored_init<T, Total>();
    for (int64_t begin = 0; begin < count; begin += chunk) {
      const int64_t size = std::min(chunk, count - begin);
      for (int64_t i = 0; i < size; ++i) {
        const Total total = totals[begin + i];
        values[i] = convert_element<T>(init_ == nullptr ? total : C::combine(init, total));
      }
      if (is_small()) {
        narrow(plan_.dtype_, values.data(), target + begin * byte_width(plan_.dtype_), size);
      } else {
        std::copy_n(values.data(), size, reinterpret_cast<T*>(target) + begin);
      }
    }
  }
  template <class T, class Total>
  Total stored_init() const {
    T value;
    if (is_small()) {
      float wide;
      widen(plan_.dtype_, init_, &wide, 1);
      value = convert_element<T>(wide);
    } else {
      std::memcpy(&value, init_, sizeof(value));
    }
    return convert_element<Total>(value);
  }
  // bf16 and the like: combined as floats, narrowed when stored.
  bool is_small() const { return TileProgramBuilder::compute_type(plan_.dtype_) != plan_.dtype_; }
  int64_t stored_width() const { return byte_width(plan_.dtype_); }

  template <class C, class T>
  void combine_pieces() {
    using Total = typename C::Total;
    Total* partial = static_cast<Total*>(scratch_);
    for (int64_t piece = 1; piece < plan_.pieces_; ++piece) {
      const Total* more = partial + piece * plan_.outputs_;
      for (int64_t i = 0; i < plan_.outputs_; ++i) partial[i] = C::combine(partial[i], more[i]);
    }
    store<C, T>(partial, 0, plan_.outputs_);
  }

  const Reduction& plan_;
  ReductionFetch fetch_;
  void* output_;
  void* scratch_;
  const void* init_;
};

void run_reduction(const Reduction& plan, ReductionFetch fetch, void* output, void* scratch,
                   ThreadPool& pool, const void* init) {
  ReductionRun(plan, fetch, output, scratch, init).run(pool);
}

void run_reduction_rows(const Reduction& plan, int64_t begin, int64_t end, ReductionFetch fetch,
                        void* output, const void* init) {
  ReductionRun(plan, fetch, output, nullptr, init).run_rows(begin, end);
}

}  // namespace kernels
}  // namespace systolic::inline v0
