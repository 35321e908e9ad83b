#include "systolic/stablehlo/sharding.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"

namespace systolic {
namespace {

using Starts = std::vector<std::vector<int64_t>>;

// A program whose argument lies as `sharding` says on 8 cores.
stablehlo::Program program_with(const std::string& sharding, const std::string& type) {
  return stablehlo::parse(
      "module {\n"
      "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
      "  \"sdy.mesh\"() <{sym_name = \"swapped\", mesh = #sdy.mesh<[\"x\"=8], "
      "device_ids=[1, 0, 2, 3, 4, 5, 7, 6]>}> : () -> ()\n"
      "  func.func @main(%a: tensor<" +
      type + "> {" + sharding + "}) -> tensor<" + type + "> {\n    return %a : tensor<" + type +
      ">\n  }\n}");
}

stablehlo::Parts parts_of(const std::string& sharding, const std::string& type) {
  const stablehlo::Program program = program_with(sharding, type);
  const stablehlo::Function& main = program.entry();
  const Shape shape(program.type(main.values[0]).dims);
  return stablehlo::parts_of(program, main.argument_attributes[0], shape, 8);
}

struct Row {
  std::string sharding, type;
  std::vector<int64_t> size;
  Starts start;
};

// Written out by hand from the two specifications.
const Row rows[] = {
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>",
     "4x8xf32",
     {2, 2},
     {{0, 0}, {0, 2}, {0, 4}, {0, 6}, {2, 0}, {2, 2}, {2, 4}, {2, 6}}},
    {"sdy.sharding = #sdy.sharding<@mesh, [{?}, {\"y\", ?}p1], replicated={\"x\"}>",
     "4x8xf32",
     {4, 2},
     {{0, 0}, {0, 2}, {0, 4}, {0, 6}, {0, 0}, {0, 2}, {0, 4}, {0, 6}}},
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"y\", \"x\"}]>",
     "16xf32",
     {2},
     {{0}, {4}, {8}, {12}, {2}, {6}, {10}, {14}}},
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"y\":(1)2}, {\"y\":(2)2}]>",
     "2x2xf32",
     {1, 1},
     {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}}},
    {"sdy.sharding = #sdy.sharding<@swapped, [{\"x\"}]>",
     "8xf32",
     {1},
     {{1}, {0}, {2}, {3}, {4}, {5}, {7}, {6}}},
    {"sdy.sharding = #sdy.sharding<mesh<[\"z\"=8]>, [{}, {\"z\"}]>",
     "1x8xf32",
     {1, 1},
     {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}}},
    {"sdy.sharding = #sdy.sharding<@mesh, []>", "f32", {}, Starts(8)},
    {"mhlo.sharding = \"{replicated}\"", "8xf32", {8}, Starts(8, {0})},
    {"mhlo.sharding = \"{devices=[8,1]<=[8]}\"",
     "8x2xf32",
     {1, 2},
     {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}}},
    {"mhlo.sharding = \"{devices=[4,2]<=[2,4]T(1,0)}\"",
     "4x2xf32",
     {1, 1},
     {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {"mhlo.sharding = \"{devices=[2,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}\"",
     "4xf32",
     {2},
     {{0}, {2}, {0}, {2}, {0}, {2}, {0}, {2}}},
    {"", "3xf32", {3}, Starts(8, {0})},
};

TEST(Sharding, SaysWhereEachCoresPartBegins) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.sharding);
    const stablehlo::Parts parts = parts_of(row.sharding, row.type);
    EXPECT_EQ(parts.size, row.size);
    EXPECT_EQ(parts.start, row.start);
  }
}

struct WrongRow {
  std::string sharding, type, message;
};
const WrongRow wrong_rows[] = {
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>", "3xf32", "into 2 parts"},
    {"sdy.sharding = #sdy.sharding<@none, [{\"x\"}]>", "4xf32", "name of a mesh"},
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"q\"}]>", "4xf32", "mesh axis q"},
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>", "4x4xf32", "1 axes"},
    {"sdy.sharding = #sdy.sharding<mesh<[\"x\"=4]>, [{\"x\"}]>", "4xf32", "4 cores"},
    {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}>", "4xf32", "']'"},
    {"sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={\"q\"}>", "4xf32", "mesh axis q"},
    {"sdy.sharding = #sdy.sharding<@mesh, [{}], other={\"x\"}>", "4xf32", "unreduced={...}"},
    {"sdy.sharding = #sdy.sharding<mesh<[\"x\"=9223372036854775807, \"y\"=4]>, [{\"x\"}]>", "4xf32",
     "2^20"},
    {"mhlo.sharding = \"{devices=[2,2]<=[4]}\"", "4x4xf32", "8 cores"},
    {"mhlo.sharding = \"{devices=[8]0,1,2,3,4,5,6,8}\"", "8xf32", "cores below 8"},
    {"mhlo.sharding = \"{devices=[8]<=[2,4]T(1,1)}\"", "8xf32", "a permutation"},
};

// Which of the addends of an unreduced array each core has, and how large its part is.
TEST(Sharding, SaysWhichAddendEachCoreHas) {
  struct {
    std::string sharding;
    std::vector<int64_t> size, addend;
  } const addends[] = {
      {"sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={\"x\"}>",
       {8},
       {0, 0, 0, 0, 1, 1, 1, 1}},
      {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}], unreduced={\"y\"}>",
       {4},
       {0, 1, 2, 3, 0, 1, 2, 3}},
      {"sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={\"x\", \"y\"}>",
       {8},
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}], replicated={\"y\":(1)2}, "
       "unreduced={\"y\":(2)2}>",
       {4},
       {0, 1, 0, 1, 0, 1, 0, 1}},
      {"sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}], unreduced={}>", {4}, {}},
  };
  for (const auto& row : addends) {
    SCOPED_TRACE(row.sharding);
    const stablehlo::Parts parts = parts_of(row.sharding, "8xf32");
    EXPECT_EQ(parts.size, row.size);
    EXPECT_EQ(parts.addend, row.addend);
    EXPECT_FALSE(parts.whole({8}));
  }
}

// A program for one device, called on eight, and a constraint that a partitioner would pad for.
TEST(Sharding, CutsWhatCanBeCut) {
  EXPECT_TRUE(
      parts_of("sdy.sharding = #sdy.sharding<mesh<[\"a\"=1]>, [{\"a\"}]>", "3xf32").whole({3}));
  const stablehlo::Program program =
      program_with("sdy.sharding = #sdy.sharding<@mesh, [{\"y\", \"x\"}]>", "12xf32");
  const stablehlo::MeshSharding sharding = stablehlo::read_sharding(
      program, *stablehlo::find(program.entry().argument_attributes[0], "sdy.sharding"));
  const auto size_of = [&](const Shape& shape) {
    return stablehlo::parts_of(stablehlo::dividing(sharding, shape), shape, 8).size[0];
  };
  EXPECT_EQ(size_of({16}), 2);
  EXPECT_EQ(size_of({12}), 3);  // by "y" alone
  EXPECT_EQ(size_of({3}), 3);
}

TEST(Sharding, RefusesWhatDoesNotFit) {
  for (const WrongRow& row : wrong_rows) {
    SCOPED_TRACE(row.sharding);
    const std::string message =
        message_of<InvalidArgument>([&] { parts_of(row.sharding, row.type); });
    EXPECT_NE(message.find(row.message), std::string::npos) << message;
  }
}

TEST(Sharding, MeshesArePrintedAsTheyAreRead) {
  const stablehlo::Program program = program_with("", "3xf32");
  ASSERT_EQ(program.operations.size(), 2u);
  const std::string printed = stablehlo::program_text(program);
  EXPECT_EQ(stablehlo::program_text(stablehlo::parse(printed)), printed);
}

// Each core's part is cut out, and the results are put together.
TEST(Sharding, ManualComputationsBecomePartsOfAPerCoreProgram) {
  const ir::Module module = stablehlo::import_module(
      stablehlo::parse(
          "module attributes {mhlo.num_partitions = 4 : i32} {\n"
          "  sdy.mesh @m = <[\"x\"=4]>\n"
          "  func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>) {\n"
          "    %0:2 = \"sdy.manual_computation\"(%a) <{in_shardings = "
          "#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>, out_shardings = "
          "#sdy.sharding_per_value<[<@m, [{\"x\"}]>, <@m, [{}]>]>, manual_axes = "
          "#sdy<manual_axes{\"x\"}>}> ({\n"
          "    ^bb0(%b: tensor<2xf32>):\n"
          "      %1 = \"stablehlo.all_reduce\"(%b) <{channel_handle = "
          "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> "
          ": tensor<1x4xi64>, use_global_device_ids}> ({\n"
          "      ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
          "        %2 = stablehlo.add %c, %d : tensor<f32>\n"
          "        stablehlo.return %2 : tensor<f32>\n"
          "      }) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "      \"sdy.return\"(%b, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
          "    }) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>)\n"
          "    return %0#0, %0#1 : tensor<8xf32>, tensor<2xf32>\n"
          "  }\n"
          "}"),
      {});
  ir::verify(module);
  EXPECT_EQ(module.num_replicas, 4);
  int slices = 0, gathers = 0;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) {
    // One finds the core's offset, one cuts its part.
    slices += op.code == ir::OpCode::dynamic_slice;
    gathers += op.code == ir::OpCode::all_gather;
  });
  EXPECT_EQ(slices, 2);
  EXPECT_EQ(gathers, 1);
}

// How JAX writes axis_index("x") where "x" alone is manual: a part inside of another, whose results
// are those of the cores with its own place along "x".
TEST(Sharding, ManualComputationsInsideOfOthersStayAmongTheirCores) {
  const ir::Module module = stablehlo::import_module(
      stablehlo::parse(
          "module attributes {mhlo.num_partitions = 4 : i32} {\n"
          "  sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
          "  func.func @main(%a: tensor<8xui32>) -> tensor<8xui32> {\n"
          "    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}]>] "
          "out_shardings=[<@m, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xui32>) {\n"
          "      %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@m, [{\"y\"}]>] "
          "manual_axes={\"y\"} () {\n"
          "        %2 = stablehlo.partition_id : tensor<ui32>\n"
          "        %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> "
          "tensor<2xui32>\n"
          "        sdy.return %3 : tensor<2xui32>\n"
          "      } : () -> tensor<4xui32>\n"
          "      sdy.return %1 : tensor<4xui32>\n"
          "    } : (tensor<8xui32>) -> tensor<8xui32>\n"
          "    return %0 : tensor<8xui32>\n  }\n}"),
      {});
  ir::verify(module);
  std::vector<std::vector<std::vector<int64_t>>> groups;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) {
    if (op.code != ir::OpCode::all_gather) return;
    groups.push_back(op.get<ir::GatherCoresAttributes>().collective.replica_groups);
  });
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0], (std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}}));
  EXPECT_TRUE(groups[1].empty());
}

// As JAX prints shard_map, and as MLIR writes any op.
TEST(Sharding, ManualComputationsHaveAPrettyForm) {
  const std::string head =
      "sdy.mesh @m = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = ";
  const std::string tail = " : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
  const std::string pretty =
      head +
      "sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[<@m, [{\"x\"}]>] "
      "manual_axes={\"x\"} (%b: tensor<2xf32>) {\n    sdy.return %b : tensor<2xf32>\n  }" +
      tail;
  const std::string generic =
      head +
      "\"sdy.manual_computation\"(%a) <{in_shardings = #sdy.sharding_per_value<[<@m, [{\"x\"}]>]>, "
      "out_shardings = #sdy.sharding_per_value<[<@m, [{\"x\"}]>]>, manual_axes = "
      "#sdy<manual_axes{\"x\"}>}> ({\n  ^bb0(%b: tensor<2xf32>):\n    \"sdy.return\"(%b) : "
      "(tensor<2xf32>) -> ()\n  })" +
      tail;
  const std::string read = stablehlo::program_text(stablehlo::parse(pretty));
  EXPECT_EQ(read, stablehlo::program_text(stablehlo::parse(generic)));
  EXPECT_EQ(read, stablehlo::program_text(stablehlo::parse(read)));
}

}  // namespace
}  // namespace systolic
