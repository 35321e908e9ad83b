// One threshold or several for predictions in [0, 1]: `.thresholds = 0.7`, `.thresholds = {0.2,
// 0.5}`. None given: the metric's own default.
#pragma once

#include <concepts>
#include <initializer_list>
#include <utility>
#include <vector>

#include "systolic/nn/config/field_values.h"

namespace systolic::inline v0 {

class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(double one) : values_{one} {}                                  // NOLINT
  Thresholds(std::initializer_list<double> several) : values_(several) {}   // NOLINT
  Thresholds(std::vector<double> several) : values_(std::move(several)) {}  // NOLINT

  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

inline Config to_config(const Thresholds& thresholds) {
  return thresholds.values().empty() ? Config() : to_config(thresholds.values());
}
inline void from_config(const Config& config, Thresholds& thresholds) {
  std::vector<double> values;
  if (config.is_list()) {
    from_config(config, values);
  } else if (!config.is_null()) {
    values.push_back(config.number());
  }
  thresholds = std::move(values);
}

}  // namespace systolic::inline v0
