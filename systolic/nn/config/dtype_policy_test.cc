#include "systolic/nn/config/dtype_policy.h"

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
      set_dtype_policy("float32");
      EXPECT_EQ(dtype_policy().name(), "float16");
    }
    const DTypePolicyScope none{DTypePolicy()};
    EXPECT_EQ(dtype_policy().name(), "mixed_bfloat16");
    EXPECT_EQ(policy_of_another_thread(), "float32");
  }
  EXPECT_EQ(dtype_policy().name(), "float32");
}

}  // namespace
}  // namespace systolic
