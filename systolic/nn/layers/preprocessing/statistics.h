// Means or variances as a field: a number, a list, or an array with an axis for each that a
// Normalization keeps. In configurations numbers and nested lists, null where they are not given.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {

class Statistics {
 public:
  Statistics() = default;
  Statistics(double value);  // NOLINT
  Statistics(std::initializer_list<double> values);
  Statistics(const std::vector<double>& values);  // NOLINT
  Statistics(const Literal& array);               // NOLINT: kept as f64

  bool given() const { return array_.has_value(); }
  // f64.
  const Literal& array() const { return *array_; }
  friend bool operator==(const Statistics&, const Statistics&) = default;

 private:
  std::optional<Literal> array_;
};

Config to_config(const Statistics& statistics);
void from_config(const Config& config, Statistics& statistics);

}  // namespace systolic::inline v0
