#include "systolic/stablehlo/import/check_cores.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

// A collective of a module of `replicas` and `partitions`.
std::string program(int replicas, int partitions, const std::string& op,
                    const std::string& attributes) {
  return str("module attributes {mhlo.num_replicas = ", replicas,
             " : i32, mhlo.num_partitions = ", partitions,
             " : i32} {\n  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = "
             "\"stablehlo.",
             op, "\"(%x) {", attributes,
             "} : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}\n");
}

const std::string four = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>";
const std::string short_group = "replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>";
const std::string pairs = "source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>";
const std::string channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
const std::string all = ", use_global_device_ids";

// StableHLO's specification of each op, "replica_groups".
struct Row {
  int replicas, partitions;
  std::string op, attributes;
  std::string says;  // "": nothing is wrong
};
const std::vector<Row> rows = {
    {4, 1, "all_reduce", four, ""},
    {8, 1, "all_reduce", four, ""},
    {3, 1, "all_reduce", short_group, ""},
    {1, 1, "all_reduce", four, "core 1, expected cores in [0, 1)"},
    {2, 1, "all_reduce", four, "core 2, expected cores in [0, 2)"},
    {1, 4, "all_reduce", four + channel + all, ""},
    {1, 4, "all_reduce", four + channel, "core 1, expected cores in [0, 1)"},
    {2, 2, "all_reduce", four + channel + all, ""},
    {1, 4, "all_to_all", four + channel, ""},
    {1, 4, "all_to_all", four, "core 1"},
    {4, 1, "collective_permute", pairs, ""},
    {2, 1, "collective_permute", pairs, "source_target_pairs of stablehlo.collective_permute"},
    {1, 4, "collective_permute", pairs + channel, ""},
    {1, 1, "all_reduce", "replica_groups = dense<-2> : tensor<1x1xi64>", "core -2"},
};

TEST(CheckCores, RefusesGroupsOfCoresThatTheModuleHasNot) {
  for (const Row& row : rows) {
    const std::string text = program(row.replicas, row.partitions, row.op, row.attributes);
    const stablehlo::Program parsed = stablehlo::parse(text, "x.mlir");
    EXPECT_EQ(stablehlo::core_counts(parsed).replicas, row.replicas);
    EXPECT_EQ(stablehlo::core_counts(parsed).partitions, row.partitions);
    if (row.says.empty()) {
      EXPECT_NO_THROW(stablehlo::check_cores(parsed)) << text;
    } else {
      const std::string message =
          message_of<InvalidArgument>([&] { stablehlo::check_cores(parsed); });
      EXPECT_CONTAINS(message, row.says) << text;
      EXPECT_CONTAINS(message, "x.mlir:3:");
    }
  }
}

TEST(CheckCores, CountsTheCoresOfAPartThatIsWrittenPerCore) {
  const std::string body =
      "  sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n"
      "  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
      "    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\", \"y\"}]>] "
      "out_shardings=[<@m, [{\"x\", \"y\"}]>] manual_axes={\"x\", \"y\"} "
      "(%b: tensor<1xf32>) {\n"
      "      sdy.return %b : tensor<1xf32>\n"
      "    } : (tensor<8xf32>) -> tensor<8xf32>\n"
      "    return %0 : tensor<8xf32>\n  }\n}\n";
  const auto cores = [&](const std::string& attributes) {
    return stablehlo::manual_cores(stablehlo::parse(str("module ", attributes, " {\n", body)));
  };
  EXPECT_EQ(cores(""), 8);
  EXPECT_EQ(cores("attributes {mhlo.num_partitions = 8 : i32}"), 8);
  EXPECT_EQ(cores("attributes {mhlo.num_partitions = 4 : i32}"),
            4);  // the import says what is wrong
  const stablehlo::Program none = stablehlo::parse(program(4, 1, "all_reduce", four));
  EXPECT_FALSE(stablehlo::has_manual_part(none));
  EXPECT_EQ(stablehlo::manual_cores(none), 1);
}

TEST(CheckCores, FindsOpenSizes) {
  const auto open = [](const std::string& type) {
    return stablehlo::has_open_sizes(
        stablehlo::parse(str("func.func @main(%y: tensor<f32>, %x: ", type, ") -> ", type,
                             " {\n  return %x : ", type, "\n}\n")));
  };
  EXPECT_TRUE(open("tensor<?x4xf32>"));
  EXPECT_TRUE(open("tensor<4x?xf32>"));
  EXPECT_FALSE(open("tensor<4x4xf32>"));
}

}  // namespace
}  // namespace systolic
