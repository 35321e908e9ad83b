#include "systolic/stablehlo/import/import.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

ir::Module import_text(const std::string& text, const stablehlo::ImportOptions& options = {}) {
  return stablehlo::import_module(stablehlo::parse(text, "t.mlir"), options);
}

// What ir prints is read back as the same module.
TEST(Import, ReadsWhatModulesPrint) {
  const std::string text =
      "module @net attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>) -> (tensor<4xf32>)"
      " {\n"
      "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : "
      "(tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n"
      "    %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "    %2 = \"stablehlo.reduce\"(%0, %1) <{dimensions = array<i64: 1>}> ({\n"
      "    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):\n"
      "      %3 = stablehlo.add %arg2, %arg3 : tensor<f32>\n"
      "      stablehlo.return %3 : tensor<f32>\n"
      "    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>\n"
      "    return %2 : tensor<4xf32>\n"
      "  }\n"
      "}\n";
  const ir::Module module = import_text(text);
  ir::verify(module);
  const std::string printed = ir::to_text(module);
  EXPECT_EQ(ir::to_text(import_text(printed)), printed);
  EXPECT_NE(printed.find("stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]"),
            std::string::npos)
      << printed;
}

TEST(Import, PutsCalledFunctionsInPlace) {
  const ir::Module module = import_text(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %1 : tensor<2xf32>\n"
      "}\n"
      "func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}");
  EXPECT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.main().body.ops.size(), 2u);
}

// However often a text names a constant, it is held once: else a short text would fill the memory.
TEST(Import, HoldsAConstantOfManyNamesOnce) {
  std::string list = "0.5";
  for (int i = 1; i < 400; ++i) list += ", 0.5";
  const std::string uses =
      "  %0 = stablehlo.constant #c\n  %1 = call @f() : () -> tensor<400xf32>\n";
  const std::string named = str("#c = dense<[", list, "]> : tensor<400xf32>\nfunc.func @main() {\n",
                                uses, "  return\n}\nfunc.func private @f() -> tensor<400xf32> {\n",
                                "  %0 = stablehlo.constant #c\n  return %0 : tensor<400xf32>\n}\n");
  std::string bytes = "0x04000000";
  for (int i = 0; i < 400; ++i) bytes += "0000003F";
  const std::string resource =
      str("func.func @main() {\n  %0 = stablehlo.constant dense_resource<r> : tensor<400xf32>\n",
          "  %1 = stablehlo.constant dense_resource<\"r\"> : tensor<400xf32>\n  return\n}\n",
          "{-# dialect_resources: { builtin: { r: \"", bytes, "\" } } #-}\n");
  for (const std::string& text : {named, resource}) {
    const ir::Module module = import_text(text);
    const auto& ops = module.main().body.ops;
    ASSERT_EQ(ops.size(), 2u);
    const Literal &first = std::get<ir::ConstantAttributes>(ops[0].attributes).value,
                  &second = std::get<ir::ConstantAttributes>(ops[1].attributes).value;
    EXPECT_EQ(first.number_at(399), 0.5);
    EXPECT_EQ(first.raw(), second.raw());
  }
}

TEST(Import, GroupsOfPartitionsCountCores) {
  const std::string text =
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = \"stablehlo.collective_broadcast\"(%a) {replica_groups = dense<[[1, 0]]> : "
      "tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : "
      "(tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}";
  const ir::Module module = import_text(text, {.replicas = 2, .partitions = 2});
  EXPECT_EQ(module.num_replicas, 4);
  const auto& attributes = module.main().body.ops[0].get<ir::CollectiveAttributes>();
  EXPECT_EQ(attributes.replica_groups, (std::vector<std::vector<int64_t>>{{1, 0}, {3, 2}}));
}

struct Fault {
  const char* name;
  const char* text;
  const char* error;
};

class ImportFaults : public testing::TestWithParam<Fault> {};

TEST_P(ImportFaults, SayWhereAndWhatWasExpected) {
  const std::string error = message_of([] { import_text(GetParam().text); });
  EXPECT_NE(error.find(GetParam().error), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Import, ImportFaults,
    testing::Values(
        Fault{"recursion", "func.func @main() {\n  call @main() : () -> ()\n  return\n}",
              "t.mlir:2:3: function @main calls itself"},
        Fault{"no_function", "func.func @main() { call @f() : () -> () return }",
              "there is no function @f"},
        Fault{"unknown_op", "func.func @main() { \"stablehlo.fly\"() : () -> () return }",
              "t.mlir:1:21: op stablehlo.fly"},
        Fault{"wrong_result",
              "func.func @main(%a: tensor<2xf32>) {\n"
              "  %0 = \"stablehlo.reverse\"(%a) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> "
              "tensor<3xf32>\n  return\n}",
              "t.mlir:2:8: reverse_c1: type(result), got tensor<3xf32>, expected tensor<2xf32>"},
        Fault{"missing_attribute",
              "func.func @main(%a: tensor<2xf32>) {\n"
              "  %0 = \"stablehlo.reverse\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}",
              "t.mlir:2:8: stablehlo.reverse: attribute dimensions is missing"},
        Fault{"constraint_has_its_label",
              "func.func @main(%a: tensor<2xf32>) {\n"
              "  %0 = stablehlo.reverse %a, dims = [1] : tensor<2xf32>\n  return\n}",
              "reverse_c3"},
        Fault{"dynamic_argument", "func.func @main(%a: tensor<?xf32>) { return }",
              "argument 0 of @main, got tensor<?xf32>, expected sizes that are known"},
        Fault{
            "check_outside_a_test",
            "func.func @main(%a: tensor<2xf32>) { check.expect_eq %a, %a : tensor<2xf32> return }",
            "a check outside a test"}),
    [](const auto& info) { return info.param.name; });

// As JAX writes them; what ir prints is read back as the same call.
TEST(Import, CallsFunctionsThatSomebodyHasRegistered) {
  const std::string text =
      "func.func @main(%a: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>) {\n"
      "  %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {backend_config = \"\", "
      "mhlo.backend_config = {mode = 86 : ui8, sizes = array<i64: 2, 3>, word = \"all\"}, "
      "operand_layouts = [dense<[0, 1]> : tensor<2xindex>], "
      "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], "
      "operand_index = 0, operand_tuple_indices = []>], "
      "result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : "
      "(tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)\n"
      "  return %0#0, %0#1 : tensor<4x3xf64>, tensor<3xf64>\n}";
  const stablehlo::ImportOptions options{
      .is_custom_function = [](std::string_view name) { return name == "lapack_dgeqrf_ffi"; }};
  const ir::Module module = import_text(text, options);
  const ir::CustomCallAttributes wanted{
      .call_target_name = "lapack_dgeqrf_ffi",
      .options = {{"mode", Literal::scalar(uint8_t{86})},
                  {"sizes", Literal::from(std::vector<int64_t>{2, 3}, {2})},
                  {"word", std::string("all")}},
      .operand_layouts = {{0, 1}},
      .result_layouts = {{0, 1}, {0}},
      .output_operand_aliases = {{0, 0}}};
  ASSERT_EQ(module.main().body.ops.size(), 1u);
  EXPECT_TRUE(module.main().body.ops[0].get<ir::CustomCallAttributes>() == wanted);
  const ir::Module again = import_text(ir::to_text(module), options);
  EXPECT_TRUE(again.main().body.ops[0].get<ir::CustomCallAttributes>() == wanted)
      << ir::to_text(module);
  const std::string error = message_of([&] { import_text(text); });
  EXPECT_NE(error.find("no custom function is called 'lapack_dgeqrf_ffi'"), std::string::npos)
      << error;
}

// A chain of functions, each of which calls the next one twice, would unfold to 2^40 ops.
TEST(Import, BoundsWhatCallsUnfoldTo) {
  std::string text = "func.func @main() { call @f0() : () -> () return }\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "call @f" + std::to_string(i + 1) + "() : () -> ()\n";
    text += "func.func @f" + std::to_string(i) + "() {\n" + next + next + "return }\n";
  }
  text += "func.func @f40() { return }";
  const std::string error = message_of([&] { import_text(text); });
  EXPECT_NE(error.find("the program expands to more ops than allowed"), std::string::npos) << error;
}

// As jax.random makes numbers of bits inside a program that jax.export left sizes of open.
TEST(Import, RefinesBitsSeenAsAnotherType) {
  struct Row {
    std::string from, to;
    Shape given, wanted;
  };
  const Row rows[] = {{"tensor<?x2xui32>", "tensor<?x2xf32>", {3, 2}, {3, 2}},
                      {"tensor<?xui64>", "tensor<?x2xui32>", {3}, {3, 2}},
                      {"tensor<?x2xui32>", "tensor<?xui64>", {3, 2}, {3}},
                      {"tensor<?xui8>", "tensor<?x2xui4>", {3}, {3, 2}},
                      {"tensor<?x2xui32>", "tensor<?x?xf32>", {0, 2}, {0, 2}}};
  for (const Row& row : rows) {
    const std::string text = str("func.func @main(%x: ", row.from, ") -> ", row.to, " {\n",
                                 "  %0 = stablehlo.bitcast_convert %x : (", row.from, ") -> ",
                                 row.to, "\n", "  return %0 : ", row.to, "\n}");
    stablehlo::ImportOptions options;
    const stablehlo::Program program = stablehlo::parse(text, "t.mlir");
    const stablehlo::Type& type =
        program.type(program.entry().type(program.entry().body.arguments[0]));
    options.arguments = {{*stablehlo::info(type.element).dtype, row.given}};
    const ir::Module module = stablehlo::import_module(program, options);
    const ir::Function& main = module.main();
    EXPECT_EQ(main.type(main.body.results[0]).shape, row.wanted) << text;
  }
}

// What jax.export asks of a size that it left open.
TEST(Import, ChecksWhatAProgramAssertsOfItsSizes) {
  const std::string text =
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
      "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
      "  %p = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = \"wanted two, got {0}\", "
      "has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()\n"
      "  return %x : tensor<?xf32>\n"
      "}";
  const auto import_with = [&](int64_t size) {
    stablehlo::ImportOptions options;
    options.arguments = {{DType::f32, {size}}};
    return import_text(text, options);
  };
  const ir::Module module = import_with(3);
  const ir::Function& main = module.main();
  EXPECT_EQ(main.type(main.body.results[0]), (ir::Type{DType::f32, {3}}));
  EXPECT_EQ(message_of<InvalidArgument>([&] { import_with(1); }),
            "t.mlir:5:3: stablehlo.custom_call: shape_assertion, got wanted two, got 1, expected "
            "sizes for which it holds.");
}

}  // namespace
}  // namespace systolic
