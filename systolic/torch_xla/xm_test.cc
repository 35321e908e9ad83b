// Collectives, closures, files and what is reported of a spawn.
#include "systolic/torch_xla/xm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/runtime/tpu_kind.h"
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

TEST(DoOnOrdinals, RunsOnThoseNamedAndGivesThemWhatItReturns) {
  for (const std::vector<int>& named : std::vector<std::vector<int>>{{0}, {1}, {0, 1}, {}}) {
    xmp::spawn(
        [&](int index) {
          const bool runs = std::find(named.begin(), named.end(), index) != named.end();
          const torch::Tensor sum = xm::all_reduce(xm::REDUCE_SUM, own(2));
          const std::optional<float> result = xm::do_on_ordinals(
              [](const torch::Tensor& x, int add) {
                EXPECT_TRUE(x.is_on_host());
                return floats(x)[1] + static_cast<float>(add);
              },
              std::tuple(sum, 5), named);
          EXPECT_EQ(result, runs ? std::optional(2.0f + 12 + 5) : std::nullopt) << index;
        },
        {.nprocs = 2});
  }
}

TEST(DoOnOrdinals, TheOthersWaitAndErrorsReachThem) {
  std::string log;
  xmp::spawn(
      [&](int index) {
        xm::do_on_ordinals([&] { log += "first;"; });
        if (index == 1) log += "after;";
      },
      {.nprocs = 2});
  EXPECT_EQ(log, "first;after;");
  EXPECT_CONTAINS(
      error_of([] {
        xmp::spawn(
            [](int) { xm::do_on_ordinals([] { throw std::runtime_error("no such file"); }); },
            {.nprocs = 2});
      }),
      "ordinal 0: no such file");
  EXPECT_CONTAINS(error_of([] {
                    xmp::spawn([](int) { xm::do_on_ordinals([] {}, std::tuple(), {2}); },
                               {.nprocs = 2});
                  }),
                  "do_on_ordinals of ordinal 2, expected 0 to 1");
}

TEST(MemoryInfo, CountsWhatAStepLeavesOnTheCore) {
  xmp::spawn(
      [&](int) {
        const int64_t before = xm::get_memory_info().bytes_used;
        xm::rendezvous("read");
        const torch::Tensor x = own(1 << 16) * 2.0;
        torch_xla::sync();
        const xm::MemoryInfo info = xm::get_memory_info(xm::xla_device());
        EXPECT_GE(info.bytes_used, before + 4 * (1 << 16));
        EXPECT_GE(info.peak_bytes_used, info.bytes_used);
        EXPECT_EQ(info.bytes_limit, parse_tpu_kind("v3-8").generation.memory_bytes_per_core);
        xm::rendezvous("read again");
      },
      {.nprocs = 2});
  EXPECT_CONTAINS(error_of([] { xm::get_memory_info(torch::Device{.type = "cpu"}); }),
                  "get_memory_info of cpu, expected xla:0");
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

// A number is part of the program until it changes; then it is given with each step.
TEST(Metrics, ANumberThatChangesCostsOneMoreProgram) {
  met::clear_all();
  const std::vector<double> numbers{0.3, 0.3, 0.7, 0.9, 0.3};
  xmp::spawn(
      [&](int) {
        for (const double number : numbers) {
          const torch::Tensor y = xm::all_reduce(xm::REDUCE_SUM, own(2)) * number;
          torch_xla::sync();
          const auto all = static_cast<float>(number);
          EXPECT_EQ(floats(y), (std::vector<float>{12 * all, 14 * all})) << number;
          xm::rendezvous("read");
        }
      },
      {.nprocs = 2});
  EXPECT_EQ(met::metric_data("ExecuteTime")->first, 5);
  EXPECT_EQ(met::metric_data("CompileTime")->first, 2);
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
