#include "plugin/value_shardings.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace systolic
