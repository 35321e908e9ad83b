// Optimizer updates against their formulae in double, one element at a time.
#include "backends/cpu/kernels/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using kernels::Gradient;
using kernels::Updated;

ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

// Arrays of one update: the state before, and a place for the state after.
struct State {
  std::vector<float> before, after;
  explicit State(int64_t count, uint32_t seed, bool positive = false)
      : before(converted<float>(test_values(count, seed))), after(before.size()) {
    if (positive) {
      for (float& value : before) value = std::fabs(value);
    }
  }
  Updated fresh() { return {before.data(), after.data()}; }
  Updated in_place() {
    after = before;
    return {after.data(), after.data()};
  }
  Updated use(bool place) { return place ? in_place() : fresh(); }
};

// The gradient in each stored type, with the exact values that it holds.
struct TestGradient {
  std::vector<float> f32;
  std::vector<bfloat16> bf16;
  std::vector<float16> f16;
  std::vector<double> exact;
  Gradient gradient;
  TestGradient(int64_t count, DType dtype, float scale) {
    for (double value : test_values(count, 99)) {
      f32.push_back(static_cast<float>(value));
      bf16.push_back(bfloat16(f32.back()));
      f16.push_back(float16(f32.back()));
      const float held = dtype == DType::f32    ? f32.back()
                         : dtype == DType::bf16 ? static_cast<float>(bf16.back())
                                                : static_cast<float>(f16.back());
      exact.push_back(static_cast<double>(held) * scale);
    }
    const void* data = dtype == DType::f32    ? static_cast<const void*>(f32.data())
                       : dtype == DType::bf16 ? static_cast<const void*>(bf16.data())
                                              : static_cast<const void*>(f16.data());
    gradient = {data, dtype, scale};
  }
};

template <class Body>
void for_each_case(Body body) {
  for (int64_t count : {1, 7, 100, 40001}) {
    for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (bool in_place : {false, true}) {
        const TestGradient gradient(count, dtype, 0.5f);
        body(count, gradient, in_place);
      }
    }
  }
}

void expect_near(const std::vector<float>& got, const std::vector<double>& wanted,
                 const char* what) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], 3e-6 * (1 + std::fabs(wanted[i]))) << what << " at " << i;
  }
}

TEST(Optimizer, Sgd) {
  for (float momentum : {0.0f, 0.9f}) {
    for (bool nesterov : {false, true}) {
      for_each_case([&](int64_t count, const TestGradient& g, bool in_place) {
        State p(count, 1), v(count, 2);
        const kernels::SgdSettings settings{0.1f, momentum, nesterov};
        kernels::sgd_update(settings, p.use(in_place), v.use(in_place), g.gradient, count, pool());
        std::vector<double> wanted_p, wanted_v;
        for (int64_t i = 0; i < count; ++i) {
          const double step = double(0.1f) * g.exact[i];
          const double new_v = double(momentum) * v.before[i] - step;
          const double move =
              momentum == 0 ? -step : (nesterov ? double(momentum) * new_v - step : new_v);
          wanted_p.push_back(p.before[i] + move);
          wanted_v.push_back(new_v);
        }
        expect_near(p.after, wanted_p, "parameter");
        if (momentum != 0) expect_near(v.after, wanted_v, "velocity");
      });
    }
  }
}

TEST(Optimizer, AdamAdamWAndAmsgrad) {
  for (float decay : {0.0f, 0.004f}) {
    for (bool amsgrad : {false, true}) {
      for_each_case([&](int64_t count, const TestGradient& g, bool in_place) {
        State p(count, 1), m(count, 2), v(count, 3, true), vhat(count, 4, true);
        const float alpha = kernels::adam_alpha(0.01f, 0.9f, 0.999f, 3);
        const kernels::AdamSettings settings{alpha, 0.1f, 0.001f, 1e-7f, decay * 0.01f};
        kernels::adam_update(settings, p.use(in_place), m.use(in_place), v.use(in_place),
                             amsgrad ? vhat.use(in_place) : Updated{}, g.gradient, count, pool());
        std::vector<double> wanted_p, wanted_m, wanted_v, wanted_vhat;
        for (int64_t i = 0; i < count; ++i) {
          const double new_m = m.before[i] + (g.exact[i] - m.before[i]) * 0.1;
          const double new_v = v.before[i] + (g.exact[i] * g.exact[i] - v.before[i]) * 0.001;
          const double new_vhat = std::max<double>(vhat.before[i], new_v);
          const double root = std::sqrt(amsgrad ? new_vhat : new_v);
          const double decayed = p.before[i] * (1 - double(decay) * 0.01);
          wanted_p.push_back(decayed - new_m * alpha / (root + 1e-7));
          wanted_m.push_back(new_m);
          wanted_v.push_back(new_v);
          wanted_vhat.push_back(new_vhat);
        }
        expect_near(p.after, wanted_p, "parameter");
        expect_near(m.after, wanted_m, "m");
        expect_near(v.after, wanted_v, "v");
        if (amsgrad) expect_near(vhat.after, wanted_vhat, "vhat");
      });
    }
  }
}

TEST(Optimizer, AdamAlphaCorrectsTheBias) {
  EXPECT_NEAR(kernels::adam_alpha(0.001f, 0.9f, 0.999f, 1), 0.001 * std::sqrt(0.001) / 0.1, 1e-8);
  EXPECT_NEAR(kernels::adam_alpha(0.001f, 0.9f, 0.999f, 100000), 0.001, 1e-9);
}

TEST(Optimizer, Rmsprop) {
  for (bool centered : {false, true}) {
    for (float momentum : {0.0f, 0.8f}) {
      for_each_case([&](int64_t count, const TestGradient& g, bool in_place) {
        State p(count, 1), v(count, 2, true), mom(count, 3), average(count, 4);
        // A variance is at least the square of the mean.
        for (int64_t i = 0; i < count; ++i) {
          v.before[i] += average.before[i] * average.before[i] + 0.1f;
        }
        const kernels::RmspropSettings settings{0.01f, 0.9f, momentum, 1e-7f};
        kernels::rmsprop_update(settings, p.use(in_place), v.use(in_place),
                                momentum != 0 ? mom.use(in_place) : Updated{},
                                centered ? average.use(in_place) : Updated{}, g.gradient, count,
                                pool());
        std::vector<double> wanted_p, wanted_v, wanted_mom, wanted_average;
        for (int64_t i = 0; i < count; ++i) {
          const double rho = double(0.9f);
          const double new_v = rho * v.before[i] + (1 - rho) * g.exact[i] * g.exact[i];
          const double a = rho * average.before[i] + (1 - rho) * g.exact[i];
          const double denominator = new_v + 1e-7 - (centered ? a * a : 0);
          const double increment = 0.01 * g.exact[i] / std::sqrt(denominator);
          const double move = double(momentum) * mom.before[i] + increment;
          wanted_p.push_back(p.before[i] - (momentum != 0 ? move : increment));
          wanted_v.push_back(new_v);
          wanted_mom.push_back(move);
          wanted_average.push_back(a);
        }
        expect_near(p.after, wanted_p, "parameter");
        expect_near(v.after, wanted_v, "velocity");
        if (momentum != 0) expect_near(mom.after, wanted_mom, "momentum");
        if (centered) expect_near(average.after, wanted_average, "average");
      });
    }
  }
}

TEST(Optimizer, Adagrad) {
  for_each_case([&](int64_t count, const TestGradient& g, bool in_place) {
    State p(count, 1), a(count, 2, true);
    kernels::adagrad_update({0.1f, 1e-7f}, p.use(in_place), a.use(in_place), g.gradient, count,
                            pool());
    std::vector<double> wanted_p, wanted_a;
    for (int64_t i = 0; i < count; ++i) {
      wanted_a.push_back(a.before[i] + g.exact[i] * g.exact[i]);
      const double step = double(0.1f) * g.exact[i] / std::sqrt(wanted_a.back() + 1e-7);
      wanted_p.push_back(p.before[i] - step);
    }
    expect_near(p.after, wanted_p, "parameter");
    expect_near(a.after, wanted_a, "accumulator");
  });
}

TEST(Optimizer, GradientsOfOtherTypesAreErrors) {
  std::vector<float> p(4);
  const Updated in_place{p.data(), p.data()};
  const Gradient gradient{p.data(), DType::f64, 1.0f};
  EXPECT_THROW(kernels::sgd_update({}, in_place, {}, gradient, 4, pool()), Unimplemented);
}

}  // namespace
}  // namespace systolic
