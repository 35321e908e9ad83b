#include "systolic/nn/dtype_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace systolic {
namespace {

std::string policy_of_another_thread() {
  std::string name;
  std::thread([&] { name = dtype_policy().name(); }).join();
  return name;
}

TEST(DTypePolicyScope, CountsForItsThreadWhileItLives) {
  set_dtype_policy("float64");
  {
    const DTypePolicyScope outer("mixed_bfloat16");
    {
      const DTypePolicyScope inner("float16");
      EXPECT_EQ(dtype_policy().name(), "float16");
    }
    EXPECT_EQ(dtype_policy().name(), "mixed_bfloat16");
    EXPECT_EQ(policy_of_another_thread(), "float64");
  }
  EXPECT_EQ(dtype_policy().name(), "float64");
  set_dtype_policy("float32");
}

TEST(DTypePolicyScope, OfNoPolicyIsNone) {
  const DTypePolicyScope scope{DTypePolicy()};
  EXPECT_EQ(dtype_policy().name(), "float32");
}

}  // namespace
}  // namespace systolic
