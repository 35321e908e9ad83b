#include "benchmarks/measure.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "systolic/base/process/process.h"
#include "systolic/train/callbacks/lambda_callback.h"

namespace systolic {

Example random_digits(const Shape& images) {
  std::mt19937 bits(1);
  std::uniform_real_distribution<float> intensity(0, 1);
  std::uniform_int_distribution<int32_t> digit(0, 9);
  Literal image(DType::f32, images), label(DType::i32, Shape{images[0]});
  for (float& value : image.mutable_data<float>()) value = intensity(bits);
  for (int32_t& value : label.mutable_data<int32_t>()) value = digit(bits);
  return Example{{"image", image}, {"label", label}};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_milliseconds(const History& history, int64_t warm_up_executions) {
  const std::vector<double>& all = history.step_milliseconds;
  const auto skip = std::min(static_cast<size_t>(warm_up_executions), all.size() - 1);
  return median({all.begin() + static_cast<std::ptrdiff_t>(skip), all.end()});
}

void print_result(const std::string& work, const History& history, int64_t warm_up_executions,
                  double first_step_ms) {
  const nlohmann::json result = {{"work", work},
                                 {"who", "systolic"},
                                 {"ms_per_step", median_milliseconds(history, warm_up_executions)},
                                 {"compile_ms", history.compile_milliseconds},
                                 {"first_step_ms", first_step_ms},
                                 {"peak_memory_bytes", peak_memory_bytes()},
                                 {"losses", history.step_losses}};
  std::cout << result.dump() << std::endl;
}

void print_times(const std::string& work, std::vector<double> milliseconds) {
  const nlohmann::json result = {{"work", work},
                                 {"who", "systolic"},
                                 {"ms_per_step", median(std::move(milliseconds))},
                                 {"peak_memory_bytes", peak_memory_bytes()}};
  std::cout << result.dump() << std::endl;
}

void measure_fit(const std::string& work, Model& model, const data::Dataset& batches,
                 int64_t warm_up, int64_t steps) {
  double first_step_ms = 0;
  const auto note_first_step = [&](int64_t step, const Logs&) {
    if (step == 0) first_step_ms = milliseconds_since_start();
  };
  const History history =
      model.fit(batches, {.epochs = 1,
                          .steps_per_epoch = warm_up + steps,
                          .callbacks = {LambdaCallback({.on_train_batch_end = note_first_step})},
                          .verbose = 0});
  print_result(work, history, warm_up, first_step_ms);
}

}  // namespace systolic
