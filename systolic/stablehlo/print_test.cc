// The pretty form and locations.
#include "systolic/stablehlo/print.h"

#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using stablehlo::parse;
using stablehlo::program_text;

// Ops of @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) as StableHLO's tools
// print them.
struct Printed {
  const char* name;
  const char* text;
};

class Pretty : public testing::TestWithParam<Printed> {};

std::string program_of(std::string_view body) {
  return str(
      "module {\n  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) "
      "{\n",
      body, "    return\n  }\n}\n");
}

TEST_P(Pretty, PrintsWhatItReads) {
  const std::string text = program_of(GetParam().text);
  EXPECT_EQ(program_text(parse(text), {.pretty = true}), text);
}

// The pretty form says all that the generic one says.
TEST_P(Pretty, LosesNothing) {
  const std::string generic = program_text(parse(program_of(GetParam().text)));
  const std::string pretty = program_text(parse(generic), {.pretty = true});
  EXPECT_EQ(program_text(parse(pretty)), generic) << pretty;
}

INSTANTIATE_TEST_SUITE_P(
    Print, Pretty,
    testing::Values(
        Printed{"same", "    %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>\n"},
        Printed{"not_the_same",
                "    %0 = stablehlo.add %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                "tensor<2x?xf32>\n"},
        Printed{"constants",
                "    %c = stablehlo.constant dense<1> : tensor<i32>\n"
                "    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>\n"
                "    %c_0 = stablehlo.constant {a = \"b\"} dense<[1, 2]> : tensor<2xi32>\n"},
        Printed{"enumerations",
                "    %0 = stablehlo.compare  LT, %arg0, %arg0,  FLOAT : (tensor<2x3xf32>, "
                "tensor<2x3xf32>) -> tensor<2x3xi1>\n"},
        Printed{"attributes_after",
                "    %0 = stablehlo.iota dim = 0 {mhlo.x = \"y\"} : tensor<4xi32>\n"},
        Printed{"ranges",
                "    %0 = stablehlo.slice %arg0 [0:1, 0:3:2] : (tensor<2x3xf32>) -> "
                "tensor<1x2xf32>\n"},
        Printed{"dot",
                "    %0 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], "
                "contracting_dims = [1] x [1], precision = [DEFAULT, HIGH], algorithm = "
                "<lhs_precision_type = tf32, accumulation_type = f32> : (tensor<2x3xf32>, "
                "tensor<2x3xf32>) -> tensor<2xf32>\n"},
        Printed{"select",
                "    %0 = stablehlo.select %arg1, %arg0, %arg0 : tensor<i1>, tensor<2x3xf32>\n"},
        Printed{"brackets",
                "    %0 = stablehlo.custom_call @f(%arg0) {api_version = 4 : i32} : "
                "(tensor<2x3xf32>) -> tensor<f32>\n"
                "    %1 = stablehlo.tuple %0, %arg1 : tuple<tensor<f32>, tensor<i1>>\n"
                "    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>, tensor<i1>>) -> "
                "tensor<f32>\n"},
        Printed{"pad",
                "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                "    %0 = stablehlo.pad %arg0, %cst, low = [0, 1], high = [0, -1], interior = [0, "
                "2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>\n"},
        Printed{"no_operands",
                "    %0 = stablehlo.create_token : !stablehlo.token\n"
                "    %1 = stablehlo.after_all %0, %0 : !stablehlo.token\n"
                "    %2 = stablehlo.replica_id : tensor<ui32>\n"},
        Printed{"format",
                "    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : "
                "tensor<2x3xf32>\n"},
        Printed{"top_k",
                "    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<2x3xf32> -> "
                "(tensor<2x2xf32>, tensor<2x2xi32>)\n"},
        Printed{"calls",
                "    %0:2 = call @\"a b\"(%arg0) : (tensor<2x3xf32>) -> (tensor<f32>, "
                "tensor<i1>)\n"},
        Printed{"convolution",
                "    %0:2 = \"x.y\"() : () -> (tensor<1x4x1xf32>, tensor<2x1x1xf32>)\n"
                "    %1 = stablehlo.convolution(%0#0, %0#1) dim_numbers = [b, 0, f]x[0, i, o]->[b, "
                "0, f], window = {stride = [2], pad = [[0, 1]], reverse = [true]} "
                "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
                "(tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>\n"},
        Printed{"reduce_of_a_named_op",
                "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                "    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across "
                "dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"},
        Printed{"reducer",
                "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                "    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [0] : "
                "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
                "     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {\n"
                "      %1 = stablehlo.negate %arg4 : tensor<f32>\n"
                "      stablehlo.return %1 : tensor<f32>\n"
                "    }\n"},
        Printed{"loop",
                "    %0:2 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg0) : tensor<i32>, "
                "tensor<2x3xf32> attributes {a = 1 : i32}\n"
                "     cond {\n"
                "      stablehlo.return %arg1 : tensor<i1>\n"
                "    } do {\n"
                "      %1 = stablehlo.sine %iterArg_0 : tensor<2x3xf32>\n"
                "      stablehlo.return %iterArg, %1 : tensor<i32>, tensor<2x3xf32>\n"
                "    }\n"},
        Printed{"complex_of_other_sizes",
                "    %0 = stablehlo.complex %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                "tensor<2x?xcomplex<f32>>\n"},
        Printed{"least_and_most_distance",
                "    check.expect_close %arg0, %arg0, min_ulp_difference = 1, max_ulp_difference = "
                "2 : tensor<2x3xf32>\n"},
        Printed{"without_a_pretty_form",
                "    %0 = \"stablehlo.sort\"(%arg0) <{dimension = 0 : i64}> ({\n"
                "    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):\n"
                "      %1 = stablehlo.compare  LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> "
                "tensor<i1>\n"
                "      stablehlo.return %1 : tensor<i1>\n"
                "    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"},
        Printed{
            "an_op_that_mlir_prints_in_its_generic_form_alone",
            "    %c = stablehlo.constant dense<0> : tensor<2xi32>\n"
            "    %0 = \"stablehlo.torch_index_select\"(%arg0, %c) <{dim = 0 : i64, batch_dims = 0 "
            ": i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>\n"},
        Printed{"attributes_that_its_form_has_no_place_for",
                "    %0 = \"stablehlo.transpose\"(%arg0) <{permutation = dense<[1, 0]> : "
                "tensor<2xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"}),
    [](const auto& info) { return info.param.name; });

// MLIR's parser drops what is not an attribute of the op itself from those of the op.
TEST(Print, AttributesOfOtherDialectsStandBehindTheGenericForm) {
  const std::string text = program_text(
      parse(program_of("    %0 = stablehlo.reverse %arg0, dims = [0] {mhlo.x = \"y\"} : "
                       "tensor<2x3xf32>\n")));
  EXPECT_NE(text.find("<{dimensions = array<i64: 0>}> {mhlo.x = \"y\"} : ("), std::string::npos)
      << text;
  EXPECT_EQ(program_text(parse(text)), text);
}

TEST(Print, NamesAReducersOpWhereLocationsAreNotPrinted) {
  const std::string reduce =
      "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
      "    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [0] : "
      "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
      "     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {\n"
      "      %1 = stablehlo.add %arg3, %arg4 : tensor<f32> loc(\"x\")\n"
      "      stablehlo.return %1 : tensor<f32> loc(\"x\")\n"
      "    }\n";
  const std::string text = program_of(reduce);
  EXPECT_EQ(program_text(parse(text), {.pretty = true, .locations = true}), text);
  EXPECT_NE(program_text(parse(text), {.pretty = true}).find("applies stablehlo.add across"),
            std::string::npos);
}

// The specification's numbers may begin with a '+', those of MLIR may not.
TEST(Print, LeavesOutThePlusOfANumber) {
  const char* text =
      "module attributes {whole = +3 : i64, real = +1.5 : f64} {\n"
      "  func.func @main(%arg0: tensor<f64>) {\n"
      "    check.expect_almost_eq %arg0, %arg0, tolerance = +1.0e-12 : tensor<f64>\n"
      "    return\n"
      "  }\n"
      "}\n";
  for (const bool pretty : {false, true}) {
    const std::string printed = program_text(parse(text), {.pretty = pretty});
    EXPECT_EQ(printed.find('+'), std::string::npos) << printed;
    EXPECT_NE(printed.find("1.0e-12"), std::string::npos) << printed;
    EXPECT_EQ(program_text(parse(printed), {.pretty = pretty}), printed);
  }
}

TEST(Print, KeepsLocations) {
  const char* text =
      "module {\n"
      "  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
      "    %0 = stablehlo.sine %arg0 : tensor<f32> loc(#loc1)\n"
      "    return %0 : tensor<f32> loc(fused[\"a\", callsite(\"b\" at \"f.py\":3:4)])\n"
      "  } loc(unknown)\n"
      "}\n"
      "#loc = loc(\"model.py\":1:2)\n"
      "#loc1 = loc(\"layer\"(#loc))\n";
  EXPECT_EQ(program_text(parse(text), {.pretty = true, .locations = true}), text);
  const std::string generic = program_text(parse(text), {.locations = true});
  EXPECT_EQ(program_text(parse(generic), {.locations = true}), generic);
  EXPECT_NE(generic.find("tensor<f32> loc(#loc1)\n"), std::string::npos);
  EXPECT_EQ(program_text(parse(text)).find("loc"), std::string::npos);
}

}  // namespace
}  // namespace systolic
