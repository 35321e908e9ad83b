#include "plugin/value_shardings.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

struct Row {
  const char* name;
  const char* ops;  // of %x, 8x4 with its rows cut over 4 cores; returns %r of 8x4
  bool rows_are_cut;
};
const Row rows[] = {
    {"the argument", "%r = stablehlo.negate %x : tensor<8x4xf32>", true},
    {"a chain",
     "%a = stablehlo.tanh %x : tensor<8x4xf32>\n%r = stablehlo.add %a, %x : tensor<8x4xf32>", true},
    {"a constraint that says otherwise",
     "%r = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : "
     "(tensor<8x4xf32>) -> tensor<8x4xf32>",
     false},
    {"an op that mixes places", "%r = stablehlo.reverse %x, dims = [0] : tensor<8x4xf32>", false},
};

TEST(ValueShardings, GoForwardThroughElementwiseOps) {
  for (const Row& row : rows) {
    const stablehlo::Program program = stablehlo::parse(
        "module {\n sdy.mesh @m = <[\"c\"=4]>\n func.func @main(%x: tensor<8x4xf32> {sdy.sharding "
        "= "
        "#sdy.sharding<@m, [{\"c\"}, {}]>}) -> tensor<8x4xf32> {\n" +
        std::string(row.ops) + "\n return %r : tensor<8x4xf32>\n }\n}");
    const plugin::ValueShardings shardings(program, program.entry(), 4);
    const stablehlo::Parts parts = shardings.result(0, {8, 4});
    EXPECT_EQ(parts.size,
              (row.rows_are_cut ? std::vector<int64_t>{2, 4} : std::vector<int64_t>{8, 4}))
        << row.name;
    EXPECT_EQ(parts.start[3][0], row.rows_are_cut ? 6 : 0) << row.name;
  }
}

// How JAX writes jax.debug.callback(f, x, partitioned=True), in a loop too.
TEST(ValueShardings, SayWhichPartACallIsMadeOn) {
  const char* call =
      "stablehlo.custom_call @f(%v) {has_side_effect = true, mhlo.backend_config = {partitioned = "
      "true}} : (tensor<8x4xf32>) -> ()\n";
  const std::string on_argument = "%v = stablehlo.negate %x : tensor<8x4xf32>\n";
  const std::string in_loop =
      str("%w = stablehlo.while(%v = %x) : tensor<8x4xf32>\n cond {\n %c = stablehlo.constant "
          "dense<true> : tensor<i1>\n stablehlo.return %c : tensor<i1>\n } do {\n ",
          call, "stablehlo.return %v : tensor<8x4xf32>\n }\n");
  for (const std::string& ops : {on_argument + call, in_loop}) {
    const stablehlo::Program program = stablehlo::parse(
        "module {\n sdy.mesh @m = <[\"c\"=4]>\n func.func @main(%x: tensor<8x4xf32> {sdy.sharding "
        "= #sdy.sharding<@m, [{\"c\"}, {}]>}) {\n" +
        ops + "return\n }\n}");
    const plugin::ValueShardings shardings(program, program.entry(), 4);
    const stablehlo::Operation* made = &program.entry().body.operations.at(1);
    if (ops == in_loop) {
      made = &program.entry().body.operations.at(0).regions.at(1).operations.at(0);
    }
    const std::vector<stablehlo::Parts> parts = shardings.operands(*made);
    ASSERT_EQ(parts.size(), 1u) << ops;
    EXPECT_EQ(parts[0].size, (std::vector<int64_t>{2, 4})) << ops;
    EXPECT_TRUE(shardings.operands(program.entry().body.operations.at(0)).empty()) << ops;
  }
}

}  // namespace
}  // namespace systolic
