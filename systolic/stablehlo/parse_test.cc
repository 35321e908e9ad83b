#include "systolic/stablehlo/parse.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/print.h"

namespace systolic {
namespace {

using stablehlo::parse;
using stablehlo::program_text;

// A body of @main(%a: tensor<2x3xf32>, %p: tensor<i1>, %i: tensor<i32>), and the ops that the
// generic form spells for it.
struct Spelling {
  const char* name;
  const char* pretty;
  const char* generic;
};

class Spellings : public testing::TestWithParam<Spelling> {};

std::string program_of(const std::string& body) {
  return "func.func @main(%a: tensor<2x3xf32>, %p: tensor<i1>, %i: tensor<i32>) {\n" + body + "\n}";
}

TEST_P(Spellings, GiveTheGenericForm) {
  const std::string text = program_text(parse(program_of(GetParam().pretty)));
  EXPECT_NE(text.find(GetParam().generic), std::string::npos) << text;
}

TEST_P(Spellings, PrintTheSameAgain) {
  const std::string text = program_text(parse(program_of(GetParam().pretty)));
  EXPECT_EQ(program_text(parse(text)), text);
}

INSTANTIATE_TEST_SUITE_P(
    Parse, Spellings,
    testing::Values(
        Spelling{"one_type", "%0 = stablehlo.add %a, %a : tensor<2x3xf32>",
                 "%0 = \"stablehlo.add\"(%arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                 "tensor<2x3xf32>"},
        Spelling{"first_of_several_results",
                 "%0:2 = stablehlo.optimization_barrier %a, %p : tensor<2x3xf32>, tensor<i1>\n"
                 "%1 = stablehlo.negate %0 : tensor<2x3xf32>",
                 "\"stablehlo.negate\"(%0#0)"},
        Spelling{"complex_of_a_function_type",
                 "%0 = stablehlo.complex %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                 "(tensor<2x3xcomplex<f32>>)",
                 "\"stablehlo.complex\"(%arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                 "tensor<2x3xcomplex<f32>>"},
        Spelling{"constant_of_another_type",
                 "%0 = stablehlo.constant() {value = dense<9> : tensor<1xi8>} : () -> "
                 "tensor<1x!quant.uniform<u8:f32, 1.0:3>>",
                 "\"stablehlo.constant\"() <{value = dense<9> : tensor<1xi8>}> : () -> "
                 "tensor<1x!quant.uniform<u8:f32, 1.0:3>>"},
        Spelling{"structure_that_ends_in_a_comma",
                 "\"x.y\"() {d = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1,>} : () "
                 "-> ()",
                 "d = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>"},
        Spelling{"unsigned_number",
                 "check.expect_close %a, %a, max_ulp_difference = 18446744073709551615 : "
                 "tensor<2x3xf32>, tensor<2x3xf32>",
                 "max_ulp_difference = 18446744073709551615 : ui64"},
        Spelling{"broadcast_compare",
                 "%0 = chlo.broadcast_compare %a, %a {comparison_direction = "
                 "#chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                 "tensor<2x3xi1>",
                 "\"chlo.broadcast_compare\"(%arg0, %arg0) "},
        Spelling{"ranges",
                 "%0 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xf32>) -> "
                 "tensor<1x2xf32>",
                 "<{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, strides = "
                 "array<i64: 1, 2>}>"},
        Spelling{"axes",
                 "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> "
                 "tensor<3x2xf32>",
                 "<{permutation = array<i64: 1, 0>}>"},
        Spelling{"enumerations",
                 "%0 = stablehlo.compare  LT, %a, %a,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) "
                 "-> tensor<2x3xi1>",
                 "<{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = "
                 "#stablehlo<comparison_type FLOAT>}>"},
        Spelling{"format", "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>",
                 "<{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>"},
        Spelling{"dot",
                 "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = "
                 "[HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
                 "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
                 "rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision "
                 "HIGH>, #stablehlo<precision DEFAULT>]"},
        Spelling{"constant",
                 "%c = stablehlo.constant {x = 1 : i32} dense<[[1, 2]]> : tensor<1x2xi8>",
                 "\"stablehlo.constant\"() <{x = 1 : i32, value = dense<[[1, 2]]> : "
                 "tensor<1x2xi8>}> : () -> tensor<1x2xi8>"},
        Spelling{"named_reducer",
                 "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                 "%0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1]"
                 " : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
                 "  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):\n"
                 "      %2 = \"stablehlo.add\"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> "
                 "tensor<f32>\n"
                 "      \"stablehlo.return\"(%2) : (tensor<f32>) -> ()"},
        Spelling{"loop",
                 "%0 = stablehlo.while(%x = %i) : tensor<i32>\n cond {\n stablehlo.return %p : "
                 "tensor<i1>\n } do {\n stablehlo.return %x : tensor<i32>\n }",
                 "\"stablehlo.while\"(%arg2) ({\n    ^bb0(%arg3: tensor<i32>):\n      "
                 "\"stablehlo.return\"(%arg1) : (tensor<i1>) -> ()\n    }, {\n    "
                 "^bb0(%arg3: tensor<i32>):\n"},
        Spelling{"convolution",
                 "%x = stablehlo.constant dense<0.0> : tensor<1x4x1xf32>\n"
                 "%y = stablehlo.constant dense<0.0> : tensor<2x1x1xf32>\n"
                 "%0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
                 "window = {stride = [2], pad = [[0, 1]], reverse = [true]} {feature_group_count = "
                 "1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>",
                 "<{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
                 "window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>, "
                 "window_reversal = array<i1: true>, feature_group_count = 1 : i64}>"},
        Spelling{"many_results",
                 "%0:2 = \"x.pair\"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i1>)\n"
                 "\"x.use\"(%0#1) : (tensor<i1>) -> ()",
                 "\"x.use\"(%0#1) : (tensor<i1>) -> ()"},
        Spelling{"a_function_as_a_value", "%0 = \"x.y\"() : () -> ((tensor<i1>) -> tensor<f32>)",
                 "%0 = \"x.y\"() : () -> ((tensor<i1>) -> (tensor<f32>))"},
        Spelling{"unit_and_symbols",
                 "\"x.y\"() {a, b = @f::@g, c = [true, \"t\"], d = #z<q>} : () -> ()",
                 "<{a, b = @f::@g, c = [true, \"t\"], d = #z<q>}>"},
        Spelling{"quoted_names", "\"x.y\"() {\"<a>\" = 1, \"b\"} : () -> ()", "<{\"<a>\" = 1, b}>"},
        Spelling{"types",
                 "%0 = \"x.y\"() : () -> tuple<tensor<?x4xui2, #stablehlo.bounds<3, ?>>, "
                 "!stablehlo.token, tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>, "
                 "tensor<complex<f64>>>",
                 "tuple<tensor<?x4xui2, #stablehlo.bounds<3, ?>>, !stablehlo.token, "
                 "tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>, "
                 "tensor<complex<f64>>>"},
        Spelling{"locations",
                 "%0 = stablehlo.abs %a : tensor<2x3xf32> loc(\"f\"(\"x.py\":1:2 to :9))",
                 "\"stablehlo.abs\"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"}),
    [](const auto& info) { return info.param.name; });

TEST(Parse, ConstantsAreTensors) {
  for (const char* type : {"(tensor<f32>) -> tensor<f32>", "i32", "!stablehlo.token"}) {
    const std::string text = str("func.func @main() {\n  %a = stablehlo.constant dense<1> : ", type,
                                 "\n  func.return\n}\n");
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { parse(text); }),
                    "the tensor type of the constant");
  }
}

TEST(Parse, KeepsWhatAFunctionSays) {
  const char* text =
      "module @m attributes {mhlo.num_replicas = 2 : i32} {\n"
      "  func.func public @main(%arg0: tensor<2xf32> {jax.x = \"y\"}) -> (tensor<2xf32> {r}) {\n"
      "    \"func.return\"(%arg0) : (tensor<2xf32>) -> ()\n"
      "  }\n"
      "  func.func private @f(tensor<i1>)\n"
      "}\n";
  EXPECT_EQ(program_text(parse(text)), text);
}

TEST(Parse, ReadsModulesInTheGenericForm) {
  const char* pretty =
      "module @m attributes {mhlo.num_replicas = 2 : i32} {\n"
      "  \"sdy.mesh\"() <{sym_name = \"mesh\", mesh = #sdy.mesh<[\"x\"=2]>}> : () -> ()\n"
      "  func.func private @main(%arg0: tensor<2xf32> {a}) -> (tensor<2xf32>) {\n"
      "    \"func.return\"(%arg0) : (tensor<2xf32>) -> ()\n"
      "  }\n"
      "}\n";
  const char* generic =
      "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
      "^bb0:\n"
      "  sdy.mesh @mesh = <[\"x\"=2]>\n"
      "  \"func.func\"() <{arg_attrs = [{a}], function_type = (tensor<2xf32>) -> tensor<2xf32>, "
      "sym_name = \"main\", sym_visibility = \"private\"}> ({\n"
      "  ^bb0(%arg0: tensor<2xf32>):\n"
      "    \"func.return\"(%arg0) : (tensor<2xf32>) -> ()\n"
      "  }) : () -> ()\n"
      "}) {mhlo.num_replicas = 2 : i32} : () -> ()\n";
  EXPECT_EQ(program_text(parse(generic)), pretty);
  EXPECT_EQ(program_text(parse(pretty)), pretty);
}

TEST(Parse, AliasesStandForWhatTheyName) {
  const std::string text = program_text(
      parse("#m = 3 : i64\n!t = tensor<2xi8>\nfunc.func @f(%x: !t) { \"a.b\"() {k = #m} : () -> ()"
            " }\n#loc = loc(unknown)"));
  EXPECT_NE(text.find("%arg0: tensor<2xi8>"), std::string::npos);
  EXPECT_NE(text.find("k = 3 : i64"), std::string::npos);
}

// The encoding of a type is an attribute, which may have a name.
TEST(Parse, AliasesStandForTheBoundsOfTypes) {
  for (const char* bounds :
       {"#stablehlo.bounds<3, ?>", "#stablehlo.type_extensions<bounds = [3, ?]>"}) {
    const std::string text =
        program_text(parse(str("#b = ", bounds, "\nfunc.func private @f(tensor<?x2xf32, #b>)\n")));
    EXPECT_CONTAINS(text, "(tensor<?x2xf32, #stablehlo.bounds<3, ?>>)");
  }
}

TEST(Parse, KeepsResources) {
  const char* text =
      "module {\n"
      "  func.func @main() {\n"
      "    %0 = \"stablehlo.constant\"() <{value = dense_resource<r> : tensor<1xf32>}> : () -> "
      "tensor<1xf32>\n"
      "    \"func.return\"() : () -> ()\n"
      "  }\n"
      "}\n"
      "{-#\n  dialect_resources: {builtin: {r: \"0x040000000000803F\"}}\n#-}\n";
  EXPECT_EQ(program_text(parse(text)), text);
}

// Only builtin's, two braces deep, are a program's; a sign in a name makes no brace.
TEST(Parse, ResourcesOfOthersAreSkipped) {
  for (const char* others :
       {"\"dialect_resources/builtin\": {a: \"0x01\"}", "dialect_resources: {a: \"0x01\"}",
        "dialect_resources: {\"builtin/x\": {a: \"0x01\"}}", "builtin: {builtin: {a: \"0x01\"}}",
        "dialect_resources: {builtin: {builtin: {a: \"0x01\"}}}"}) {
    EXPECT_EQ(parse(str("module {}\n{-# ", others, " #-}")).resources.size(), 0u) << others;
  }
  EXPECT_EQ(parse("module {} {-# dialect_resources: {builtin: {a: \"0x01\"}} #-}").resources.size(),
            1u);
}

TEST(Parse, SplitsProgramsAndCountsTheirLines) {
  const std::string text = "func.func @f() { return }\n// -----\nfunc.func @g() {\n oops\n}";
  const std::string error = message_of([&] { stablehlo::parse_all(text, "two.mlir"); });
  EXPECT_NE(error.find("two.mlir:4:2: op oops"), std::string::npos) << error;
  EXPECT_EQ(stablehlo::parse_all("func.func @f() { return }\n// -----\n").size(), 2u);
}

struct Fault {
  const char* name;
  std::string text;
  const char* error;
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, SayWhereAndWhatWasExpected) {
  const std::string error = message_of([] { parse(GetParam().text, "t.mlir"); });
  EXPECT_NE(error.find(GetParam().error), std::string::npos) << error;
}

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

// Each alias stands for the one before it, twice.
std::string doubling(const std::string& first, const std::string& left, const std::string& right,
                     char sign) {
  std::string text = sign + ("a0 = " + first + "\n");
  for (int i = 1; i < 60; ++i) {
    const std::string before = sign + ("a" + std::to_string(i - 1));
    text += sign + ("a" + std::to_string(i) + " = ") + left + before + ", " + before + right + "\n";
  }
  return text;
}

TEST(Parse, ReadsWholeNumbersOfEveryTypeInBothNotations) {
  const struct {
    const char* text;
    int64_t value;
  } cases[] = {{"0x1F : i32", 31},
               {"-0x80 : i8", -128},
               {"255 : i8", 255},
               {"-128 : i8", -128},
               {"3 : ui2", 3},
               {"-2 : i2", -2},
               {"1 : i1", 1},
               {"65535 : ui16", 65535},
               {"4294967295 : ui32", 4294967295},
               {"-2147483648 : i32", -2147483648LL},
               {"7 : index", 7},
               {"18446744073709551615 : ui64", -1},  // the same bits
               {"-9223372036854775808 : i64", INT64_MIN}};
  for (const auto& c : cases) {
    const stablehlo::Program program =
        parse(str("func.func @f() { \"x.y\"() {v = ", c.text, "} : () -> () }"));
    EXPECT_EQ(program.functions[0].body.operations[0].find("v")->integer, c.value) << c.text;
  }
}

TEST(Parse, WholeNumbersFitTheirTypes) {
  const struct {
    const char *number, *type;
  } cases[] = {{"256", "i8"},
               {"-129", "i8"},
               {"2", "i1"},
               {"4", "ui2"},
               {"-3", "i2"},
               {"-1", "ui8"},
               {"0x100", "ui8"},
               {"1.5", "i32"},
               {"4294967296", "i32"},
               {"65536", "ui16"},
               {"0x10000000000000000", "i64"}};
  for (const auto& c : cases) {
    const std::string text =
        str("func.func @f() {\n  \"x.y\"() {v = ", c.number, " : ", c.type, "} : () -> () }");
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { parse(text, "t.mlir"); }),
                    "t.mlir:2:16: integer_constant_c1: this is not such a number");
  }
}

// What must be refused, and must never crash, hang or take memory without bound.
INSTANTIATE_TEST_SUITE_P(
    Parse, Faults,
    testing::Values(
        Fault{"empty_type", "func.func @f(%a: tensor<2x>) { return }",
              "t.mlir:1:27: no such element type, got '>) { return }', expected an element type"},
        Fault{"unknown_value", program_of("%0 = stablehlo.abs %b : tensor<2x3xf32>"),
              "t.mlir:2:20: value %b is unknown"},
        Fault{"wrong_operand_type", program_of("%0 = stablehlo.abs %a : tensor<3xf32>"),
              "t.mlir:2:25: operand 0 of stablehlo.abs is declared to be tensor<3xf32>, got "
              "'tensor<3xf32>', expected tensor<2x3xf32>"},
        Fault{"too_many_types",
              program_of("%0 = \"x.y\"(%a) : (tensor<2x3xf32>, tensor<i1>) -> tensor<i1>"),
              "x.y is given 2 operand types"},
        Fault{"wrong_count", program_of("%0:3 = \"x.y\"() : () -> (tensor<i1>, tensor<i1>)"),
              "t.mlir:2:1: the op is given names for 3 results"},
        Fault{"result_out_of_range",
              program_of("%0:2 = \"x.y\"() : () -> (tensor<i1>, tensor<i1>)\n"
                         "\"x.z\"(%0#2) : (tensor<i1>) -> ()"),
              "t.mlir:3:7: %0 has 2 results"},
        Fault{"second_definition",
              program_of("%0 = stablehlo.abs %a : tensor<2x3xf32>\n"
                         "%0 = stablehlo.abs %a : tensor<2x3xf32>"),
              "t.mlir:3:1: value %0 is defined a second time"},
        Fault{"second_function", "func.func @f() { return }\nfunc.func @f() { return }",
              "t.mlir:2:11: function @f is defined a second time"},
        Fault{"unknown_op", program_of("stablehlo.fly %a : tensor<2x3xf32>"),
              "op stablehlo.fly has no pretty form here"},
        Fault{"second_attribute", program_of("\"x.y\"() {a = 1, a = 2} : () -> ()"),
              "t.mlir:2:17: an attribute appears here a second time"},
        Fault{"second_block", program_of("return\n^bb1:"), "a region of StableHLO has one block"},
        Fault{"arguments_after_the_head_of_a_function", program_of("^bb0(%b: tensor<i1>):\nreturn"),
              "t.mlir:2:1: the arguments of a function are declared in its head"},
        Fault{"arguments_of_a_function_without_any",
              "func.func @f() {\n^bb0(%b: tensor<i1>):\nreturn\n}",
              "t.mlir:2:1: the arguments of a function are declared in its head"},
        Fault{"second_resource",
              "module {}\n{-# dialect_resources: { builtin: { a: \"0x\", a: \"0x\" } } #-}",
              "t.mlir:2:49: resource a is defined here again"},
        Fault{"second_resource_of_a_long_name",
              str("module {} {-# dialect_resources: { builtin: { a: \"0x\", ", repeated("b", 1000),
                  ": \"0x\", ", repeated("b", 1000), ": \"0x\" } } #-}"),
              "bbbb... is defined here again"},
        Fault{"open_resources", "module {}\n{-# a: {", "expected the name of a resource"},
        Fault{"deep_resources", "module {} {-# " + repeated("a: {", 100'000),
              "this nests too deep"},
        Fault{"open_string", program_of("\"x.y\"() {a = \"b} : () -> ()"),
              "a string has no end in its line"},
        Fault{"open_bracket", "func.func @f(%a: tensor<2xf32", "'<' is never closed"},
        Fault{"huge_size", "func.func @f(%a: tensor<99999999999999999999xf32>) { return }",
              "cannot read this size"},
        Fault{"huge_count", program_of("%0:99999999999 = \"x.y\"() : () -> ()"),
              "this number of results is out of range"},
        Fault{"nothing_after", "module {", "t.mlir:1:9: cannot read this, got the end of the text"},
        Fault{"deep_tuples", "func.func @f(%a: " + repeated("tuple<", 100'000),
              "this nests too deep"},
        Fault{"deep_arrays", program_of("\"x.y\"() {a = " + repeated("[", 100'000)),
              "this nests too deep, got '[[["},
        Fault{"deep_regions", program_of(repeated("\"x.y\"() ({ ", 100'000)),
              "this nests too deep"},
        Fault{"generic_function_of_other_arguments",
              "\"builtin.module\"() ({ \"func.func\"() <{function_type = () -> (), sym_name = "
              "\"f\"}> ({ ^bb0(%a: tensor<i1>): \"func.return\"() : () -> () }) : () -> () }) : "
              "() -> ()",
              "t.mlir:1:23: a function takes others"},
        Fault{"module_op_that_takes_the_value_of_a_function",
              "module { func.func @f(%a: tensor<i1>) { return }\n"
              "\"x.y\"(%a) : (tensor<i1>) -> () }",
              "t.mlir:2:7: value %a is unknown"},
        Fault{"unknown_visibility",
              "\"builtin.module\"() ({ \"func.func\"() <{function_type = () -> (), sym_name = "
              "\"f\", sym_visibility = \"[\"}> ({ }) : () -> () }) : () -> ()",
              "no such visibility"},
        Fault{"generic_function_without_a_name",
              "\"builtin.module\"() ({ \"func.func\"() ({ }) : () -> () }) : () -> ()",
              "a function has no name"},
        Fault{"doubling_types", doubling("tensor<i1>", "tuple<", ">", '!'),
              "aliases stand for too many types"},
        Fault{"doubling_attributes", doubling("1", "[", "]", '#'),
              "aliases stand for too many attributes"},
        Fault{"only_a_percent", "func.func @f(%", "a name is missing"},
        Fault{"zero_byte", std::string("func.func \0 @f()", 16), "expected '@'"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace systolic
