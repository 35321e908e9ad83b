// What is wrong with a program is told with its file, line and column.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

struct WrongProgram {
  const char* name;
  const char* text;
  const char* message;  // its start
};

class WrongPrograms : public testing::TestWithParam<WrongProgram> {};

std::string error_in(const std::string& text) {
  return error_of([&] { stablehlo::import_module(stablehlo::parse(text, "t.mlir")); });
}

TEST_P(WrongPrograms, AreToldWithTheirPlace) {
  const std::string wanted = GetParam().message, error = error_in(GetParam().text);
  EXPECT_EQ(error.substr(0, wanted.size()), wanted) << error << GetParam().text;
}

const std::vector<WrongProgram> unknown_ops = {
    {"pretty", "func.func @main(%a: tensor<f32>) {\n  %0 = stablehlo.fly %a : tensor<f32>\n}",
     "InvalidArgument: t.mlir:2:8: op stablehlo.fly has no pretty form here"},
    {"generic", "func.func @main() {\n  \"stablehlo.fly\"() : () -> ()\n  return\n}",
     "Unimplemented: t.mlir:2:3: op stablehlo.fly, expected an op of StableHLO's specification "
     "that "
     "is supported."},
    {"of_another_dialect", "func.func @main() {\n\n    \"x.y\"() : () -> ()\n  return\n}",
     "Unimplemented: t.mlir:3:5: op x.y, expected an op of StableHLO's specification that is "
     "supported."},
    {"in_a_region",
     "func.func @main(%p: tensor<i1>) {\n"
     "  \"stablehlo.if\"(%p) ({\n"
     "    \"stablehlo.fly\"() : () -> ()\n"
     "    \"stablehlo.return\"() : () -> ()\n"
     "  }, {\n"
     "    \"stablehlo.return\"() : () -> ()\n"
     "  }) : (tensor<i1>) -> ()\n"
     "  return\n}",
     "Unimplemented: t.mlir:3:5: op stablehlo.fly, expected an op of StableHLO's specification "
     "that "
     "is supported."},
    {"in_a_function_that_is_called",
     "func.func @main() {\n  call @f() : () -> ()\n  return\n}\n"
     "func.func @f() {\n  \"x.y\"() : () -> ()\n  return\n}",
     "Unimplemented: t.mlir:6:3: op x.y, expected an op of StableHLO's specification that is "
     "supported."},
};
const std::vector<WrongProgram> cycles = {
    {"direct", "func.func @main() {\n  call @main() : () -> ()\n  return\n}",
     "InvalidArgument: t.mlir:2:3: function @main calls itself, expected calls without a cycle."},
    {"mutual",
     "func.func @main() {\n  call @f() : () -> ()\n  return\n}\n"
     "func.func @f() {\n  call @g() : () -> ()\n  return\n}\n"
     "func.func @g() {\n  call @f() : () -> ()\n  return\n}",
     "InvalidArgument: t.mlir:10:3: function @f calls itself, expected calls without a cycle."},
    {"in_a_region",
     "func.func @main(%p: tensor<i1>) {\n"
     "  \"stablehlo.if\"(%p) ({\n"
     "    func.call @main(%p) : (tensor<i1>) -> ()\n"
     "    \"stablehlo.return\"() : () -> ()\n"
     "  }, {\n"
     "    \"stablehlo.return\"() : () -> ()\n"
     "  }) : (tensor<i1>) -> ()\n"
     "  return\n}",
     "InvalidArgument: t.mlir:3:5: function @main calls itself, expected calls without a cycle."},
    {"by_a_composite",
     "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
     "  %0 = stablehlo.composite \"x.f\" %a {decomposition = @main} : (tensor<f32>) -> "
     "tensor<f32>\n"
     "  return %0 : tensor<f32>\n}",
     "InvalidArgument: t.mlir:2:8: function @main calls itself, expected calls without a cycle."},
};
const std::vector<WrongProgram> constants = {
    {"too_few",
     "func.func @main() {\n  %c = stablehlo.constant dense<[1, 2]> : tensor<3xi8>\n  return\n}",
     "InvalidArgument: t.mlir:2:33: tensor_constant_c2: a list of axis 0 has 2 entries, expected "
     "the "
     "elements of i8(3,)."},
    {"too_many",
     "func.func @main() {\n  %c = stablehlo.constant\n    dense<[[1, 2],\n           [3, 4, 5]]> : "
     "tensor<2x2xi8>\n  return\n}",
     "InvalidArgument: t.mlir:4:12: tensor_constant_c2: a list of axis 1 has more than 2 entries, "
     "expected the elements of i8(2, 2)."},
    {"of_bytes",
     "func.func @main() {\n  %c = stablehlo.constant dense<\"0x010203\"> : tensor<2xi16>\n  "
     "return\n}",
     "InvalidArgument: t.mlir:2:33: tensor_constant_c2: its string holds 3 bytes, expected the "
     "elements of i16(2,)."},
    {"element",
     "func.func @main() {\n  %c = stablehlo.constant dense<[1, 300]> : tensor<2xi8>\n  return\n}",
     "InvalidArgument: t.mlir:2:37: tensor_constant_c1: '300' is not an element, expected i8."},
    {"quantized",
     "func.func @main() {\n  %c = stablehlo.constant dense<[1, 300]> : "
     "tensor<2x!quant.uniform<i8:f32, 0.5>>\n  return\n}",
     "InvalidArgument: t.mlir:2:37: quantized_tensor_constant_c1: '300' is not an element, "
     "expected "
     "i8."},
    {"quantized_too_few",
     "func.func @main() {\n  %c = stablehlo.constant dense<[1]> : "
     "tensor<2x!quant.uniform<i8:f32, 0.5>>\n  return\n}",
     "InvalidArgument: t.mlir:2:33: quantized_tensor_constant_c2: a list of axis 0 has 1 entries, "
     "expected the elements of i8(2,)."},
    {"complex",
     "func.func @main() {\n  %c = stablehlo.constant dense<(1.0, x)> : tensor<complex<f32>>\n"
     "  return\n}",
     "InvalidArgument: t.mlir:2:39: complex_constant_c2: 'x' is not an element, expected "
     "complex<f32>."},
    {"attribute",
     "func.func @main() {\n  %c = stablehlo.iota dim = 0 {x = 300 : i8} : tensor<2xi8>\n  "
     "return\n}",
     "InvalidArgument: t.mlir:2:36: integer_constant_c1: this is not such a number, got '300"},
};
const std::vector<WrongProgram> types = {
    {"operand", "func.func @main(%a: tensor<2xf32>) {\n  %0 = stablehlo.abs %a : tensor<3xf32>\n}",
     "InvalidArgument: t.mlir:2:27: operand 0 of stablehlo.abs is declared to be tensor<3xf32>, "
     "got "
     "'tensor<3xf32>', expected tensor<2xf32>."},
    {"no_element_type", "func.func @main(\n    %a: tensor<2xf33>) {\n  return\n}",
     "InvalidArgument: t.mlir:2:18: no such element type, got 'f33"},
    {"of_two_operands",
     "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf64>) {\n"
     "  %0 = \"stablehlo.subtract\"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>\n"
     "  return\n}",
     "InvalidArgument: t.mlir:2:8: subtract_c1: baseline_type(rhs), got tensor<2xf64>, expected "
     "that "
     "of lhs, tensor<2xf32>."},
    {"of_an_elementwise_op",
     "func.func @main(%a: tensor<2xi32>) {\n  %0 = stablehlo.cosine %a : tensor<2xi32>\n  "
     "return\n}",
     "InvalidArgument: t.mlir:2:8: cosine_i1: operand 0, got tensor<2xi32>, expected an array of "
     "floats or complex numbers or numbers quantized per tensor."},
    {"result",
     "func.func @main(%a: tensor<2xf32>) {\n"
     "  %0 = \"stablehlo.negate\"(%a) : (tensor<2xf32>) -> tensor<3xf32>\n  return\n}",
     "InvalidArgument: t.mlir:2:8: negate_c1: baseline_type(result), got tensor<3xf32>, expected "
     "that "
     "of operand, tensor<2xf32>."},
    {"of_a_call",
     "func.func @main(%a: tensor<2xf32>) {\n  call @f(%a) : (tensor<2xf32>) -> ()\n  return\n}\n"
     "func.func @f(%a: tensor<3xf32>) {\n  return\n}",
     "InvalidArgument: t.mlir:2:3: func.call: operand 0, got tensor<2xf32>, expected "
     "tensor<3xf32>."},
    {"returned",
     "func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n  return %a : tensor<2xf32>\n}",
     "InvalidArgument: t.mlir:2:3: func.return: operand 0, got tensor<2xf32>, expected "
     "tensor<3xf32>."},
    {"of_a_condition",
     "func.func @main(%a: tensor<i32>) {\n"
     "  %0 = stablehlo.while(%x = %a) : tensor<i32>\n"
     "   cond {\n    stablehlo.return %x : tensor<i32>\n"
     "  } do {\n    stablehlo.return %x : tensor<i32>\n  }\n"
     "  return\n}",
     "InvalidArgument: t.mlir:2:8: while_c1: type(result of cond), got tensor<i32>, expected "
     "tensor<i1>."},
};

std::string row_name(const testing::TestParamInfo<WrongProgram>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(UnknownOps, WrongPrograms, testing::ValuesIn(unknown_ops), row_name);
INSTANTIATE_TEST_SUITE_P(Cycles, WrongPrograms, testing::ValuesIn(cycles), row_name);
INSTANTIATE_TEST_SUITE_P(Constants, WrongPrograms, testing::ValuesIn(constants), row_name);
INSTANTIATE_TEST_SUITE_P(Types, WrongPrograms, testing::ValuesIn(types), row_name);

// `count` of `open`, a line each, then as many of `close`.
std::string nested(int count, const std::string& open, const std::string& inmost,
                   const std::string& close) {
  std::string text;
  for (int i = 0; i < count; ++i) text += open + "\n";
  text += inmost;
  for (int i = 0; i < count; ++i) text += close;
  return text;
}

std::string parsed(const std::string& text) {
  return error_of([&] { stablehlo::parse(text, "t.mlir"); });
}

// Regions, types and attributes nest as deep as parse.h says, and no deeper. What stands around and
// in the middle of them counts too.
TEST(WrongPrograms, NestAtMostAsDeepAsIsSaid) {
  const auto regions = [](int count) {
    return "func.func @f() {\n" + nested(count, "\"x.y\"() ({", "", "}) : () -> ()\n") + "}";
  };
  const auto types = [](int count) {
    return "func.func @f(%a:\n" + nested(count, "tuple<", "tensor<f32>", ">") + ") { return }";
  };
  const auto attributes = [](int count) {
    return "func.func @f() { \"x.y\"() {a =\n" + nested(count, "[", "1", "]") + "} : () -> () }";
  };
  const int most = stablehlo::max_nesting;
  EXPECT_EQ(parsed(regions(most)), "no error");
  EXPECT_EQ(parsed(types(most - 1)), "no error");
  EXPECT_EQ(parsed(attributes(most - 2)), "no error");
  const std::pair<std::string, int> deeper[] = {
      {regions(most + 1), most + 2}, {types(most), most + 2}, {attributes(most - 1), most + 1}};
  for (const auto& [text, line] : deeper) {
    const std::string wanted =
        str("InvalidArgument: t.mlir:", line, ":1: this nests too deep, got '");
    EXPECT_EQ(parsed(text).substr(0, wanted.size()), wanted);
  }
}

// Each axis is a level of its array, where it is printed or walked.
TEST(WrongPrograms, TypesHaveAsManyAxesAsIsSaid) {
  const auto axes = [](int count) {
    std::string type = "tensor<";
    for (int i = 0; i < count; ++i) type += "1x";
    return "func.func @f(%a: " + type + "f32>) { return }";
  };
  EXPECT_EQ(parsed(axes(stablehlo::max_nesting)), "no error");
  for (const int count : {stablehlo::max_nesting + 1, 100000})
    EXPECT_CONTAINS(parsed(axes(count)), "a type has too many axes, got '1");
}

// A chain of calls, each a line.
TEST(WrongPrograms, CallEachOtherAtMostAsDeepAsFits) {
  std::string text = "func.func @main() { call @f0() : () -> () return }\n";
  for (int i = 0; i < 600; ++i) {
    text += str("func.func @f", i, "() { call @f", i + 1, "() : () -> () return }\n");
  }
  text += "func.func @f600() { return }";
  EXPECT_EQ(error_in(text),
            "InvalidArgument: t.mlir:501:21: calls and regions nest too deep, expected at most 500 "
            "levels.");
}

}  // namespace
}  // namespace systolic
