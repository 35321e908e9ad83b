// A row of f32, vector by vector; compiled once for each instruction set.
#if defined(SYSTOLIC_KERNELS_ROW_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_ROW_VECTORS_INL_H_
#undef SYSTOLIC_KERNELS_ROW_VECTORS_INL_H_
#else
#define SYSTOLIC_KERNELS_ROW_VECTORS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::Vec<hn::ScalableTag<float>>;

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
  HWY_INLINE void add_product(Floats x, Floats y) { turn(hn::MulAdd(x, y, a_)); }
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

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // SYSTOLIC_KERNELS_ROW_VECTORS_INL_H_
