// A learning rate: a number, or a schedule, which gives it from the number of steps done
// (keras.optimizers.schedules).
//
//   Adam{.learning_rate = 1e-4}
//   Adam{.learning_rate = CosineDecay{.initial_learning_rate = 1e-3, .decay_steps = 10'000}}
//   Adam{.learning_rate = [](const Tensor& step) { return 1e-3 * rsqrt(step + 1); }}
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class LearningRate {
 public:
  // From the step, an f32 scalar that counts from 0, to the rate, an f32 scalar.
  using Schedule = std::function<Tensor(const Tensor& step)>;

  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr LearningRate(Number value) : value_(static_cast<double>(value)) {}  // NOLINT
  template <class F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> LearningRate(
      F schedule)  // NOLINT
      : schedule_(std::make_shared<const Schedule>(std::move(schedule))) {}

  bool is_schedule() const { return schedule_ != nullptr; }
  double value() const { return value_; }
  Tensor at(const Tensor& step) const { return (*schedule_)(step); }

 private:
  double value_ = 0;
  std::shared_ptr<const Schedule> schedule_;
};

}  // namespace systolic::inline v0
