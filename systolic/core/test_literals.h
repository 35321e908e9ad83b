// For tests: arrays to try things with, and comparing them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic {

// 0, 1, 2, ... in row-major order.
inline Literal counting(const Shape& shape, DType dtype = DType::f32) {
  Literal result(DType::i64, shape);
  int64_t next = 0;
  for (int64_t& value : result.mutable_data<int64_t>()) value = next++;
  return result.convert(dtype);
}

// The elements in row-major order.
inline std::vector<double> numbers(const Literal& literal) {
  std::vector<double> result;
  for (int64_t i = 0; i < literal.size(); ++i) result.push_back(literal.number_at(i));
  return result;
}

// |got - wanted| <= absolute + relative * |wanted|
struct Tolerance {
  double absolute = 0, relative = 0;
};

inline void expect_near(const Literal& got, const Literal& wanted, Tolerance tolerance,
                        const std::string& what = "") {
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.number_at(i), b = wanted.number_at(i);
    ASSERT_NEAR(a, b, tolerance.absolute + tolerance.relative * std::fabs(b))
        << what << " element " << i;
  }
}

}  // namespace systolic
