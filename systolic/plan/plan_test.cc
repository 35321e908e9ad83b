// Plans of a compiler that is told what to answer. tests/tpu has the real one.
#include "systolic/plan/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/plan/planning_client.h"

namespace systolic {
namespace {

constexpr int64_t gigabyte = int64_t{1} << 30;

// 1 GB and 10 MB a row; a teraflop and half a gigabyte of traffic for each.
runtime::TpuProgram answer(int64_t batch) {
  runtime::TpuProgram program;
  program.memory = {.code = 1 << 20,
                    .arguments = gigabyte,
                    .outputs = gigabyte,
                    .aliased = gigabyte,
                    .temporaries = batch * 10'000'000,
                    .peak = gigabyte + batch * 10'000'000,
                    .limit = 16 * gigabyte};
  if (program.memory.peak > program.memory.limit) {
    raise<ResourceExhausted>({.what = "Ran out of memory on HBM\nand so on"});
  }
  program.cost = {{"flops", 1e12 * static_cast<double>(batch)}, {"bytes accessed", 5e8}};
  program.kind = "TPU v5 lite";
  program.compiler = "libtpu.so (PJRT 0.116)";
  program.seconds = 0.5;
  return program;
}

plan::Plan make(std::vector<int64_t> batches, int64_t batch = 25) {
  return plan::make_plan({.topology = "v5e:2x4", .batches = std::move(batches)},
                         {.name = "train_step", .batch = batch, .cores = 8}, answer);
}

TEST(Plan, PredictsProcessesOverANetwork) {
  const plan::Request request{.topology = "v5e:2x4",
                              .most_compilations = 0,
                              .processes = 4,
                              .network = plan::Network{1e9, 0, "8Gbit/0s"}};
  plan::Subject subject{
      .name = "train_step", .batch = 25, .cores = 8, .gradient_bytes = 100'000'000};
  const plan::Plan plan = plan::make_plan(request, subject, answer);
  ASSERT_TRUE(plan.spread.has_value());
  EXPECT_DOUBLE_EQ(plan.spread->sent_bytes, 150e6);
  EXPECT_DOUBLE_EQ(plan.spread->exchange_seconds, 0.15);
  // 25 TFLOP at 197 TFLOP/s take 127 ms, of which the backward pass hides two thirds.
  EXPECT_NEAR(plan.spread->step_seconds, 25.0 / 197 / 3 + 0.15, 1e-9);
  EXPECT_CONTAINS(plan::to_screen(plan), "4 processes over 8Gbit/0s, by a model of a ring");
  EXPECT_CONTAINS(plan::to_screen(plan), "66.0 % of the samples/s of so many slices");
  const auto json = nlohmann::json::parse(plan::to_json(plan));
  EXPECT_EQ(json["spread"]["sent_bytes"], 150e6);
  // Whose parameters are not known: what the step updates in place.
  subject.gradient_bytes = 0;
  EXPECT_EQ(plan::make_plan(request, subject, answer).spread->gradient_bytes, gigabyte);
}

TEST(Plan, FindsMemoryWorkAndTheLargestBatch) {
  const plan::Plan plan = make({8, 25, 4096});
  EXPECT_EQ(plan.memory_limit, 16 * gigabyte);
  ASSERT_TRUE(plan.largest.has_value());
  // (16 - 1) * 2^30 / 10^7 = 1610.6 rows.
  EXPECT_EQ(plan.largest->fits, 1608);
  EXPECT_EQ(plan.largest->does_not, 1616);
  ASSERT_TRUE(plan.own.work.has_value());
  // 25 TFLOP at 197 TFLOP/s; half a gigabyte at 819 GB/s.
  EXPECT_NEAR(plan.own.work->compute_seconds, 25.0 / 197, 1e-12);
  EXPECT_NEAR(plan.own.work->memory_seconds, 0.5 / 819, 1e-12);
  EXPECT_FALSE(plan.own.work->bound_by_memory());
  EXPECT_EQ(plan.own.work->utilization(), 1);
  ASSERT_EQ(plan.table.size(), 3u);
  EXPECT_TRUE(plan.table[0].program.has_value());
  EXPECT_FALSE(plan.table[2].program.has_value());
  // The own batch is compiled once, however often it is asked for.
  EXPECT_EQ(plan.compilations, plan.largest->compilations + 2);
}

TEST(Plan, IsOneScreen) {
  const std::string text = plan::to_screen(make({8, 128, 4096}));
  for (const char* part :
       {"train_step on TPU v5 lite (v5e:2x4), 8 cores, batch 25 a core (global 200)",
        "at effort 0, ", "peak ", " of the 16.00 GB that the core has",
        "bound by the matrix units: at least 126.90 ms a step, at most 1,576 samples/s",
        "largest batch that fits: 1,608 a core (global 12,864)", "1,616 does not fit",
        "       4,096    32,768   does not fit"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24) << text;
}

TEST(Plan, SaysWhatDoesNotFit) {
  const plan::Plan plan = make({}, 4096);
  EXPECT_FALSE(plan.own.program.has_value());
  const std::string text = plan::to_screen(plan);
  EXPECT_NE(text.find("DOES NOT FIT: Ran out of memory on HBM\n"), std::string::npos) << text;
  ASSERT_TRUE(plan.largest.has_value());
  EXPECT_EQ(plan.largest->fits, 1608);
}

TEST(Plan, IsJsonToo) {
  const auto json = nlohmann::json::parse(plan::to_json(make({8, 4096})));
  EXPECT_EQ(json["topology"], "v5e:2x4");
  EXPECT_EQ(json["effort"], "0");
  EXPECT_EQ(json["own"]["memory"]["peak"], gigabyte + 250'000'000);
  EXPECT_EQ(json["own"]["work"]["bound_by"], "compute");
  EXPECT_EQ(json["largest"]["batch_per_core"], 1608);
  EXPECT_EQ(json["table"][0]["global_batch"], 64);
  EXPECT_EQ(json["table"][1]["fits"], false);
}

TEST(Plan, OfAProgramOfOneBatchSaysWhatToDo) {
  const plan::Plan plan = plan::make_plan(
      {.topology = "v5e:2x4"},
      {.name = "x", .other_batches = false, .why_not = "no axis is a batch"}, answer);
  EXPECT_EQ(plan.compilations, 1);
  EXPECT_NE(plan::to_screen(plan).find("other batches: no axis is a batch"), std::string::npos);
}

TEST(Plan, ThrowsOnWhatIsNotMemory) {
  EXPECT_THROW(plan::make_plan({.topology = "v3-8"}, {.name = "x", .batch = 1},
                               [](int64_t) -> runtime::TpuProgram {
                                 raise<NotFound>({.what = "no libtpu.so"});
                               }),
               NotFound);
}

TEST(Plan, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(plan::finish({.topology = "v5e:2x4", .json_file = "/dev/null/plan.json"}, make({})),
               Unavailable);
}

// What the planning client takes for the step of a loop of one's own.
TEST(Plan, KnowsATrainingStep) {
  ir::Module module;
  module.functions.emplace_back();
  ir::Builder b(module.main(), &module);
  const ir::Value x = b.argument({DType::f32, {16, 4}});
  const ir::Value w = b.argument({DType::f32, {16, 4}});
  b.result(ir::binary(ir::OpCode::add, x, w));
  EXPECT_FALSE(plan::is_training_step(module));
  module.main().arguments[1].role = ir::Role::parameter;
  module.main().arguments[1].aliases_result = 0;
  EXPECT_TRUE(plan::is_training_step(module));
  EXPECT_EQ(plan::batch_of(module), 16);
  module.num_partitions = 8;
  EXPECT_EQ(plan::batch_of(module), 2);
  module.num_partitions = 3;
  EXPECT_EQ(plan::batch_of(module), 0);
}

}  // namespace
}  // namespace systolic
