// One factor for all classes, or one for each: `.alpha = 0.25`, `.alpha = {0.2, 0.8}`.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "systolic/nn/config/field_values.h"

namespace systolic::inline v0 {

class ClassFactors {
 public:
  ClassFactors(double one) : values_{one} {}                            // NOLINT
  ClassFactors(std::initializer_list<double> each) : values_(each) {}   // NOLINT
  ClassFactors(std::vector<double> each) : values_(std::move(each)) {}  // NOLINT

  // As many as were given.
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

inline Config to_config(const ClassFactors& factors) {
  if (factors.values().size() == 1) return factors.values().front();
  return to_config(factors.values());
}
inline void from_config(const Config& config, ClassFactors& factors) {
  std::vector<double> values;
  if (config.is_list()) {
    from_config(config, values);
  } else {
    values.push_back(config.number());
  }
  factors = std::move(values);
}

}  // namespace systolic::inline v0
