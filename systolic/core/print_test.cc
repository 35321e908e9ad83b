#include "systolic/core/print.h"

#include <gtest/gtest.h>

#include <sstream>

namespace systolic {
namespace {

TEST(Print, TypesShapesAndArrays) {
  std::ostringstream out;
  out << DType::f32 << " " << Shape{2, 3} << " " << Shape{} << " "
      << Literal::of<int32_t>({{1, 2}, {3, 4}});
  EXPECT_EQ(out.str(), "f32 (2, 3) () [[1 2]\n [3 4]]");
}

}  // namespace
}  // namespace systolic
