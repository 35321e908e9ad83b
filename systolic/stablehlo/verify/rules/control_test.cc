// Branches, loops, tuples, composites, what enters and leaves a program.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

std::string two_regions(const std::string& a, const std::string& b) {
  return "(" + a + ", " + b + ")";
}
std::string composite(const std::string& name, const std::string& function) {
  return "{name = \"" + name + "\", decomposition = @" + function + "}";
}
// A body that gives its argument to `op`.
std::string asynchronous(const std::string& op, const std::string& type = "tensor<2x3xf32>") {
  return "({\n^bb0(%x: " + type + "):\n%y = \"stablehlo." + op + "\"(%x) {start_indices = array<" +
         "i64: 0, 0>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 1>} : (" + type +
         ") -> tensor<1x3xf32>\n\"stablehlo.return\"(%y) : (tensor<1x3xf32>) -> ()\n})";
}
const std::string slice_future = "!stablehlo.future<tensor<1x3xf32>>";
const std::string two_ops =
    "({\n^bb0(%x: tensor<2x3xf32>):\n%y = \"test.make\"() : () -> tensor<1x3xf32>\n%z = "
    "\"test.make\"() : () -> tensor<1x3xf32>\n\"stablehlo.return\"(%z) : (tensor<1x3xf32>) -> "
    "()\n})";

const std::vector<Violating> control = {
    {"case", "i32", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32", ""},
    {"case_c1", "i32", "", "2xf32", "size(branches), got 0, expected 1 or more"},
    {"case_c2", "i32", two_regions(region_of("", "2xf32"), region_of("f32", "2xf32")), "2xf32",
     "input_types(branches[1]), got 1 arguments, expected none"},
    {"case_c3", "i32", two_regions(region_of("", "2xf32"), region_of("", "3xf32")), "2xf32",
     "type(branches[1][0]), got tensor<3xf32>, expected tensor<2xf32> = type(branches[0][0])"},
    {"case_c3", "i32", two_regions(region_of("", "2xf32"), region_of("", "2xf32; i1")), "2xf32",
     "size(output_types(branches[1])), got 2, expected 1"},
    {"case_c4", "i32", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "3xf32",
     "type(results[0]), got tensor<3xf32>, expected tensor<2xf32> = type(branches[0][0])"},
    {"if", "i1", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32", ""},
    {"if_c1", "i1", two_regions(region_of("i1", "2xf32"), region_of("", "2xf32")), "2xf32",
     "input_types(true_branch), got 1 arguments, expected none"},
    {"if_c2", "i1", two_regions(region_of("", "2xf32"), region_of("", "2xi32")), "2xf32",
     "type(false_branch[0]), got tensor<2xi32>, expected tensor<2xf32> = type(true_branch[0])"},
    {"if_c3", "i1", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32; 2xf32",
     "size(results), got 2, expected 1"},
    {"case_i1", "1xi32", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32",
     "operand 0, got tensor<1xi32>, expected a scalar of integers"},
    {"if_i1", "1xi1", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32",
     "operand 0, got tensor<1xi1>, expected a scalar of i1"},
    {"if_i1", "i32", two_regions(region_of("", "2xf32"), region_of("", "2xf32")), "2xf32",
     "operand 0, got tensor<i32>, expected a scalar of i1"},
    {"while", "i32; 2xf32",
     two_regions(region_of("i32; 2xf32", "i1"), region_of("i32; 2xf32", "i32; 2xf32")),
     "i32; 2xf32", ""},
    {"while_c1", "i32", two_regions(region_of("i32; i32", "i1"), region_of("i32", "i32")), "i32",
     "size(arguments of cond), got 2, expected 1"},
    {"while_c1", "i32", two_regions(region_of("i32", "2xi1"), region_of("i32", "i32")), "i32",
     "type(result of cond), got tensor<2xi1>, expected tensor<i1>"},
    {"while_c2", "i32", two_regions(region_of("i32", "i1"), region_of("i64", "i32")), "i32",
     "type(argument of body[0]), got tensor<i64>, expected tensor<i32> = type(operand[0])"},
    {"while_c2", "i32", two_regions(region_of("i32", "i1"), region_of("i32", "i64")), "i32",
     "type(result of body[0]), got tensor<i64>, expected tensor<i32> = type(operand[0])"},
    {"while_c3", "i32", two_regions(region_of("i32", "i1"), region_of("i32", "i32")), "i64",
     "type(results[0]), got tensor<i64>, expected tensor<i32> = type(operand[0])"},
    {"tuple", "f32; i1", "", "tuple<tensor<f32>, tensor<i1>>", ""},
    {"tuple_c1", "f32; i1", "", "tuple<tensor<f32>, tensor<i8>>",
     "type(tuple_element_types(result)[1]), got tensor<i8>, expected tensor<i1> = type(val[1])"},
    {"tuple_c1", "f32; i1", "", "tuple<tensor<f32>>", "size(type(result)), got 1, expected 2"},
    {"get_tuple_element", "tuple<tensor<f32>, tensor<i1>>", "{index = 1 : i32}", "i1", ""},
    {"get_tuple_element_c1", "tuple<tensor<f32>, tensor<i1>>", "{index = 2 : i32}", "i1",
     "index, got 2, expected numbers in [0, 2)"},
    {"get_tuple_element_c2", "tuple<tensor<f32>, tensor<i1>>", "{index = 0 : i32}", "i1",
     "type(result), got tensor<i1>, expected tensor<f32> = type(tuple_element_types(operand)[0])"},
    {"get_tuple_element_i1", "f32", "{index = 0 : i32}", "f32",
     "type(operand), got tensor<f32>, expected a tuple"},
    {"composite", "2xf32", composite("my.op", "double"), "2xf64", ""},
    {"composite_c1", "2xf32", composite("my_op", "double"), "2xf64",
     "name, got \"my_op\", expected a name such as \"my_namespace.my_op\""},
    {"composite_c1", "2xf32", composite("my..op", "double"), "2xf64",
     "name, got \"my..op\", expected a name such as \"my_namespace.my_op\""},
    {"composite_c2", "2xf32", composite("my.op", "triple"), "2xf64",
     "decomposition, got @triple, expected a function of the module"},
    {"composite_c3", "3xf32", composite("my.op", "double"), "2xf64",
     "type(inputs[0]), got tensor<3xf32>, expected tensor<2xf32> = "
     "type(input_types(decomposition)[0])"},
    {"composite_c4", "2xf32", composite("my.op", "double"), "2xf32",
     "type(results[0]), got tensor<2xf32>, expected tensor<2xf64> = "
     "type(output_types(decomposition)[0])"},
    {"infeed", "!stablehlo.token", "", "2xf32; !stablehlo.token", ""},
    {"infeed_c1", "!stablehlo.token", "", "", "size(results), got 0, expected 1 or more"},
    {"infeed_c2", "!stablehlo.token", "", "!stablehlo.token; !stablehlo.token",
     "type(results[0]), got !stablehlo.token, expected an array"},
    {"infeed_c3", "!stablehlo.token", "", "2xf32",
     "type(results[0]), got tensor<2xf32>, expected !stablehlo.token"},
    {"async_start", "2x3xf32", asynchronous("slice"), slice_future, ""},
    {"async_start_c1", "2x3xf32", two_ops, slice_future,
     "operations of the body, got 3, expected 2, the last of them a return"},
    {"async_start_c2", "2x3xf32", asynchronous("torch_index_select"), slice_future,
     "the op of the body, got stablehlo.torch_index_select, expected a collective or a slice"},
    {"async_start_c3", "2x4xf32", asynchronous("slice"), slice_future,
     "type(operands[0]), got tensor<2x4xf32>, expected tensor<2x3xf32> = type(argument of the "
     "body[0])"},
    {"async_start_c4", "2x3xf32", asynchronous("slice"), "!stablehlo.future<tensor<2x3xf32>>",
     "type(result), got !stablehlo.future<tensor<2x3xf32>>, expected "
     "!stablehlo.future<tensor<1x3xf32>>"},
    {"async_done", slice_future, "", "1x3xf32", ""},
    {"async_done_c1", slice_future, "", "2x3xf32",
     "type(operand), got !stablehlo.future<tensor<1x3xf32>>, expected "
     "!stablehlo.future<tensor<2x3xf32>>"},
};
INSTANTIATE_TEST_SUITE_P(Control, Violations, testing::ValuesIn(control), name_of);

// What has no label.
struct Unlabelled {
  const char* name;
  const char* text;
  const char* says;
};
class WithoutLabel : public testing::TestWithParam<Unlabelled> {};
TEST_P(WithoutLabel, SaysWhereAndWhat) {
  EXPECT_EQ(verify_text(GetParam().text), str("t.mlir:", GetParam().says, "."));
}
INSTANTIATE_TEST_SUITE_P(
    Verify, WithoutLabel,
    testing::Values(
        Unlabelled{"operands",
                   "func.func @main(%a: tensor<f32>) {\n  %0 = \"stablehlo.add\"(%a) : "
                   "(tensor<f32>) -> tensor<f32>\n  return\n}",
                   "2:8: stablehlo.add: number of operands, got 1, expected 2"},
        Unlabelled{"regions",
                   "func.func @main(%a: tensor<f32>) {\n  %0 = \"stablehlo.reduce\"(%a, %a) "
                   "{dimensions = array<i64>} : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  "
                   "return\n}",
                   "2:8: stablehlo.reduce: number of regions, got 0, expected 1"},
        Unlabelled{"attribute",
                   "func.func @main(%a: tensor<f32>) {\n  %0 = \"stablehlo.reverse\"(%a) : "
                   "(tensor<f32>) -> tensor<f32>\n  return\n}",
                   "2:8: stablehlo.reverse: attribute dimensions is missing"},
        Unlabelled{"call",
                   "func.func @main(%a: tensor<f32>) {\n  %0 = call @f(%a) : (tensor<f32>) -> "
                   "tensor<f32>\n  return\n}\nfunc.func @f(%a: tensor<2xf32>) -> tensor<f32> "
                   "{\n  %0 = \"test.make\"() : () -> tensor<f32>\n  return %0 : tensor<f32>\n}",
                   "2:8: func.call: operand 0, got tensor<f32>, expected tensor<2xf32>"},
        Unlabelled{"callee", "func.func @main() {\n  call @f() : () -> ()\n  return\n}",
                   "2:3: func.call: there is no function @f, expected a function of the module"},
        Unlabelled{"return",
                   "func.func @main(%a: tensor<f32>) -> tensor<f64> {\n  return %a : "
                   "tensor<f32>\n}",
                   "2:3: func.return: operand 0, got tensor<f32>, expected tensor<f64>"}),
    [](const auto& info) { return info.param.name; });

// Sizes that are not known fit every other, also where both sides of a rule lack them.
TEST(Verify, TakesUnknownSizesForFitting) {
  EXPECT_EQ(verify_text("func.func @main(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>) {\n"
                        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [1] : "
                        "(tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<3x3xf32>\n"
                        "  %1 = stablehlo.reshape %a : (tensor<?x3xf32>) -> tensor<7xf32>\n"
                        "  return\n}"),
            "no error");
}

}  // namespace
}  // namespace systolic
