// Ops that work element by element, and ops that change the type of elements.
#include <limits>
#include <memory>

#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

const std::string tensor_q = "!quant.uniform<i8:f32, 0.5>";
const std::string axis_q = "!quant.uniform<i8:f32:0, {0.5, 0.25}>";
const std::string other_axis_q = "!quant.uniform<i8:f32:1, {0.5, 0.25}>";

// Ops whose only constraint is that all types are the same.
std::vector<Violating> same_types() {
  std::vector<Violating> rows;
  for (const char* op :
       {"and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"}) {
    rows.push_back({op, "2xi32; 2xi32", "", "2xi32", ""});
    rows.push_back({str(op, "_c1"), "2xi32; 3xi32", "", "2xi32",
                    "type(rhs), got tensor<3xi32>, expected tensor<2xi32> = type(lhs)"});
    rows.push_back({str(op, "_i1"), "2xf32; 2xf32", "", "2xf32", ""});
  }
  for (const char* op : {"not", "popcnt", "count_leading_zeros"}) {
    rows.push_back({op, "2xi32", "", "2xi32", ""});
    rows.push_back({str(op, "_c1"), "2xi32", "", "2xi16",
                    "type(result), got tensor<2xi16>, expected tensor<2xi32> = type(operand)"});
  }
  for (Violating& row : rows) {
    if (row.label.find("_i1") == std::string::npos) continue;
    const bool logical = row.label.find("shift") == std::string::npos;
    row.says = str("operand 0, got tensor<2xf32>, expected an array of ",
                   logical ? "i1 or integers" : "integers");
  }
  return rows;
}

// Those where quantized numbers may have other scales.
std::vector<Violating> same_baseline_types() {
  std::vector<Violating> rows;
  for (const char* op :
       {"atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"}) {
    rows.push_back({op, "2xf32; ?xf32", "", "2xf32", ""});
    rows.push_back(
        {op, "2x" + tensor_q + "; 2x" + tensor_q, "", "2x!quant.uniform<i8:f32, 0.125:3>", ""});
    rows.push_back({str(op, "_c1"), "2xf32; 2xf32", "", "2xf64",
                    "baseline_type(result), got tensor<2xf64>, expected that of lhs, "
                    "tensor<2xf32>"});
    rows.push_back({str(op, "_c1"), "2xf32; 1xf32", "", "2xf32",
                    "baseline_type(rhs), got tensor<1xf32>, expected that of lhs, tensor<2xf32>"});
  }
  for (const char* op : {"cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor",
                         "log", "log_plus_one", "logistic", "negate", "round_nearest_afz",
                         "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    rows.push_back({op, "2xf32", "", "2xf32", ""});
    rows.push_back({str(op, "_c1"), "2xf32", "", "2x1xf32",
                    "baseline_type(result), got tensor<2x1xf32>, expected that of operand, "
                    "tensor<2xf32>"});
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(SameTypes, Violations, testing::ValuesIn(same_types()), name_of);
INSTANTIATE_TEST_SUITE_P(SameBaselineTypes, Violations, testing::ValuesIn(same_baseline_types()),
                         name_of);

const std::vector<Violating> elementwise = {
    {"abs", "2xcomplex<f32>", "", "2xf32", ""},
    {"abs_c1", "2xf32", "", "3xf32", "shape(result), got [3], expected [2] = shape(operand)"},
    {"abs_c2", "2xcomplex<f32>", "", "2xf64",
     "element_type(result), got tensor<2xf64>, expected f32, as the parts of "
     "tensor<2xcomplex<f32>>"},
    {"abs_c2", "2xf32", "", "2xf64",
     "baseline_element_type(result), got f64, expected that of operand, f32"},
    {"abs_i1", "2xui8", "", "2xui8",
     "operand 0, got tensor<2xui8>, expected an array of signed integers or floats or complex "
     "numbers or numbers quantized per tensor"},
    {"cosine_i1", "2xi32", "", "2xi32",
     "operand 0, got tensor<2xi32>, expected an array of floats or complex numbers or numbers "
     "quantized per tensor"},
    {"add", "2xi1; 2xi1", "", "2xi1", ""},
    {"add", "2x" + axis_q + "; 2x" + tensor_q, "", "2x" + axis_q, ""},
    {"add_c1", "2xf32; 2xf32", "", "2xf64",
     "type(result), got tensor<2xf64>, expected tensor<2xf32> = type(lhs)"},
    {"add_c1", "2xf32; 3xf32", "", "2xf32",
     "type(rhs), got tensor<3xf32>, expected tensor<2xf32> = type(lhs)"},
    {"add_c2", "2x" + tensor_q + "; 2xf32", "", "2x" + tensor_q,
     "type(rhs), got tensor<2xf32>, expected a quantized type, as the others have"},
    {"add_c3", "2x" + tensor_q + "; 2x!quant.uniform<i16:f32, 0.5>", "", "2x" + tensor_q,
     "storage_type(rhs), got i16, expected i8 = storage_type(lhs)"},
    {"add_c4", "2x" + tensor_q + "; 2x" + tensor_q, "", "2x!quant.uniform<i8:f64, 0.5>",
     "expressed_type(result), got f64, expected f32 = expressed_type(lhs)"},
    {"add_c5", "2x" + axis_q + "; 2x" + tensor_q, "", "2x" + tensor_q,
     "type(result), got tensor<2x!quant.uniform<i8:f32, 0.5>>, expected one that is quantized per "
     "axis, as an operand is"},
    {"add_c6", "2x2x" + axis_q + "; 2x2x" + tensor_q, "", "2x2x" + other_axis_q,
     "quantization_dimension(lhs), got 0, expected 1"},
    {"add_c7", "2x2x" + tensor_q + "; 2x2x" + axis_q, "", "2x2x" + other_axis_q,
     "quantization_dimension(rhs), got 0, expected 1"},
    {"clamp", "f32; 2xf32; 2xf32", "", "2xf32", ""},
    {"clamp_c1", "3xf32; 2xf32; f32", "", "2xf32",
     "shape(min), got [3], expected [2] = shape(operand)"},
    {"clamp_c2", "f32; 2xf32; 3xf32", "", "2xf32",
     "shape(max), got [3], expected [2] = shape(operand)"},
    {"clamp_c3", "f32; 2xf32; f64", "", "2xf32",
     "baseline_element_type(max), got f64, expected that of operand, f32"},
    {"clamp_c4", "f32; 2xf32; f32", "", "3xf32",
     "baseline_type(result), got tensor<3xf32>, expected that of operand, tensor<2xf32>"},
    {"compare", "2xi32; 2xi32", "{compare_type = #stablehlo<comparison_type SIGNED>}", "2xi1", ""},
    {"compare_c1", "2xi32; 2xui32", "", "2xi1",
     "baseline_element_type(rhs), got ui32, expected that of lhs, i32"},
    {"compare_c2", "2xi32; 2xi32", "", "3xi1", "shape(result), got [3], expected [2] = shape(lhs)"},
    {"compare_c3", "2xi32; 2xi32", "{compare_type = #stablehlo<comparison_type FLOAT>}", "2xi1",
     "compare_type of tensor<2xi32>, got FLOAT, expected SIGNED"},
    {"compare_c3", "2xi1; 2xi1", "{compare_type = #stablehlo<comparison_type SIGNED>}", "2xi1",
     "compare_type of tensor<2xi1>, got SIGNED, expected UNSIGNED"},
    {"compare_c3", "2xf32; 2xf32", "{compare_type = #stablehlo<comparison_type SIGNED>}", "2xi1",
     "compare_type of tensor<2xf32>, got SIGNED, expected FLOAT or TOTALORDER"},
    {"compare", "2xf32; 2xf32", "{compare_type = #stablehlo<comparison_type TOTALORDER>}", "2xi1",
     ""},
    {"complex", "2xf32; 2xf32", "", "2xcomplex<f32>", ""},
    {"complex_c1", "2xf32; 2xf64", "", "2xcomplex<f32>",
     "type(rhs), got tensor<2xf64>, expected tensor<2xf32> = type(lhs)"},
    {"complex_c2", "2xf32; 2xf32", "", "3xcomplex<f32>",
     "shape(result), got [3], expected [2] = shape(lhs)"},
    {"complex_c3", "2xf32; 2xf32", "", "2xcomplex<f64>",
     "element_type(result), got tensor<2xcomplex<f64>>, expected complex numbers of f32"},
    {"real", "2xcomplex<f64>", "", "2xf64", ""},
    {"real_c1", "2xcomplex<f64>", "", "3xf64",
     "shape(result), got [3], expected [2] = shape(operand)"},
    {"real_c2", "2xcomplex<f64>", "", "2xf32",
     "element_type(result), got tensor<2xf32>, expected f64, as the parts of "
     "tensor<2xcomplex<f64>>"},
    {"imag", "2xf32", "", "2xf32", ""},
    {"imag_c1", "2xf32", "", "1xf32", "shape(result), got [1], expected [2] = shape(operand)"},
    {"imag_c2", "2xf32", "", "2xf64",
     "baseline_element_type(result), got f64, expected that of operand, f32"},
    {"is_finite", "2xf32", "", "2xi1", ""},
    {"is_finite_c1", "2xf32", "", "3xi1", "shape(y), got [3], expected [2] = shape(x)"},
    {"reduce_precision", "2xf32", "{exponent_bits = 1 : i32, mantissa_bits = 0 : i32}", "2xf32",
     ""},
    {"reduce_precision_c1", "2xf32", "{exponent_bits = 1 : i32, mantissa_bits = 0 : i32}", "2xf16",
     "baseline_type(output), got tensor<2xf16>, expected that of operand, tensor<2xf32>"},
    {"reduce_precision_c2", "2xf32", "{exponent_bits = 0 : i32, mantissa_bits = 0 : i32}", "2xf32",
     "exponent_bits, got 0, expected 1 or more"},
    {"reduce_precision_c3", "2xf32", "{exponent_bits = 1 : i32, mantissa_bits = -1 : i32}", "2xf32",
     "mantissa_bits, got -1, expected 0 or more"},
    {"select", "i1; 2xf32; 2xf32", "", "2xf32", ""},
    {"select_c1", "3xi1; 2xf32; 2xf32", "", "2xf32",
     "shape(pred), got [3], expected [2] = shape(on_true)"},
    {"select_c2", "i1; 2xf32; 3xf32", "", "2xf32",
     "baseline_type(on_false), got tensor<3xf32>, expected that of on_true, tensor<2xf32>"},
    {"select_i1", "2xi32; 2xf32; 2xf32", "", "2xf32",
     "operand 0, got tensor<2xi32>, expected an array of i1"},
    {"optimization_barrier", "2xf32; !stablehlo.token", "", "2xf32; !stablehlo.token", ""},
    {"optimization_barrier_c1", "2xf32", "", "3xf32",
     "type(result[0]), got tensor<3xf32>, expected tensor<2xf32> = type(operand[0])"},
};
INSTANTIATE_TEST_SUITE_P(Elementwise, Violations, testing::ValuesIn(elementwise), name_of);

const std::vector<Violating> element_types = {
    {"bitcast_convert", "2x4xi8", "", "2xi32", ""},
    {"bitcast_convert_c1", "2xi32", "", "3xf32",
     "shape(result), got [3], expected [2] = shape(operand)"},
    {"bitcast_convert_c1", "2xi32", "", "2x2xi8", "shape(result), got [2, 2], expected [2, 4]"},
    {"bitcast_convert_c1", "2x3xi8", "", "2xi32", "shape(operand), got [2, 3], expected [2, 4]"},
    {"bitcast_convert_c2", "2xcomplex<f32>", "", "2xf64",
     "element_type(result), got tensor<2xf64>, expected complex numbers where the operand has "
     "them, tensor<2xcomplex<f32>>"},
    {"convert", "2xf32", "", "2xi8", ""},
    {"convert_c1", "2xf32", "", "?x1xi8",
     "shape(result), got [?, 1], expected [2] = shape(operand)"},
    {"constant", "", "{value = dense<1> : tensor<2xi8>}", "2x" + tensor_q, ""},
    {"constant_c1", "", "{value = dense<1> : tensor<2xi32>}", "3xi32",
     "type(output), got tensor<3xi32>, expected tensor<2xi32> = type(value)"},
    {"constant_c1", "", "{value = dense<1> : tensor<2xi32>}", "2xi64",
     "type(output), got tensor<2xi64>, expected tensor<2xi32> = type(value)"},
    {"uniform_dequantize", "2x" + axis_q, "", "2xf32", ""},
    {"uniform_dequantize_c1", "2x" + axis_q, "", "3xf32",
     "shape(result), got [3], expected [2] = shape(operand)"},
    {"uniform_dequantize_c2", "2x" + axis_q, "", "2xf64",
     "element_type(result), got tensor<2xf64>, expected f32 = expressed_type(operand)"},
    {"uniform_dequantize_i1", "2xf32", "", "2xf32",
     "operand 0, got tensor<2xf32>, expected an array of quantized numbers"},
    {"uniform_quantize", "2x" + axis_q, "", "2x" + tensor_q, ""},
    {"uniform_quantize_c1", "2xf32", "", "3x" + tensor_q,
     "shape(result), got [3], expected [2] = shape(operand)"},
    {"uniform_quantize_c2", "2xf64", "", "2x" + tensor_q,
     "expressed_type(result), got tensor<2x!quant.uniform<i8:f32, 0.5>>, expected f64, as "
     "tensor<2xf64>"},
};
INSTANTIATE_TEST_SUITE_P(ElementTypes, Violations, testing::ValuesIn(element_types), name_of);

// Types in themselves, with the place where they stand first.
struct WrongType {
  const char* label;
  const char* type;
  const char* says;
};

class WrongTypes : public testing::TestWithParam<WrongType> {};

TEST_P(WrongTypes, HaveTheirLabel) {
  const std::string type = str("tensor<2x2x", GetParam().type, ">");
  const std::string message = verify_text(str("func.func @main(%a: ", type, ") { return }"));
  EXPECT_EQ(message, str("t.mlir:1:11: ", GetParam().label, ": ", GetParam().says, "."));
}

INSTANTIATE_TEST_SUITE_P(
    Types, WrongTypes,
    testing::Values(
        WrongType{"quantized_type_c3", "!quant.uniform<i8<-129:127>:f32, 0.5>",
                  "storage_min and storage_max of tensor<2x2x!quant.uniform<i8<-129:127>:f32, "
                  "0.5>>, got -129:127, expected a range within -128:127"},
        WrongType{"quantized_type_c3", "!quant.uniform<i8<3:3>:f32, 0.5>",
                  "storage_min and storage_max of tensor<2x2x!quant.uniform<i8<3:3>:f32, 0.5>>, "
                  "got 3:3, expected a range within -128:127"},
        WrongType{"quantized_type_c5", "!quant.uniform<i8:f32, 0.0>",
                  "scale of tensor<2x2x!quant.uniform<i8:f32, 0.0>>, got 0, expected more than 0"},
        WrongType{"quantized_type_c7", "!quant.uniform<i8<0:9>:f32, 0.5:10>",
                  "zero_point of tensor<2x2x!quant.uniform<i8<0:9>:f32, 0.5:10>>, got 10, expected "
                  "0 to 9"},
        WrongType{"quantized_type_c10", "!quant.uniform<i8:f32, {0.5, 0.25}>",
                  "size(scales) without an axis of tensor<2x2x!quant.uniform<i8:f32, 0.5, 0.25>>, "
                  "got 2, expected 1"},
        WrongType{"quantized_type_c11", "!quant.uniform<i8:f32:-1, {0.5, 0.25}>",
                  "quantization_dimension of tensor<2x2x!quant.uniform<i8:f32:-1, {0.5, 0.25}>>, "
                  "got -1, expected 0 or more"},
        WrongType{"quantized_type_c12", "!quant.uniform<i8:f32:2, {0.5, 0.25}>",
                  "quantization_dimension of tensor<2x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>>, "
                  "got 2, expected less than rank 2"},
        WrongType{"quantized_type_c13", "!quant.uniform<i8:f32:0, {0.5}>",
                  "size(scales) of tensor<2x2x!quant.uniform<i8:f32:0, {0.5}>>, got 1, expected 2 "
                  "= dim(self, 0)"}),
    [](const auto& info) { return str(info.param.label, "_", info.index); });

// No text has a scale that is not finite, bytecode may.
TEST(Verify, QuantizedTypeC6) {
  stablehlo::Program program =
      stablehlo::parse("func.func @main(%a: tensor<!quant.uniform<i8:f32, 0.5>>) { return }");
  for (stablehlo::Type& type : program.types) {
    if (!type.quantization) continue;
    auto infinite = std::make_shared<stablehlo::Quantization>(*type.quantization);
    infinite->scales[0] = std::numeric_limits<double>::infinity();
    type.quantization = infinite;
  }
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { stablehlo::verify(program); }),
                  "1:11: quantized_type_c6: scale of ");
}

}  // namespace
}  // namespace systolic
