// For tests: a small model of golden/, and what `transformers` computes with it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/transformers/config/task.h"

namespace systolic {

// How far two computations in f32 may be from each other: four times the largest error that the
// golden files have against f64, 5.1e-6 of outputs and 6.9e-7 of losses; MiniLM's is 1.4e-6
// (golden/measure_rounding.py).
inline constexpr double output_tolerance = 2e-5, loss_tolerance = 2.8e-6;

// Where the recipe put the model of that type.
std::string golden_folder(const std::string& model_type);

// Writes it to that folder with a head of its own, of which its config.json does not speak. Gives
// untied.safetensors.
Example write_untied_model(const std::string& model_type, const std::string& folder);

class Golden {
 public:
  explicit Golden(const std::string& model_type)
      : folder_(golden_folder(model_type)),
        expected_(io::read_safetensors(folder_ + "/expected.safetensors").tensors) {}

  const std::string& folder() const { return folder_; }
  bool has(Task task, const std::string& name) const {
    return expected_.contains(full_name(task, name));
  }
  const Literal& value(Task task, const std::string& name) const {
    return expected_[full_name(task, name)];
  }
  // Those that the model takes.
  Example inputs(const std::vector<std::string>& names) const {
    Example result;
    for (const std::string& name : names) {
      if (expected_.contains(name)) result.set(name, expected_[name]);
    }
    return result;
  }
  // The one batch with these labels.
  data::Dataset batch(const std::vector<std::string>& names, Task task,
                      const std::vector<std::string>& labels) const {
    Example element = inputs(names);
    for (const std::string& name : labels) element.set(name, value(task, name));
    return data::from_tensors(element);
  }

 private:
  static std::string full_name(Task task, const std::string& name) {
    return str(class_suffix(task), ".", name);
  }
  std::string folder_;
  Example expected_;
};

inline double largest_difference(const Literal& got, const Literal& wanted) {
  double largest = got.shape() == wanted.shape() ? 0 : HUGE_VAL;
  for (int64_t i = 0; i < got.size() && std::isfinite(largest); ++i) {
    const double difference = std::abs(got.number_at(i) - wanted.number_at(i));
    largest = difference <= largest ? largest : difference;  // a NaN stays
  }
  return largest;
}

}  // namespace systolic
