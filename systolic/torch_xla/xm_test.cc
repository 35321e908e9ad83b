// Collectives, closures, files and what is reported of a spawn.
#include "systolic/torch_xla/xm.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/torch_xla/torch_xla.h"

namespace systolic {
namespace {

// 1, 2, ... on ordinal 0; 11, 12, ... on ordinal 1.
torch::Tensor own(int64_t count) {
  Literal values(DType::f32, {count});
  auto data = values.mutable_data<float>();
  std::iota(data.begin(), data.end(), static_cast<float>(1 + 10 * xm::get_ordinal()));
  return values;
}

std::vector<float> floats(const torch::Tensor& x) {
  const Literal values = x.literal();
  const auto data = values.data<float>();
  return {data.begin(), data.end()};
}

struct CollectiveCase {
  const char* name;
  std::function<torch::Tensor()> run;
  std::vector<float> on_0, on_1;
};

TEST(Collectives, BetweenTwoOrdinals) {
  const CollectiveCase cases[] = {
      {"sum", [] { return xm::all_reduce(xm::REDUCE_SUM, own(2)); }, {12, 14}, {12, 14}},
      {"mean", [] { return xm::all_reduce(xm::REDUCE_SUM, own(2), 0.5); }, {6, 7}, {6, 7}},
      {"mul", [] { return xm::all_reduce(xm::REDUCE_MUL, own(2)); }, {11, 24}, {11, 24}},
      {"min", [] { return xm::all_reduce(xm::REDUCE_MIN, own(2)); }, {1, 2}, {1, 2}},
      {"max", [] { return xm::all_reduce(xm::REDUCE_MAX, own(2)); }, {11, 12}, {11, 12}},
      {"gather", [] { return xm::all_gather(own(2)); }, {1, 2, 11, 12}, {1, 2, 11, 12}},
      {"scatter",
       [] { return xm::reduce_scatter(xm::REDUCE_SUM, own(4), 1, 0); },
       {12, 14},
       {16, 18}},
      {"to all", [] { return xm::all_to_all(own(4), 0, 0); }, {1, 2, 11, 12}, {3, 4, 13, 14}},
      {"permute",
       [] {
         return xm::collective_permute(own(1), {{0, 1}, {1, 0}});
       },
       {11},
       {1}},
  };
  for (const CollectiveCase& one : cases) {
    xmp::spawn(
        [&](int index) {
          const torch::Tensor y = one.run();
          torch_xla::sync();
          const std::vector<float> got = floats(y);
          xm::rendezvous("read");
          EXPECT_EQ(got, index == 0 ? one.on_0 : one.on_1) << one.name << " on " << index;
        },
        {.nprocs = 2});
  }
}

TEST(Closures, RunAfterTheStepInOrder) {
  std::string log;
  xmp::spawn(
      [&](int index) {
        const torch::Tensor x = own(1) * 2.0;
        xm::add_step_closure([&log, index, x] {
          if (index == 0) log += str("x ", x.item<float>(), ";");
        });
        xm::add_step_closure([&log, index] {
          if (index == 0) log += "second;";
        });
        if (index == 0) log += "before;";
        xm::mark_step();
        if (index == 0) log += "after;";
      },
      {.nprocs = 2});
  EXPECT_EQ(log, "before;x 2;second;after;");
}

TEST(Ordinals, EachHasParametersOfItsOwn) {
  const torch::nn::Linear model(2, 1);
  const torch::StateDict before = model.state_dict();
  xmp::spawn(
      [&](int index) {
        EXPECT_EQ(model.state_dict(), before);
        model.weight.copy_(Literal::filled(DType::f32, {1, 2}, index));
        xm::rendezvous("all have written");
        EXPECT_EQ(model.weight.literal(), Literal::filled(DType::f32, {1, 2}, index));
        xm::broadcast_master_param(model.parameters());
        torch_xla::sync();
        EXPECT_EQ(model.weight.literal(), Literal::zeros(DType::f32, {1, 2}));
      },
      {.nprocs = 2});
  EXPECT_EQ(model.state_dict(), before);  // as after fork: what the ordinals did ends with them
}

TEST(Files, AreSavedOnceAndReadAgain) {
  const TemporaryFolder folder;
  const torch::nn::Sequential model{torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2)};
  const std::string whole = folder / "model.bin";
  xmp::spawn(
      [&](int) {
        const torch::StateDict state = model.state_dict();
        xm::save(state, whole);
        EXPECT_EQ(torch::load(whole), state);
      },
      {.nprocs = 2});
  EXPECT_EQ(torch::load(whole).size(), 7u);
}

TEST(Metrics, CountWhatRan) {
  met::clear_all();
  xmp::spawn(
      [](int) {
        for (int step = 0; step < 3; ++step) {
          const torch::Tensor y = own(2) * 3.0;
          torch_xla::sync();
        }
        const torch::Tensor alone = own(2) * 5.0;
        EXPECT_GT(alone.literal().at<float>({0}), 0);
      },
      {.nprocs = 2});
  EXPECT_EQ(met::counter_value("xla::RunAlone"), 2);
  EXPECT_EQ(met::metric_data("ExecuteTime")->first, 3);
  EXPECT_EQ(met::metric_data("CompileTime")->first, 2);
  EXPECT_CONTAINS(met::metrics_report(), "Metric: CompileTime\n  TotalSamples: 2");
}

}  // namespace
}  // namespace systolic
