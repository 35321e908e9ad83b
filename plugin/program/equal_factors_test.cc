#include "plugin/program/equal_factors.h"

#include <gtest/gtest.h>

#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/verify.h"

namespace systolic {
namespace {

struct FactorRow {
  std::string lhs, rhs, result;
  std::string multiplied;  // the types of the factors afterwards
};
const FactorRow factor_rows[] = {
    {"f32", "bf16", "f32", "(tensor<2x3xf32>, tensor<3x4xf32>)"},
    {"bf16", "f32", "bf16", "(tensor<2x3xf32>, tensor<3x4xf32>)"},
    {"bf16", "f16", "f32", "(tensor<2x3xf32>, tensor<3x4xf32>)"},
    {"f8E4M3FN", "f8E5M2", "f32", "(tensor<2x3xf32>, tensor<3x4xf32>)"},
    {"f8E4M3FN", "bf16", "f32", "(tensor<2x3xbf16>, tensor<3x4xbf16>)"},
    {"i8", "i8", "f32", "(tensor<2x3xf32>, tensor<3x4xf32>)"},
    {"i8", "i32", "i32", "(tensor<2x3xi32>, tensor<3x4xi32>)"},
    {"ui8", "i8", "i32", "(tensor<2x3xi64>, tensor<3x4xi64>)"},
    {"f32", "f32", "complex<f32>", "(tensor<2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>)"},
    {"i8", "i8", "i32", "(tensor<2x3xi8>, tensor<3x4xi8>)"},
    {"bf16", "bf16", "f32", "(tensor<2x3xbf16>, tensor<3x4xbf16>)"},
};

TEST(EqualFactors, AreOfTheTypeThatHoldsBoth) {
  for (const FactorRow& row : factor_rows) {
    const std::string a = "tensor<2x3x" + row.lhs + ">", b = "tensor<3x4x" + row.rhs + ">";
    const std::string c = "tensor<2x4x" + row.result + ">";
    stablehlo::Program program = stablehlo::parse(
        "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
        " {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + a + ", " + b +
        ") -> " + c + "\n  return %0 : " + c + "\n}\n");
    plugin::make_factors_equal(program);
    stablehlo::verify(program);
    const std::string text = stablehlo::program_text(program);
    EXPECT_NE(text.find(">}> : " + row.multiplied + " -> " + c), std::string::npos) << text;
  }
}

// In regions, and for convolutions.
TEST(EqualFactors, AreFoundWhereverProductsAre) {
  stablehlo::Program program = stablehlo::parse(
      "func.func @main(%x: tensor<1x4x4x1xi8>, %k: tensor<2x2x1x1xi8>, %p: tensor<i1>) -> "
      "tensor<1x3x3x1xf32> {\n"
      "  %r = \"stablehlo.if\"(%p) ({\n"
      "    %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
      "f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<1x4x4x1xi8>, tensor<2x2x1x1xi8>) -> tensor<1x3x3x1xf32>\n"
      "    stablehlo.return %y : tensor<1x3x3x1xf32>\n"
      "  }, {\n"
      "    %z = stablehlo.constant dense<0.0> : tensor<1x3x3x1xf32>\n"
      "    stablehlo.return %z : tensor<1x3x3x1xf32>\n"
      "  }) : (tensor<i1>) -> tensor<1x3x3x1xf32>\n"
      "  return %r : tensor<1x3x3x1xf32>\n}\n");
  plugin::make_factors_equal(program);
  stablehlo::verify(program);
  EXPECT_NE(stablehlo::program_text(program).find(
                "(tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
