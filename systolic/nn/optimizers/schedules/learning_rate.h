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

#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class LearningRate {
 public:
  // From the step, an f32 scalar that counts from 0, to the rate, an f32 scalar.
  using Schedule = std::function<Tensor(const Tensor& step)>;

  constexpr LearningRate() = default;  // 0
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr LearningRate(Number value) : value_(static_cast<double>(value)) {}  // NOLINT
  template <class F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> LearningRate(
      F schedule)  // NOLINT
      : schedule_(std::make_shared<const Object>(Object{schedule, config_of_schedule(schedule)})) {}

  bool is_schedule() const { return schedule_ != nullptr; }
  double value() const { return value_; }
  Tensor at(const Tensor& step) const { return schedule_->at(step); }

  // A number, or a schedule's {"class_name", "config"}; of a function an Unimplemented.
  Config config() const;
  static LearningRate from_config(const Config& config);

 private:
  struct Object {
    Schedule at;
    Config config;  // null for a function
  };
  template <class F>
  static Config config_of_schedule(const F& schedule) {
    if constexpr (HasOwnFields<F>) return config_of(schedule);
    return {};
  }
  double value_ = 0;
  std::shared_ptr<const Object> schedule_;
};

inline Config to_config(const LearningRate& rate) { return rate.config(); }
inline void from_config(const Config& config, LearningRate& rate) {
  rate = LearningRate::from_config(config);
}

}  // namespace systolic::inline v0
