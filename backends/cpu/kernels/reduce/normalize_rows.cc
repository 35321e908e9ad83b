#include "backends/cpu/kernels/reduce/normalize_rows.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/normalize_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::Vec<hn::ScalableTag<float>>;

static_assert(hn::MaxLanes(hn::ScalableTag<float>()) <= least_normalized_columns);

// Calls each(load, store, keep) for whole vectors and, at the end, for what is left of one, with
// the ways to read and write so much; keep() makes the lanes beyond it 0.
template <class Each>
HWY_INLINE void for_vectors(int64_t count, const Each& each) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  const auto load = [&](const float* from) HWY_ATTR { return hn::LoadU(d, from + i); };
  const auto store = [&](Floats value, float* to) HWY_ATTR { hn::StoreU(value, d, to + i); };
  const auto all = [](Floats value) HWY_ATTR { return value; };
  for (; i + lanes <= count; i += lanes) each(load, store, all);
  if (i == count) return;
  const auto rest = hn::FirstN(d, static_cast<size_t>(count - i));
  each([&](const float* from) HWY_ATTR { return hn::MaskedLoad(rest, d, from + i); },
       [&](Floats value, float* to) HWY_ATTR { store_masked(value, rest, d, to + i); },
       [&](Floats value) HWY_ATTR { return hn::IfThenElseZero(rest, value); });
}

// Vectors of sums in turn: an addition takes as long as several loads.
class Sums {
 public:
  HWY_INLINE Sums() : a_(hn::Zero(Tag())), b_(a_), c_(a_), d_(a_) {}
  HWY_INLINE void add(Floats value) { turn(hn::Add(a_, value)); }
  HWY_INLINE void add_square(Floats value) { turn(hn::MulAdd(value, value, a_)); }
  HWY_INLINE float total() const {
    const Floats sum = hn::Add(hn::Add(a_, b_), hn::Add(c_, d_));
    return hn::GetLane(hn::SumOfLanes(Tag(), sum));
  }

 private:
  using Tag = hn::ScalableTag<float>;
  HWY_INLINE void turn(Floats last) {
    a_ = b_;
    b_ = c_;
    c_ = d_;
    d_ = last;
  }
  Floats a_, b_, c_, d_;
};

HWY_INLINE float sum_of(const float* x, int64_t count) {
  Sums sums;
  for_vectors(count,
              [&](const auto& load, const auto&, const auto&) HWY_ATTR { sums.add(load(x)); });
  return sums.total();
}

// `to` gets x - mean. Returns the sum of its squares.
HWY_INLINE float center(const float* x, int64_t count, float mean, float* to) {
  const Floats offset = hn::Set(hn::ScalableTag<float>(), mean);
  Sums squares;
  for_vectors(count, [&](const auto& load, const auto& store, const auto& keep) HWY_ATTR {
    const Floats centered = hn::Sub(load(x), offset);
    store(centered, to);
    squares.add_square(keep(centered));
  });
  return squares.total();
}

HWY_INLINE void finish(const float* centered, int64_t count, float inverse,
                       const NormalizeRowsOperands& row) {
  const Floats factor = hn::Set(hn::ScalableTag<float>(), inverse);
  for_vectors(count, [&](const auto& load, const auto& store, const auto&) HWY_ATTR {
    Floats value = hn::Mul(load(centered), factor);
    if (row.normalized != nullptr) store(value, row.normalized);
    if (row.y == nullptr) return;
    if (row.scale != nullptr) value = hn::Mul(value, load(row.scale));
    if (row.offset != nullptr) value = hn::Add(value, load(row.offset));
    store(value, row.y);
  });
}

void normalize_for_target(const NormalizeRowsOptions& options, int64_t rows,
                          const NormalizeRowsOperands& operands) {
  const int64_t columns = options.columns;
  for (int64_t i = 0; i < rows; ++i) {
    const auto row_of = [&](float* array) {
      return array == nullptr ? nullptr : array + i * columns;
    };
    NormalizeRowsOperands row = operands;
    row.x += i * columns;
    row.centered = row_of(operands.centered);
    row.normalized = row_of(operands.normalized);
    row.y = row_of(operands.y);
    // What is not stored lies where the row's result will.
    float* centered = row.centered != nullptr ? row.centered
                      : row.y != nullptr      ? row.y
                                              : row.normalized;
    const float mean = sum_of(row.x, columns) * options.mean_factor;
    const float squares = center(row.x, columns, mean, centered);
    const float inverse = 1 / std::sqrt(squares * options.variance_factor + options.epsilon);
    if (operands.inverse != nullptr) operands.inverse[i] = inverse;
    if (row.y != nullptr || row.normalized != nullptr) finish(centered, columns, inverse, row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(normalize_for_target);

void normalize_rows_f32(const NormalizeRowsOptions& options, int64_t rows,
                        const NormalizeRowsOperands& operands) {
  HWY_DYNAMIC_DISPATCH(normalize_for_target)(options, rows, operands);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
