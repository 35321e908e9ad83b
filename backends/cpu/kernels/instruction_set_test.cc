#include "backends/cpu/kernels/instruction_set.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "backends/cpu/kernels/amx/amx.h"
#include "hwy/targets.h"

namespace systolic {
namespace {

// Before any test of this program, so that SYSTOLIC_ISA counts for all of them.
class Limit : public testing::Environment {
 public:
  void SetUp() override { kernels::limit_instruction_set(); }
};
[[maybe_unused]] const auto* limit = testing::AddGlobalTestEnvironment(new Limit);

TEST(InstructionSet, IsAtMostWhatTheEnvironmentSays) {
  const char* text = std::getenv("SYSTOLIC_ISA");
  if (text == nullptr || std::string_view(text) != "avx2") {
    GTEST_SKIP() << "SYSTOLIC_ISA=avx2 is not set";
  }
  EXPECT_EQ(hwy::SupportedTargets() & HWY_AVX3, 0);
}

TEST(InstructionSet, EmulatesTheMatrixUnitWhereTheEnvironmentSaysSo) {
  if (!kernels::emulates_amx()) GTEST_SKIP() << "SYSTOLIC_ISA=emulated_amx is not set";
  if (kernels::is_intel()) GTEST_SKIP() << "Intel's AVX512-BF16 does not pay";
  EXPECT_TRUE(kernels::amx::is_available()) << "without AVX512-BF16 there is nothing to test";
}

}  // namespace
}  // namespace systolic
