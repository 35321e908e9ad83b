// dot_general, convolution, dynamic_conv.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

const std::string tensor_q = "!quant.uniform<i8:f32, 0.5>";
const std::string axis_q = "!quant.uniform<i8:f32:0, {0.5, 0.25}>";
const std::string axis1_q = "!quant.uniform<i8:f32:1, {0.5, 0.25}>";
const std::string shifted_q = "!quant.uniform<i8:f32, 0.5:-1>";
const std::string wide_q = "!quant.uniform<i16:f32, 0.5>";
const std::string double_q = "!quant.uniform<i8:f64, 0.5>";

std::string dot(const std::string& fields, const std::string& more = "") {
  return "{dot_dimension_numbers = #stablehlo.dot<" + fields + ">" + more + "}";
}
const std::string matrix =
    dot("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]");

std::string with_algorithm(const std::string& counts, const std::string& precision) {
  return dot("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]",
             ", precision_config = [#stablehlo<precision " + precision +
                 ">, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<"
                 "lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, " +
                 counts + ", allow_imprecise_accumulation = false>");
}
std::string counts(int lhs, int rhs, int operations) {
  return str("lhs_component_count = ", lhs, ", rhs_component_count = ", rhs,
             ", num_primitive_operations = ", operations);
}

const std::vector<Violating> dots = {
    {"dot_general", "5x2x3xf32; 3x5x4xf32",
     dot("lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
         "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]"),
     "5x2x4xf32", ""},
    {"dot_general", "2x3xf32; 3x4x" + tensor_q, matrix, "2x4xf32", ""},
    {"dot_general_c1", "2x3xf32; 3x4xf32",
     dot("lhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], "
         "rhs_contracting_dimensions = [0]"),
     "2x4xf32", "size(rhs_batching_dimensions), got 0, expected 1"},
    {"dot_general_c2", "2x3xf32; 3x4xf32", dot("lhs_contracting_dimensions = [1]"), "2x4xf32",
     "size(rhs_contracting_dimensions), got 0, expected 1"},
    {"dot_general_c3", "2x3xf32; 3x4xf32",
     dot("lhs_contracting_dimensions = [1, 1], rhs_contracting_dimensions = [0, 1]"), "2xf32",
     "lhs_batching_dimensions + lhs_contracting_dimensions, got [1, 1], expected each number once"},
    {"dot_general_c4", "2x3xf32; 3x4xf32",
     dot("lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 0]"), "4xf32",
     "rhs_batching_dimensions + rhs_contracting_dimensions, got [0, 0], expected each number once"},
    {"dot_general_c5", "2x3xf32; 3x4xf32",
     dot("lhs_batching_dimensions = [2], rhs_batching_dimensions = [1], "
         "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]"),
     "2x4xf32", "lhs_batching_dimensions, got 2, expected numbers in [0, 2)"},
    {"dot_general_c6", "2x3xf32; 3x4xf32",
     dot("lhs_contracting_dimensions = [-1], rhs_contracting_dimensions = [0]"), "2x4xf32",
     "lhs_contracting_dimensions, got -1, expected numbers in [0, 2)"},
    {"dot_general_c7", "2x3xf32; 3x4xf32",
     dot("lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], "
         "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]"),
     "2x4xf32", "rhs_batching_dimensions, got 2, expected numbers in [0, 2)"},
    {"dot_general_c8", "2x3xf32; 3x4xf32",
     dot("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2]"), "2x4xf32",
     "rhs_contracting_dimensions, got 2, expected numbers in [0, 2)"},
    {"dot_general_c9", "5x3xf32; 6x3xf32",
     dot("lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
         "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]"),
     "5xf32", "dim(rhs, 0), got 6, expected 5 = dim(lhs, 0)"},
    {"dot_general_c10", "2x3xf32; 4x5xf32", matrix, "2x5xf32",
     "dim(rhs, 0), got 4, expected 3 = dim(lhs, 1)"},
    {"dot_general_c11", "2x3xf32; 3x4xf32",
     dot("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]",
         ", precision_config = [#stablehlo<precision HIGH>]"),
     "2x4xf32", "size(precision_config), got 1, expected 2"},
    {"dot_general_c12", "2x3xf32; 3x4xf32", matrix, "4x2xf32",
     "shape(result), got [4, 2], expected [2, 4]"},
    {"dot_general_c13", "2x3xf32; 3x4xf64", matrix, "2x4xf32",
     "element_type(rhs), got f64, expected f32 = element_type(lhs)"},
    {"dot_general_c14", "2x3x" + tensor_q + "; 3x4xf32", matrix, "2x4xf32",
     "types of (lhs, rhs, result), got tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4xf32>, "
     "tensor<2x4xf32>, expected all quantized, or rhs alone"},
    {"dot_general_c15", "2x3xf32; 3x4x" + shifted_q, matrix, "2x4xf32",
     "zero_points(rhs), got -1, expected 0"},
    {"dot_general_c16", "2x2xf32; 2x4x" + axis_q, matrix, "2x4xf32",
     "quantization_dimension(rhs), got 0, expected none of rhs_contracting_dimensions [0]"},
    {"dot_general_c17", "2x3x" + tensor_q + "; 3x4x" + wide_q, matrix, "2x4x" + tensor_q,
     "storage_type(rhs), got i16, expected i8 = storage_type(lhs)"},
    {"dot_general_c18", "2x3x" + tensor_q + "; 3x4x" + tensor_q, matrix, "2x4x" + double_q,
     "expressed_type(result), got f64, expected f32 = expressed_type(lhs)"},
    {"dot_general_c19", "2x3x" + tensor_q + "; 3x4x" + tensor_q, matrix, "2x4x" + axis_q,
     "type(result), got tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, expected one that is "
     "quantized per tensor, as rhs is"},
    {"dot_general_c20", "2x3xf64; 3x4x" + tensor_q, matrix, "2x4xf64",
     "element_type(lhs), got tensor<2x3xf64>, expected f32 = expressed_type(rhs)"},
    {"dot_general", "2x3xf32; 3x4xf32", with_algorithm(counts(1, 1, 1), "DEFAULT"), "2x4xf32", ""},
    {"dot_general_c21", "2x3xf32; 3x4xf32", with_algorithm(counts(1, 1, 1), "HIGH"), "2x4xf32",
     "precision_config beside an algorithm, got HIGH, expected DEFAULT"},
    {"dot_general_c22", "2x3xf32; 3x4xf32", with_algorithm(counts(0, 1, 1), "DEFAULT"), "2x4xf32",
     "lhs_component_count, got 0, expected 1 or more"},
    {"dot_general_c23", "2x3xf32; 3x4xf32", with_algorithm(counts(1, 0, 1), "DEFAULT"), "2x4xf32",
     "rhs_component_count, got 0, expected 1 or more"},
    {"dot_general_c24", "2x3xf32; 3x4xf32", with_algorithm(counts(1, 1, -1), "DEFAULT"), "2x4xf32",
     "num_primitive_operations, got -1, expected 1 or more"},
};
INSTANTIATE_TEST_SUITE_P(DotGeneral, Violations, testing::ValuesIn(dots), name_of);

struct Conv {
  std::string numbers = "[b, 0, f]x[0, i, o]->[b, 0, f]";
  std::string strides = "1", lhs_dilation = "1", rhs_dilation = "1", reversal = "false";
  std::string padding = "dense<[[1, 1]]> : tensor<1x2xi64>";
  int feature_groups = 1, batch_groups = 1;
  std::string more = "";
};

std::string inside(const Conv& c, bool dynamic) {
  return str(
      "{dimension_numbers = #stablehlo.conv<", c.numbers,
      ">, window_strides = array<i64: ", c.strides, ">, lhs_dilation = array<i64: ", c.lhs_dilation,
      ">, rhs_dilation = array<i64: ", c.rhs_dilation,
      ">, window_reversal = array<i1: ", c.reversal, ">, ",
      dynamic ? "" : str("padding = ", c.padding, ", "), "feature_group_count = ", c.feature_groups,
      " : i64, batch_group_count = ", c.batch_groups, " : i64", c.more, "}");
}

// input 2x8x6, kernel 3x6x4, output 2x8x4.
struct ConvRow {
  int constraint;  // 0: none is broken
  Conv attributes;
  std::string says;
  std::string lhs = "2x8x6xf32", rhs = "3x6x4xf32", result = "2x8x4xf32";
};

std::string raw(const std::string& input, const std::string& kernel, const std::string& output) {
  return str(
      "raw input_batch_dimension = 0, input_feature_dimension = 2, "
      "input_spatial_dimensions = [",
      input,
      "], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, "
      "kernel_spatial_dimensions = [",
      kernel,
      "], output_batch_dimension = 0, output_feature_dimension = 2, "
      "output_spatial_dimensions = [",
      output, "]");
}

const std::vector<ConvRow> convolutions = {
    {0, {}, ""},
    {0, {.numbers = raw("1", "0", "1")}, ""},
    {0,
     {.strides = "2", .padding = "dense<[[1, 0]]> : tensor<1x2xi64>"},
     "",
     "2x8x6xf32",
     "3x6x4xf32",
     "2x4x4xf32"},
    {1, {}, "rank(rhs), got 2, expected 3 = rank(lhs)", "2x8x6xf32", "6x4xf32"},
    {2, {.strides = "1, 1"}, "size(window_strides), got 2, expected 1"},
    {3, {.strides = "0"}, "window_strides, got 0, expected 1 or more"},
    {4, {.padding = "dense<1> : tensor<2x2xi64>"}, "shape(padding), got [2, 2], expected [1, 2]"},
    {5, {.lhs_dilation = "1, 1"}, "size(lhs_dilation), got 2, expected 1"},
    {6, {.lhs_dilation = "0"}, "lhs_dilation, got 0, expected 1 or more"},
    {7, {.rhs_dilation = "1, 1"}, "size(rhs_dilation), got 2, expected 1"},
    {8, {.rhs_dilation = "-1"}, "rhs_dilation, got -1, expected 1 or more"},
    {9, {.reversal = "false, true"}, "size(window_reversal), got 2, expected 1"},
    {10, {.batch_groups = 4}, "dim(lhs, 0), got 2, expected a multiple of batch_group_count = 4"},
    {11,
     {.feature_groups = 4},
     "dim(lhs, 2), got 6, expected a multiple of feature_group_count = 4"},
    {12, {.numbers = raw("", "0", "1")}, "size(input_spatial_dimensions), got 0, expected 1"},
    {13,
     {.numbers = raw("2", "0", "1")},
     "input_dimensions, got [0, 2, 2], expected each number once"},
    {13,
     {.numbers = "[b, 0, b]x[0, i, o]->[b, 0, f]"},
     "input_dimensions, got [2, 1, -1], expected numbers in [0, 3)"},
    {14, {}, "dim(rhs, 1), got 5, expected 6", "2x8x6xf32", "3x5x4xf32"},
    {15,
     {.batch_groups = 2},
     "dim(rhs, 2), got 5, expected a multiple of batch_group_count = 2",
     "2x8x6xf32",
     "3x6x5xf32"},
    {16,
     {.feature_groups = 3},
     "dim(rhs, 2), got 4, expected a multiple of feature_group_count = 3",
     "2x8x6xf32",
     "3x2x4xf32"},
    {17, {.numbers = raw("1", "0, 1", "1")}, "size(kernel_spatial_dimensions), got 2, expected 1"},
    {18,
     {.numbers = raw("1", "1", "1")},
     "kernel_dimensions, got [1, 1, 2], expected each number once"},
    {19, {.numbers = raw("1", "0", "")}, "size(output_spatial_dimensions), got 0, expected 1"},
    {20,
     {.numbers = raw("1", "0", "3")},
     "output_dimensions, got [0, 3, 2], expected numbers in [0, 3)"},
    {21, {.feature_groups = 0}, "feature_group_count, got 0, expected 1 or more"},
    {22, {.batch_groups = -2}, "batch_group_count, got -2, expected 1 or more"},
    {23,
     {.feature_groups = 2, .batch_groups = 2},
     "feature_group_count and batch_group_count, got 2 and 2, expected one of them 1"},
    {24,
     {.more = ", precision_config = [#stablehlo<precision HIGH>]"},
     "size(precision_config), got 1, expected 2"},
    {25, {}, "dim(result, 0), got 3, expected 2", "2x8x6xf32", "3x6x4xf32", "3x8x4xf32"},
    {25, {}, "dim(result, 2), got 5, expected 4", "2x8x6xf32", "3x6x4xf32", "2x8x5xf32"},
    {26, {}, "rank(result), got 2, expected 3 = rank(lhs)", "2x8x6xf32", "3x6x4xf32", "2x8xf32"},
    {27,
     {},
     "element_type(rhs), got f64, expected f32 = element_type(lhs)",
     "2x8x6xf32",
     "3x6x4xf64"},
    {27,
     {},
     "element_type(result), got tensor<2x8x4xf16>, expected the element type of lhs, "
     "tensor<2x8x6xf32>, or a wider one",
     "2x8x6xf32",
     "3x6x4xf32",
     "2x8x4xf16"},
    {28,
     {},
     "types of (lhs, rhs, result), got tensor<2x8x6x!quant.uniform<i8:f32, 0.5>>, "
     "tensor<3x6x4xf32>, tensor<2x8x4xf32>, expected all quantized, or rhs alone",
     "2x8x6x" + tensor_q,
     "3x6x4xf32",
     "2x8x4xf32"},
    {29, {}, "quantization_dimension(rhs), got 1, expected 2", "2x8x2xf32", "3x2x4x" + axis1_q},
    {30,
     {},
     "quantization_dimension(result), got 0, expected 2",
     "2x8x6x" + tensor_q,
     "3x6x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>",
     "2x8x2x" + axis_q},
    {31,
     {},
     "storage_type(rhs), got i16, expected i8 = storage_type(lhs)",
     "2x8x6x" + tensor_q,
     "3x6x4x" + wide_q,
     "2x8x4x" + tensor_q},
    {32,
     {},
     "expressed_type(rhs), got f64, expected f32 = expressed_type(lhs)",
     "2x8x6x" + tensor_q,
     "3x6x4x" + double_q,
     "2x8x4x" + tensor_q},
    {33,
     {},
     "type(result), got tensor<2x8x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>>, expected one that is "
     "quantized per tensor, as rhs is",
     "2x8x6x" + tensor_q,
     "3x6x2x" + tensor_q,
     "2x8x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>"},
    {34,
     {},
     "element_type(lhs), got tensor<2x8x6xf64>, expected f32 = expressed_type(rhs)",
     "2x8x6xf64",
     "3x6x4x" + tensor_q,
     "2x8x4xf64"},
};

std::vector<Violating> convolution_rows(const std::string& op) {
  const bool dynamic = op == "dynamic_conv";
  std::vector<Violating> rows;
  for (const ConvRow& row : convolutions) {
    const std::string label = row.constraint == 0 ? op : str(op, "_c", row.constraint);
    rows.push_back({label, str(row.lhs, "; ", row.rhs, dynamic ? "; 1x2xi64" : ""),
                    inside(row.attributes, dynamic), row.result, row.says});
  }
  // The sizes of spatial axes follow from the padding, which dynamic_conv is given as an operand.
  if (dynamic) {
    rows.push_back(
        {"dynamic_conv", "2x8x6xf32; 3x6x4xf32; 1x2xi64", inside({}, true), "2x?x4xf32", ""});
    for (Violating& row : rows) {
      if (row.label == "dynamic_conv_c4") row.inputs = "2x8x6xf32; 3x6x4xf32; 2x2xi64";
    }
  } else {
    rows.push_back({"convolution_c25", "2x8x6xf32; 3x6x4xf32", inside({}, false), "2x7x4xf32",
                    "dim(result, 1), got 7, expected 8"});
  }
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Convolution, Violations,
                         testing::ValuesIn(convolution_rows("convolution")), name_of);
INSTANTIATE_TEST_SUITE_P(DynamicConv, Violations,
                         testing::ValuesIn(convolution_rows("dynamic_conv")), name_of);

}  // namespace
}  // namespace systolic
