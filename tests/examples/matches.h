// What the examples compare results with: lists of numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/trace/tensor.h"

namespace systolic {

// The elements of an array, row-major.
inline std::vector<double> numbers(const Literal& array) {
  std::vector<double> found;
  for (int64_t i = 0; i < array.size(); ++i) found.push_back(array.number_at(i));
  return found;
}
inline std::vector<double> numbers(const Tensor& tensor) { return numbers(tensor.literal()); }

// The same numbers: `wanted` was worked out to five digits or more.
inline void expect_numbers(const std::vector<double>& found, const std::vector<double>& wanted,
                           double tolerance = 1e-5) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance) << i;
}
inline void expect_numbers(const Tensor& found, const std::vector<double>& wanted,
                           double tolerance = 1e-5) {
  expect_numbers(numbers(found), wanted, tolerance);
}

}  // namespace systolic
