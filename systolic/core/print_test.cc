#include "systolic/core/print.h"

#include <gtest/gtest.h>

#include <sstream>

namespace systolic {
namespace {

TEST(Print, TypesShapesArraysAndElements) {
  std::ostringstream out;
  out << DType::f32 << " " << Shape{2, 3} << " " << Shape{} << " "
      << Literal::of<int32_t>({{1, 2}, {3, 4}});
  EXPECT_EQ(out.str(), "f32 (2, 3) () [[1 2]\n [3 4]]");
  std::ostringstream element;
  element << Example{{"x", Literal::of<float>({1, 2})}, {"label", 3}};
  EXPECT_EQ(element.str(), "{x: f32(2,), label: i32()}");
}

}  // namespace
}  // namespace systolic
