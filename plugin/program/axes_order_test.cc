#include "plugin/program/axes_order.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using Order = std::vector<int64_t>;

stablehlo::Program transposed(const std::string& argument, const std::string& result) {
  return stablehlo::parse(
      str("module { func.func @main(%x: tensor<2x3x4xf32> {mhlo.layout_mode = \"", argument,
          "\"}) -> (tensor<4x2x3xf32> {mhlo.layout_mode = \"", result,
          "\"}) {\n%r = stablehlo.transpose %x, dims = [2, 0, 1] : "
          "(tensor<2x3x4xf32>) -> tensor<4x2x3xf32>\n"
          "return %r : tensor<4x2x3xf32>\n} }"));
}

struct OrderRow {
  const char *argument, *result;
  Order of_argument, of_result;
};
const OrderRow order_rows[] = {
    {"default", "default", {2, 1, 0}, {2, 1, 0}},
    {"auto", "{0,1,2}", {2, 1, 0}, {0, 1, 2}},
    // The axis of 4, whose neighbours are adjacent in the argument, is the result's first.
    {"default", "auto", {2, 1, 0}, {0, 2, 1}},
    {"{0,2,1}", "auto", {0, 2, 1}, {1, 0, 2}},
};

TEST(AxesOrder, IsWhatTheProgramSays) {
  for (const OrderRow& row : order_rows) {
    const stablehlo::Program program = transposed(row.argument, row.result);
    EXPECT_EQ(plugin::argument_order(program.entry(), 0, 3), row.of_argument) << row.argument;
    EXPECT_EQ(plugin::result_order(program, program.entry(), 0, 3), row.of_result) << row.result;
  }
}

TEST(AxesOrder, RefusesOthers) {
  for (const char* mode : {"", "{", "{}", "{0,1}", "{0,1,1}", "{0,1,3}", "{2,1,0", "{2;1;0}",
                           "{2,1,0}:T(8)", "{2,1,-1}", "row-major"}) {
    const stablehlo::Program program = transposed(mode, mode);
    EXPECT_THROW(plugin::argument_order(program.entry(), 0, 3), InvalidArgument) << mode;
    EXPECT_THROW(plugin::result_order(program, program.entry(), 0, 3), InvalidArgument) << mode;
  }
}

}  // namespace
}  // namespace systolic
