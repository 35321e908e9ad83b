// What StableHLO's dialects ask for besides the specification: no label stands for it.
#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

struct Wrong {
  std::string name;  // of the test
  std::string text;  // of the program
  std::string says;  // part of the message; "no error" for a program that is right
};

std::string name_of_wrong(const testing::TestParamInfo<Wrong>& info) {
  return str(info.param.name, "_", info.index);
}

// A function that takes %a0, %a1, ... of these types, with one op.
std::string function(const std::string& inputs, const std::string& line) {
  std::vector<std::string> arguments;
  for (const std::string& type : types_of(inputs)) {
    arguments.push_back(str("%a", arguments.size(), ": ", type));
  }
  return str("func.func @main(", join(arguments), ") {\n  ", line, "\n  return\n}");
}

class Dialect : public testing::TestWithParam<Wrong> {};

TEST_P(Dialect, IsChecked) {
  const std::string message = verify_text(GetParam().text);
  EXPECT_NE(message.find(GetParam().says), std::string::npos)
      << GetParam().text << "\n  says: " << message;
}

std::string call(const std::string& attributes) {
  return function("2x3xf32; !stablehlo.token",
                  "\"stablehlo.custom_call\"(%a0, %a1) {call_target_name = \"f\", " + attributes +
                      "} : (tensor<2x3xf32>, !stablehlo.token) -> ()");
}
std::string layouts(const std::string& first,
                    const std::string& second = "dense<> : tensor<0xindex>") {
  return call("operand_layouts = [" + first + ", " + second + "], result_layouts = []");
}
std::string alias(const std::string& output, int operand, const std::string& path,
                  const std::string& result = "tensor<2x3xf32>") {
  return function("tuple<tensor<1x1xf32>, tensor<2x3xf32>>",
                  str("%r = \"stablehlo.custom_call\"(%a0) {call_target_name = \"f\", "
                      "output_operand_aliases = [#stablehlo.output_operand_alias<"
                      "output_tuple_indices = ",
                      output, ", operand_index = ", operand, ", operand_tuple_indices = ", path,
                      ">]} : (tuple<tensor<1x1xf32>, tensor<2x3xf32>>) -> tuple<", result, ">"));
}

const std::vector<Wrong> custom_calls = {
    {"one_sided", call("operand_layouts = []"), "layouts, got those of one side"},
    {"right", layouts("dense<[1, 0]> : tensor<2xindex>"), "no error"},
    {"too_few", call("operand_layouts = [], result_layouts = []"),
     "size(operand_layouts), got 0, expected 2"},
    {"too_many_axes", layouts("dense<[0, 1, 2]> : tensor<3xindex>"),
     "size(operand_layouts[0]), got 3, expected 2"},
    {"no_such_axis", layouts("dense<[0, 2]> : tensor<2xindex>"),
     "operand_layouts[0], got [0, 2], expected numbers in [0, 2)"},
    {"one_axis_twice", layouts("dense<0> : tensor<2xindex>"), "expected each number once"},
    {"token", layouts("dense<[1, 0]> : tensor<2xindex>", "dense<0> : tensor<1xindex>"),
     "size(operand_layouts[1]), got 1, expected 0"},
    {"alias", alias("[0]", 0, "[1]"), "no error"},
    {"alias_operand", alias("[0]", 1, "[1]"), "operand_index, got 1, expected numbers in [0, 1)"},
    {"alias_output", alias("[1]", 0, "[1]"), "output_tuple_indices, got 1"},
    {"alias_path", alias("[0]", 0, "[2]"), "operand_tuple_indices, got 2"},
    {"alias_type", alias("[0]", 0, "[0]"), "got tensor<2x3xf32>, expected tensor<1x1xf32>"},
    {"typed_config", call("api_version = 4 : i32, backend_config = \"x\""),
     "backend_config of api_version 4, got \"x\", expected a dictionary"},
    {"string_config", call("api_version = 3 : i32, backend_config = {x = 1 : i32}"),
     "expected a string"},
};
INSTANTIATE_TEST_SUITE_P(CustomCall, Dialect, testing::ValuesIn(custom_calls), name_of_wrong);

std::string ragged(const std::string& numbers, const std::string& sizes = "tensor<3xi64>",
                   const std::string& rhs = "tensor<3x5x7xf32>") {
  return str("func.func @main(%l: tensor<11x5xf32>, %r: ", rhs, ", %g: ", sizes,
             ") {\n  %0 = \"chlo.ragged_dot\"(%l, %r, %g) {ragged_dot_dimension_numbers = "
             "#chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
             "lhs_contracting_dimensions = [1], ",
             numbers, ">} : (tensor<11x5xf32>, ", rhs, ", ", sizes,
             ") -> tensor<11x7xf32>\n  return\n}");
}
const std::string free_rows =
    "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = ";

std::string scan(const std::string& init, const std::string& body, int axis = 0,
                 const std::string& more = "") {
  return function("2x3xf32; " + init,
                  str("%r:2 = \"chlo.scan\"(%a0, %a1) ({\n^bb0(", body,
                      "):\n  stablehlo.return %x, %x : tensor<3xf32>, tensor<3xf32>\n}) "
                      "{input_count = 1 : i64, dimension = ",
                      axis, " : i64", more, "} : (tensor<2x3xf32>, tensor<", init,
                      ">) -> (tensor<2x3xf32>, tensor<", init, ">)"));
}
const std::string two = "%x: tensor<3xf32>, %y: tensor<3xf32>";

std::string binary(const std::string& op, const std::string& lhs, const std::string& rhs,
                   const std::string& result) {
  return function(lhs + ";" + rhs, str("%r = \"chlo.", op, "\"(%a0, %a1) : (tensor<", lhs,
                                       ">, tensor<", rhs, ">) -> tensor<", result, ">"));
}

const std::vector<Wrong> chlo = {
    {"broadcast", binary("broadcast_add", "2xf32", "f32", "2xf32"), "no error"},
    {"broadcast_rhs", binary("broadcast_add", "2xf32", "f64", "2xf32"),
     "chlo.broadcast_add: baseline_element_type(rhs), got f64, expected that of lhs, f32"},
    {"broadcast_result",
     binary("broadcast_maximum", "2x!quant.uniform<i8:f32, 2.0:15>",
            "2x!quant.uniform<i8:f32, 3.0:15>", "2x!quant.uniform<i16:f32, 2.0:15>"),
     "baseline_element_type(result)"},
    {"complex", binary("broadcast_complex", "2xf64", "2xf32", "2xcomplex<f32>"),
     "element_type(rhs), got f32, expected f64"},
    {"select",
     function("2xi1; 2xi32; 2xf32",
              "%r = \"chlo.broadcast_select\"(%a0, %a1, %a2) : (tensor<2xi1>, tensor<2xi32>, "
              "tensor<2xf32>) -> tensor<2xi32>"),
     "element_type(on_false), got f32, expected i32"},
    {"constant_like",
     function("2xi64",
              "%r = \"chlo.constant_like\"(%a0) {value = 3.2 : f32} : (tensor<2xi64>) -> "
              "tensor<2xi32>"),
     "type(value), got f32, expected the element type of tensor<2xi32>"},
    {"mulhi", binary("mulhi", "4xi1", "4xi1", "4xi1"), "expected integers of 2 bits or more"},
    {"top_k_scalar",
     function("f32",
              "%r:2 = chlo.top_k(%a0, k = 8) : tensor<f32> -> (tensor<8xf32>, tensor<8xi32>)"),
     "rank(operand), got 0, expected 1 or more"},
    {"top_k_short",
     function("4xf32",
              "%r:2 = chlo.top_k(%a0, k = 8) : tensor<4xf32> -> (tensor<8xf32>, "
              "tensor<8xi32>)"),
     "k, got 8, expected at most 4"},
    {"scan", scan("3xf32", two), "no error"},
    {"scan_steps", scan("3xf32", two, 0, ", scan_dim_size = 3 : i64"),
     "dim(operands[0], 0), got 2, expected 3"},
    {"scan_axis", scan("3xf32", two, 2), "dimension, got 2, expected numbers in [0, 2)"},
    {"scan_arguments", scan("3xf32", "%x: tensor<3xf32>"),
     "size(arguments of the body), got 1, expected 2"},
    {"scan_carry", scan("2xf32", two), "shape(argument of the body[1]), got [3], expected [2]"},
    {"scan_element", scan("3xi32", two), "element_type(argument of the body[1])"},
    {"ragged", ragged(free_rows + "[0]"), "no error"},
    {"ragged_contracting", ragged(free_rows + "[0]", "tensor<3xi64>", "tensor<3x2x7xf32>"),
     "dim(rhs, 1), got 2, expected 5 = dim(lhs, 1)"},
    {"ragged_two",
     ragged("rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], "
            "rhs_group_dimensions = [0]"),
     "size(lhs_ragged_dimensions), got 2, expected 1"},
    {"ragged_no_group", ragged(free_rows + "[]"),
     "size(rhs_group_dimensions where the ragged axis is free), got 0, expected 1"},
    {"ragged_group_again", ragged(free_rows + "[1]"), "expected each number once"},
    {"ragged_contracted_group",
     ragged("rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = "
            "[0]"),
     "batching or contracting), got 1, expected 0"},
    {"ragged_sizes", ragged(free_rows + "[0]", "tensor<3x2xi64>"),
     "shape(group_sizes), got [3, 2], expected [2]"},
    {"ragged_groups", ragged(free_rows + "[0]", "tensor<2xi64>"),
     "dim(rhs, 0), of the groups, got 3, expected 2"},
};
INSTANTIATE_TEST_SUITE_P(Chlo, Dialect, testing::ValuesIn(chlo), name_of_wrong);

std::string parallel(const std::string& attributes, const std::string& operands = "",
                     const std::string& types = "() -> ()") {
  return "func.func @one(%x: tensor<i64>) -> tensor<i64> {\n  return %x : tensor<i64>\n}\n"
         "func.func @none() {\n  return\n}\n"
         "func.func @token() -> !stablehlo.token {\n  %t = stablehlo.create_token : "
         "!stablehlo.token\n  return %t : !stablehlo.token\n}\n"
         "func.func @main(%a0: tensor<i64>) {\n  \"interpreter.run_parallel\"(" +
         operands + ") {" + attributes + "} : " + types + "\n  return\n}";
}

const std::vector<Wrong> parallels = {
    {"right", parallel("programs = [[@none, @none]]"), "no error"},
    {"nothing", parallel("programs = []"), "size(programs), got 0, expected 1 or more"},
    {"rows", parallel("programs = [[@none], [@none, @none]]"),
     "size(a row of programs), got 2, expected 1"},
    {"unknown", parallel("programs = [[@other]]"), "function @other, got none"},
    {"operands", parallel("programs = [[@one]]"), "size(operands), got 0, expected 1"},
    {"results", parallel("programs = [[@one]]", "%a0", "(tensor<i64>) -> ()"),
     "size(results), got 0, expected 1"},
    {"empty_infeed", parallel("infeed = [], programs = [[@none]]"), "size(infeed), got 0"},
    {"unknown_infeed", parallel("infeed = [@other], programs = [[@none]]"), "function @other"},
    {"infeed_of_nothing", parallel("infeed = [@none], programs = [[@none]]"),
     "size(results of @none), got 0, expected 1"},
    {"infeed_of_token", parallel("infeed = [@token], programs = [[@none]]"),
     "got !stablehlo.token, expected a tensor"},
};
INSTANTIATE_TEST_SUITE_P(RunParallel, Dialect, testing::ValuesIn(parallels), name_of_wrong);

std::string broadcast(const std::string& sizes, const std::string& result) {
  return function("3xi32", str("%r = \"stablehlo.broadcast\"(%a0) {broadcast_sizes = array<i64: ",
                               sizes, ">} : (tensor<3xi32>) -> tensor<", result, ">"));
}
std::string dot(const std::string& lhs, const std::string& rhs, const std::string& result,
                const std::string& more = "") {
  return function(lhs + ";" + rhs, str("%r = \"stablehlo.dot\"(%a0, %a1) {", more, "} : (tensor<",
                                       lhs, ">, tensor<", rhs, ">) -> tensor<", result, ">"));
}
std::string sized(const std::string& size, int axis) {
  return function("2x3xf32; " + size,
                  str("%r = stablehlo.set_dimension_size %a0, %a1, dim = ", axis,
                      " : (tensor<2x3xf32>, tensor<", size, ">) -> tensor<2x3xf32>"));
}

const std::vector<Wrong> dropped = {
    {"broadcast", broadcast("2", "2x3xi32"), "no error"},
    {"broadcast_shape", broadcast("2", "1x3xi32"), "shape(result), got [1, 3], expected [2, 3]"},
    {"broadcast_negative", broadcast("-2", "2x3xi32"), "broadcast_sizes, got -2"},
    {"dot", dot("2x3xf32", "3xf32", "2xf32"), "no error"},
    {"dot_rank", dot("1x2x3xf32", "3xf32", "2xf32"), "rank(lhs), got 3, expected 1 or 2"},
    {"dot_sizes", dot("2x3xf32", "4xf32", "2xf32"), "dim(rhs, 0), got 4, expected 3"},
    {"dot_result", dot("2x3xf32", "3xf32", "3xf32"), "shape(result), got [3], expected [2]"},
    {"size", sized("i32", 1), "no error"},
    {"size_rank", sized("1xi32", 1), "rank(size), got 1, expected 0"},
    {"size_axis", sized("i32", 2), "dimension, got 2, expected numbers in [0, 2)"},
};
INSTANTIATE_TEST_SUITE_P(Dropped, Dialect, testing::ValuesIn(dropped), name_of_wrong);

std::string module_with(const std::string& attribute) {
  return "module attributes {x.y = " + attribute + "} {}";
}
std::string accurate(const std::string& accuracy) {
  return function("f32",
                  "%r = \"stablehlo.tanh\"(%a0) {result_accuracy = #stablehlo.result_accuracy<" +
                      accuracy + ">} : (tensor<f32>) -> tensor<f32>");
}

const std::vector<Wrong> attributes = {
    {"precision",
     dot("2x2xf32", "2x2xf32", "2x2xf32", "precision_config = [#stablehlo<precision BEST>]"),
     "precision, got BEST, expected one of DEFAULT, HIGH, HIGHEST"},
    {"dot_field", module_with("#stablehlo.dot<foo = [0]>"), "a field of #stablehlo.dot, got foo"},
    {"gather_field", module_with("#stablehlo.gather<offset_dim = [0]>"), "got offset_dim"},
    {"accuracy",
     accurate("atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>"),
     "no error"},
    {"tolerance",
     accurate("atol = 1.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>"),
     "atol of result_accuracy with the mode HIGHEST, got 1, expected 0"},
    {"conv", module_with("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"), "no error"},
    {"conv_letter", module_with("#stablehlo.conv<[c, 0, f]x[0, i, o]->[b, 0, f]>"),
     "expected b, f or one of 1 axes"},
    {"conv_twice", module_with("#stablehlo.conv<[b, 0, f]x[0, i, i]->[b, 0, f]>"),
     "dimension_numbers, got #stablehlo.conv<[b, 0, f]x[0, i, i]->[b, 0, f]>, expected each axis "
     "once"},
    {"conv_missing", module_with("#stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>"),
     "expected b, f or one of 0 axes"},
    {"future", "func.func private @f() -> !stablehlo.future<f32>",
     "a part of a future, got f32, expected a tensor"},
    {"unknown_type", "func.func private @f() -> !stablehlo.foobar", "StableHLO has no such type"},
    {"bounds", "func.func private @f() -> tensor<?x?xf32, #stablehlo.bounds<3>>",
     "got 1, expected 2, its rank"},
    {"older_bounds",
     "func.func @f(%x: tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>) -> "
     "tensor<?xf32, #stablehlo.bounds<3>> {\n  return %x : tensor<?xf32, #stablehlo.bounds<3>>\n}",
     "no error"},
    {"beyond_its_bound",
     function("3xf32",
              "%r = \"stablehlo.abs\"(%a0) : (tensor<3xf32>) -> "
              "tensor<?xf32, #stablehlo.bounds<2>>"),
     "abs_c1"},
    {"open_constant",
     function("",
              "%r = \"stablehlo.constant\"() {value = dense<1> : tensor<?xi32>} "
              ": () -> tensor<?xi32>"),
     "type(output), got tensor<?xi32>, expected sizes that are known"},
    {"open_reshape",
     function("4xf32", "%r = stablehlo.reshape %a0 : (tensor<4xf32>) -> tensor<?x2xf32>"),
     "expected sizes that are known, except for one that is bounded"},
    {"scale_too_large", "func.func private @f() -> tensor<1x!quant.uniform<i4:f16, 1.0e5>>",
     "quantized_type_c6: scale of"},
    {"scale_too_small", "func.func private @f() -> tensor<1x!quant.uniform<i4:f16, 4.9e-8>>",
     "quantized_type_c6: scale of"},
    {"reducer_by_name",
     function("4xf32; f32",
              "%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo.divide across "
              "dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>"),
     "only a commutative op of two operands can fold by its name"},
    {"gathered",
     function("2x3xf32",
              "%r = \"stablehlo.all_gather\"(%a0) {all_gather_dim = 1 : i64, "
              "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = "
              "#stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x3xf32>) -> "
              "tensor<2x10xf32>"),
     "all_gather_c6: dim(results[0], 1), got 10, expected a multiple of 3 = dim(operands[0], 1)"},
    {"mesh",
     function("2xf32",
              "%r = \"stablehlo.all_gather\"(%a0) {all_gather_dim = 0 : i64, "
              "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = "
              "[#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>]>} : "
              "(tensor<2xf32>) -> tensor<4xf32>"),
     "all_gather_i3: mesh of replica_groups, got @none, expected a mesh of the module"},
};
INSTANTIATE_TEST_SUITE_P(AttributesAndTypes, Dialect, testing::ValuesIn(attributes), name_of_wrong);

const std::vector<Wrong> blocks = {
    {"function",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.abs %x : "
     "tensor<f32>\n}",
     "t.mlir:2:8: the last op of a block, got stablehlo.abs, expected func.return"},
    {"empty", "func.func @main() {\n}", "the last op of a block, got none, expected func.return"},
    {"region",
     function("i1; f32",
              "%r = \"stablehlo.if\"(%a0) ({\n  %0 = stablehlo.abs %a1 : tensor<f32>\n}, "
              "{\n  stablehlo.return %a1 : tensor<f32>\n}) : (tensor<i1>) -> "
              "tensor<f32>"),
     "the last op of a block, got stablehlo.abs, expected stablehlo.return"},
    {"early",
     "func.func @main(%x: tensor<f32>) {\n  \"func.return\"() : () -> ()\n  %0 = "
     "stablehlo.abs %x : tensor<f32>\n  return\n}",
     "t.mlir:2:3: func.return with ops after it, expected a return as the last op of its block"},
};
INSTANTIATE_TEST_SUITE_P(Blocks, Dialect, testing::ValuesIn(blocks), name_of_wrong);

std::string algorithm(const std::string& side, const std::string& sum, int products) {
  return function(
      "2x2xf32; 2x2xf32",
      str("%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0], algorithm = "
          "<lhs_precision_type = ",
          side, ", rhs_precision_type = ", side, ", accumulation_type = ", sum,
          ", lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = ",
          products,
          ", allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
          "tensor<2x2xf32>"));
}

const std::vector<Wrong> algorithms = {
    {"bf16_x6", algorithm("bf16", "f32", 6), "no error"},
    {"f8", algorithm("f8E5M2", "f32", 1), "no error"},
    {"bf16_x4", algorithm("bf16", "f32", 4),
     "algorithm, got bf16 times bf16 summed in f32, 1 and 1 components, 4 products"},
    {"i8", algorithm("i8", "f32", 1), "algorithm, got i8 times i8"},
};
INSTANTIATE_TEST_SUITE_P(DotAlgorithm, Dialect, testing::ValuesIn(algorithms), name_of_wrong);

}  // namespace
}  // namespace systolic
