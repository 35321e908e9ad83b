#include "systolic/base/global_seed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace systolic {
namespace {

using Draws = std::pair<uint64_t, uint64_t>;

Draws draws() { return {draw_seed(), draw_iterator_seed()}; }

Draws draws_after(uint64_t seed) {
  set_global_seed(seed);
  return draws();
}

// Each in a process of its own, since seeds are the process's.
void expect_holds(bool (*holds)()) {
  EXPECT_EXIT(std::_Exit(holds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(GlobalSeedDeathTest, IsThatOfTheRunUnlessTheProgramSetsOne) {
  expect_holds([] { return draws() != draws(); });
  expect_holds([] {
    static int asked;
    set_seed_of_run([]() -> std::optional<uint64_t> { return ++asked; });
    const Draws first = draws(), second = draws();
    return asked == 1 && first != second && draws_after(1) == first && draws() == second;
  });
  expect_holds([] {
    set_seed_of_run([]() -> std::optional<uint64_t> { return 1; });
    return draws_after(2) != draws_after(1) && draws_after(2) == draws_after(2);
  });
  expect_holds([] {
    const Draws wanted = draws_after(2);
    set_global_seed(2);
    set_seed_of_run([]() -> std::optional<uint64_t> { return 1; });
    return draws() == wanted;
  });
  expect_holds([] {  // alone
    set_seed_of_run([]() -> std::optional<uint64_t> { return std::nullopt; });
    return draws() != draws();
  });
}

}  // namespace
}  // namespace systolic
