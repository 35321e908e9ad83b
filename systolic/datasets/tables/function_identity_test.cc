#include "systolic/datasets/tables/function_identity.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace systolic {
namespace {

int plus_one(int x) { return x + 1; }
int plus_two(int x) { return x + 2; }

TEST(FunctionIdentity, FunctionsDifferByTypeAndPlace) {
  const auto text = [](const auto& function) {
    const datasets::FunctionIdentity identity = datasets::identity_of(function);
    return datasets::fingerprint_of(identity).value_or("none");
  };
  const auto first = [](int x) { return x; };
  const auto second = [](int x) { return -x; };
  EXPECT_EQ(text(first), text(first));
  EXPECT_NE(text(first), text(second));
  EXPECT_EQ(text(&plus_one), text(&plus_one));
  EXPECT_NE(text(&plus_one), text(&plus_two));
  int held = 3;
  EXPECT_EQ(text([held](int x) { return x + held; }), "none");
  EXPECT_EQ(text(std::function<int(int)>(plus_one)), "none");
}

}  // namespace
}  // namespace systolic
