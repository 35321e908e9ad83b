// What fit records of its steps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/monitor/profile/layer_costs.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/nn/nn.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

using monitor::Profile;
using spans::WorkKind;

constexpr int64_t batch = 8, inputs = 12, units = 16;

Model profiled_model() {
  Model model = Sequential({Input{.shape = {inputs}}, Dense{.units = units, .name = "first"},
                            Dense{.units = 1, .name = "second"}});
  model.compile({.optimizer = SGD{}, .loss = MeanSquaredError{}});
  return model;
}

data::Dataset profiled_batches() {
  const auto x = Literal::from(std::vector<float>(10 * batch * inputs, 0.5f), {10 * batch, inputs});
  const auto y = Literal::from(std::vector<float>(10 * batch, 1), {10 * batch, 1});
  return data::from_tensor_slices(std::pair(x, y)).batch(batch, {.drop_remainder = true});
}

// The profile of the steps of two epochs of ten.
Profile profile_of(const StepRange& steps) {
  const std::string folder = testing::TempDir() + str("fit_profile_", getpid());
  Model model = profiled_model();
  model.fit(profiled_batches(),
            {.epochs = 2, .profile = {.steps = steps, .folder = folder}, .verbose = 0});
  Profile profile = monitor::read_profile(folder);
  std::filesystem::remove_all(folder);
  return profile;
}

template <class Visit>
void each_span(const Profile& profile, const Visit& visit) {
  for (const auto& thread : profile.recorded.threads) {
    for (const auto& span : thread.spans) visit(span, profile.work(span.work));
  }
}

TEST(FitProfile, HasTheStepsTheirLayersAndTheInput) {
  const Profile profile = profile_of({4, 6});
  std::vector<int64_t> steps;
  std::set<std::string> programs;
  each_span(profile, [&](const auto& span, const spans::Work& work) {
    if (work.kind == WorkKind::step) steps.push_back(span.number);
    if (work.kind == WorkKind::program) programs.insert(work.name);
  });
  EXPECT_EQ(steps, (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(programs.count("train_step"), 1u);
  EXPECT_EQ(monitor::time_use(profile).steps, 3);
  EXPECT_EQ(profile.recorded.lost, 0);
}

// Forward a layer of m by n does 2 b m n operations. The gradient of its kernel is made where the
// optimizer takes it, which belongs to no layer.
TEST(FitProfile, LayersHaveTheWorkOfTheirProducts) {
  const Profile profile = profile_of({2, 5});
  const auto costs = monitor::layer_costs(profile);
  const auto products_of = [&](std::string_view layer) {
    double flops = 0;
    int64_t runs = 0;
    for (const auto& cost : monitor::op_costs(profile)) {
      if (!cost.layer.ends_with(layer) || cost.op.find("dot") == std::string::npos) continue;
      flops += cost.flops;
      ++runs;
      EXPECT_NE(cost.file.find("profile_test.cc"), std::string::npos) << cost.op;
    }
    EXPECT_GT(runs, 0) << layer;
    return flops / 4;
  };
  EXPECT_GE(products_of("first"), 2 * batch * inputs * units);
  EXPECT_GT(products_of("second"), 0);
  for (const auto& cost : costs) EXPECT_GE(cost.seconds, 0) << cost.layer;
}

TEST(FitProfile, OfTheFirstStepHasItsCompilation) {
  const Profile profile = profile_of({1, 1});
  int64_t steps = 0;
  each_span(profile, [&](const auto& span, const spans::Work& work) {
    if (work.kind != WorkKind::step) return;
    ++steps;
    EXPECT_EQ(span.number, 1);
  });
  EXPECT_EQ(steps, 1);
}

TEST(FitProfile, AWrongRangeNamesTheCall) {
  Model model = profiled_model();
  try {
    model.fit(profiled_batches(), {.profile = {.steps = {5, 2}}, .verbose = 0});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_CONTAINS(std::string(error.what()), "profile of the steps 5 to 2");
    EXPECT_CONTAINS(std::string(error.what()), "profile_test.cc");
  }
}

}  // namespace
}  // namespace systolic
