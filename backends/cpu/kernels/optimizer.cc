#include "backends/cpu/kernels/optimizer.h"

#include <cmath>

#include "systolic/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/optimizer.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/vector_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// Calls body(gradient) with the gradient's array in its own type; body must not keep it.
template <class Body>
HWY_INLINE void with_gradient(const Gradient& gradient, Body body) {
  switch (gradient.dtype) {
    case DType::f32:
      return body(static_cast<const float*>(gradient.data));
    case DType::bf16:
      return body(static_cast<const bfloat16*>(gradient.data));
    default:
      return body(static_cast<const float16*>(gradient.data));
  }
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const Updated& array, int64_t i) {
  return hn::LoadU(d, array.in + i);
}
template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, const Updated& array, int64_t i) {
  hn::StoreU(value, d, array.out + i);
}
template <class D, class T>
HWY_INLINE hn::Vec<D> load_gradient(D d, const T* data, float scale, int64_t i) {
  return hn::Mul(load_f32(d, data + i), hn::Set(d, scale));
}

void sgd_range(const SgdSettings& s, Updated p, Updated velocity, Gradient gradient, int64_t begin,
               int64_t end) {
  with_gradient(gradient, [&](const auto* g) HWY_ATTR {
    for_each_vector(begin, end, [&](auto d, int64_t i) HWY_ATTR {
      const auto step =
          hn::Mul(load_gradient(d, g, gradient.scale, i), hn::Set(d, s.learning_rate));
      if (s.momentum == 0) return store(d, hn::Sub(load(d, p, i), step), p, i);
      const auto momentum = hn::Set(d, s.momentum);
      const auto v = hn::MulSub(momentum, load(d, velocity, i), step);
      store(d, v, velocity, i);
      const auto move = s.nesterov ? hn::MulSub(momentum, v, step) : v;
      store(d, hn::Add(load(d, p, i), move), p, i);
    });
  });
}

void adam_range(const AdamSettings& s, Updated p, Updated m, Updated v, Updated vhat,
                Gradient gradient, int64_t begin, int64_t end) {
  with_gradient(gradient, [&](const auto* data) HWY_ATTR {
    for_each_vector(begin, end, [&](auto d, int64_t i) HWY_ATTR {
      const auto g = load_gradient(d, data, gradient.scale, i);
      const auto old_m = load(d, m, i), old_v = load(d, v, i);
      const auto new_m = hn::MulAdd(hn::Sub(g, old_m), hn::Set(d, s.one_minus_beta_1), old_m);
      const auto new_v = hn::MulAdd(hn::MulSub(g, g, old_v), hn::Set(d, s.one_minus_beta_2), old_v);
      store(d, new_m, m, i);
      store(d, new_v, v, i);
      auto second = new_v;
      if (vhat.in != nullptr) {
        second = hn::Max(load(d, vhat, i), new_v);
        store(d, second, vhat, i);
      }
      auto value = load(d, p, i);
      value = hn::NegMulAdd(value, hn::Set(d, s.weight_decay_times_learning_rate), value);
      const auto step = hn::Div(hn::Mul(new_m, hn::Set(d, s.alpha)),
                                hn::Add(hn::Sqrt(second), hn::Set(d, s.epsilon)));
      store(d, hn::Sub(value, step), p, i);
    });
  });
}

void rmsprop_range(const RmspropSettings& s, Updated p, Updated velocity, Updated momentum_slot,
                   Updated average, Gradient gradient, int64_t begin, int64_t end) {
  with_gradient(gradient, [&](const auto* data) HWY_ATTR {
    for_each_vector(begin, end, [&](auto d, int64_t i) HWY_ATTR {
      const auto g = load_gradient(d, data, gradient.scale, i);
      const auto rho = hn::Set(d, s.rho), rest = hn::Set(d, 1.0f - s.rho);
      const auto v = hn::MulAdd(rho, load(d, velocity, i), hn::Mul(rest, hn::Mul(g, g)));
      store(d, v, velocity, i);
      auto denominator = hn::Add(v, hn::Set(d, s.epsilon));
      if (average.in != nullptr) {
        const auto a = hn::MulAdd(rho, load(d, average, i), hn::Mul(rest, g));
        store(d, a, average, i);
        denominator = hn::NegMulAdd(a, a, denominator);
      }
      auto step = hn::Div(hn::Mul(hn::Set(d, s.learning_rate), g), hn::Sqrt(denominator));
      if (momentum_slot.in != nullptr) {
        step = hn::MulAdd(hn::Set(d, s.momentum), load(d, momentum_slot, i), step);
        store(d, step, momentum_slot, i);
      }
      store(d, hn::Sub(load(d, p, i), step), p, i);
    });
  });
}

void adagrad_range(const AdagradSettings& s, Updated p, Updated accumulator, Gradient gradient,
                   int64_t begin, int64_t end) {
  with_gradient(gradient, [&](const auto* data) HWY_ATTR {
    for_each_vector(begin, end, [&](auto d, int64_t i) HWY_ATTR {
      const auto g = load_gradient(d, data, gradient.scale, i);
      const auto sum = hn::MulAdd(g, g, load(d, accumulator, i));
      store(d, sum, accumulator, i);
      const auto step = hn::Div(hn::Mul(hn::Set(d, s.learning_rate), g),
                                hn::Sqrt(hn::Add(sum, hn::Set(d, s.epsilon))));
      store(d, hn::Sub(load(d, p, i), step), p, i);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(sgd_range);
HWY_EXPORT(adam_range);
HWY_EXPORT(rmsprop_range);
HWY_EXPORT(adagrad_range);

namespace {

void check_gradient(const Gradient& gradient) {
  const bool known =
      gradient.dtype == DType::f32 || gradient.dtype == DType::bf16 || gradient.dtype == DType::f16;
  if (known) return;
  raise<Unimplemented>({.what = str("an optimizer update with a gradient of ", gradient.dtype),
                        .wanted = "f32, bf16 or f16",
                        .hint = "convert the gradient to f32"});
}

void in_pieces(int64_t count, ThreadPool& pool, FunctionRef<void(int64_t, int64_t)> body) {
  constexpr int64_t grain = 16384;
  if (count <= grain) return body(0, count);
  pool.parallel_for(count, grain, body);
}

}  // namespace

void sgd_update(const SgdSettings& settings, Updated parameter, Updated velocity, Gradient gradient,
                int64_t count, ThreadPool& pool) {
  check_gradient(gradient);
  in_pieces(count, pool, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(sgd_range)(settings, parameter, velocity, gradient, begin, end);
  });
}

void adam_update(const AdamSettings& settings, Updated parameter, Updated m, Updated v,
                 Updated vhat, Gradient gradient, int64_t count, ThreadPool& pool) {
  check_gradient(gradient);
  in_pieces(count, pool, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(settings, parameter, m, v, vhat, gradient, begin, end);
  });
}

float adam_alpha(float learning_rate, float beta_1, float beta_2, int64_t step) {
  const double t = static_cast<double>(step);
  return static_cast<float>(static_cast<double>(learning_rate) *
                            std::sqrt(1 - std::pow(static_cast<double>(beta_2), t)) /
                            (1 - std::pow(static_cast<double>(beta_1), t)));
}

void rmsprop_update(const RmspropSettings& settings, Updated parameter, Updated velocity,
                    Updated momentum_slot, Updated average_gradient, Gradient gradient,
                    int64_t count, ThreadPool& pool) {
  check_gradient(gradient);
  in_pieces(count, pool, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(rmsprop_range)
    (settings, parameter, velocity, momentum_slot, average_gradient, gradient, begin, end);
  });
}

void adagrad_update(const AdagradSettings& settings, Updated parameter, Updated accumulator,
                    Gradient gradient, int64_t count, ThreadPool& pool) {
  check_gradient(gradient);
  in_pieces(count, pool, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adagrad_range)(settings, parameter, accumulator, gradient, begin, end);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
