// How the program of a step is found.
#include "systolic/train/state/step_programs.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>

#include "systolic/base/test_allocations.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

std::shared_ptr<Program> any_program() {
  return std::make_shared<Program>(
      std::vector<ProgramParameter>{},
      [](const std::vector<Tensor>&) { return std::vector<Tensor>{constant(0)}; },
      ProgramOptions{.name = "any"});
}

using Types = std::vector<ir::Type>;

TEST(StepPrograms, EachFieldOfTheKeyCounts) {
  const Types types{{DType::f32, {32, 10}}, {DType::i32, {32}}};
  const Types wider{{DType::f32, {32, 11}}, {DType::i32, {32}}};
  const Types other{{DType::f32, {32, 10}}, {DType::f32, {32}}};
  const StepKeyView keys[] = {
      {.types = types},
      {.kind = StepKind::evaluate, .types = types},
      {.steps_per_execution = 2, .types = types},
      {.types = wider},
      {.types = other},
      {.types = std::span(types).first(1)},
      {.types = types, .weights = 1},
      {.types = types, .masked = true},
      {.types = types, .masked = true, .real_rows = 7},
  };
  StepPrograms programs;
  std::vector<std::shared_ptr<Program>> made;
  for (const StepKeyView& key : keys) {
    EXPECT_EQ(programs.find(key), nullptr);
    made.push_back(any_program());
    programs.add({.key = key.copy(), .program = made.back()});
  }
  for (size_t i = 0; i < made.size(); ++i) EXPECT_EQ(programs.find(keys[i]), made[i]) << i;

  programs.drop(StepKind::train);
  EXPECT_EQ(programs.all().size(), 1u);
  EXPECT_FALSE(programs.has(StepKind::train));
  EXPECT_EQ(programs.find(keys[0]), nullptr);
  EXPECT_EQ(programs.find(keys[1]), made[1]);
  programs.clear();
  EXPECT_EQ(programs.find(keys[1]), nullptr);
}

TEST(StepPrograms, LookingOneUpAllocatesNothing) {
  if (!counts_allocations) GTEST_SKIP() << "ThreadSanitizer has operators of its own";
  const Types types(5, {DType::f32, {32, 3, 4}});
  StepPrograms programs;
  for (int64_t steps = 1; steps < 20; ++steps)
    programs.add({.key = {.steps_per_execution = steps, .types = types}, .program = nullptr});
  const int64_t before = allocations();
  for (int64_t steps = 1; steps < 25; ++steps)
    programs.find({.steps_per_execution = steps, .types = types});
  EXPECT_EQ(allocations() - before, 0);
}

}  // namespace
}  // namespace systolic
