// Tokens that callers see, calls on each device's part of an array, ApproxTopK, and what
// PyTorch/XLA sends.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using stablehlo::parse;

stablehlo::ImportOptions with_functions() {
  return {.is_custom_function = [](std::string_view name) { return name == "tell"; }};
}

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const char tokens[] =
    "func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)"
    " {\n"
    "  %0 = stablehlo.custom_call @tell(%t, %x) {has_side_effect = true} : "
    "(!stablehlo.token, tensor<4xf32>) -> !stablehlo.token\n"
    "  return %0, %x : !stablehlo.token, tensor<4xf32>\n"
    "}";

TEST(ImportCustomCall, TokensOfTheEntryAreEmptyArraysWhereAsked) {
  stablehlo::ImportOptions options = with_functions();
  EXPECT_EQ(import_module(parse(tokens), options).main().body.arguments.size(), 1u);
  options.entry_tokens = true;
  const ir::Module module = import_module(parse(tokens), options);
  ir::verify(module);
  const ir::Function& main = module.main();
  ASSERT_EQ(main.body.arguments.size(), 2u);
  ASSERT_EQ(main.body.results.size(), 2u);
  const ir::Type empty{DType::pred, Shape{0}}, array{DType::f32, Shape{4}};
  EXPECT_EQ(main.type(main.body.arguments[0]), empty);
  EXPECT_EQ(main.type(main.body.arguments[1]), array);
  EXPECT_EQ(main.type(main.body.results[0]), empty);
  EXPECT_EQ(main.type(main.body.results[1]), array);
  EXPECT_EQ(count(ir::to_text(module), "\"tell\""), 1u);
}

TEST(ImportCustomCall, OnPartsIsACallForEachDevice) {
  stablehlo::ImportOptions options = with_functions();
  options.operand_parts = [](const stablehlo::Operation&) {
    const stablehlo::Parts token{{}, {{}, {}}};
    return std::vector<stablehlo::Parts>{token, {{2}, {{0}, {2}}}};
  };
  const std::string text = ir::to_text(import_module(parse(tokens), options));
  EXPECT_EQ(count(text, "\"tell\""), 2u) << text;
  EXPECT_EQ(count(text, "[0:2]"), 1u) << text;
  EXPECT_EQ(count(text, "[2:4]"), 1u) << text;
}

std::string approximate(std::string_view axis, std::string_view result) {
  return str(
      "func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, "
      "%j: tensor<i32>) -> tensor<i1> {\n"
      "  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  return %0 : tensor<i1>\n"
      "}\n"
      "func.func @main(%x: tensor<2x9xf32>, %i: tensor<2x9xi32>, %m: tensor<f32>, %n: tensor<i32>) "
      "-> tensor<",
      result,
      "xf32> {\n"
      "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %m, %n) {called_computations = "
      "[@greater], mhlo.backend_config = {reduction_dim = ",
      axis,
      " : i64, top_k = 3 : i64}} : (tensor<2x9xf32>, tensor<2x9xi32>, tensor<f32>, tensor<i32>) -> "
      "(tensor<",
      result, "xf32>, tensor<", result, "xi32>)\n  return %0#0 : tensor<", result, "xf32>\n}");
}

TEST(ImportCustomCall, ApproxTopKSortsAndTakesTheFirst) {
  const ir::Module module = stablehlo::import_module(parse(approximate("1", "2x3")));
  ir::verify(module);
  const std::string text = ir::to_text(module);
  EXPECT_EQ(count(text, "stablehlo.sort"), 1u) << text;
  EXPECT_EQ(count(text, "[0:2, 0:3]"), 2u) << text;
}

TEST(ImportCustomCall, ApproxTopKThatAsksForMoreThanThereIs) {
  const std::string place = "InvalidArgument: t.mlir:6:10: stablehlo.custom_call: ";
  EXPECT_EQ(error_of([] { stablehlo::import_module(parse(approximate("2", "2x3"), "t.mlir")); }),
            place + "reduction_dim, got 2, expected 0 to 1.");
  EXPECT_EQ(error_of([] { stablehlo::import_module(parse(approximate("1", "2x10"), "t.mlir")); }),
            place + "result 0, got f32[2,10], expected at most the 9 values of axis 1 of (2, 9).");
}

// As jax.export writes approx_max_k(x, x.shape[0] - 2).
std::string open_count(std::string_view minus) {
  return str(
      "func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, "
      "%j: tensor<i32>) -> tensor<i1> {\n"
      "  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  return %0 : tensor<i1>\n"
      "}\n"
      "func.func @main(%x: tensor<?xf32>, %i: tensor<?xi32>, %m: tensor<f32>, %n: tensor<i32>) -> "
      "tensor<?xf32> {\n"
      "  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
      "  %c = stablehlo.constant dense<",
      minus,
      "> : tensor<i32>\n"
      "  %k = stablehlo.add %b, %c : tensor<i32>\n"
      "  %s = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>\n"
      "  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %m, %n, %k, %s, %s) "
      "{called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : "
      "tensor<2xi64>, mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<?xf32>, "
      "tensor<?xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> "
      "(tensor<?xf32>, tensor<?xi32>)\n  return %0#0 : tensor<?xf32>\n}");
}

TEST(ImportCustomCall, ApproxTopKWhoseNumberFollowsFromTheArguments) {
  stablehlo::ImportOptions options;
  options.arguments = {{DType::f32, {9}}, {DType::i32, {9}}, {DType::f32, {}}, {DType::i32, {}}};
  const ir::Module module = stablehlo::import_module(parse(open_count("-2")), options);
  ir::verify(module);
  EXPECT_EQ(module.main().type(module.main().body.results.at(0)).shape, Shape({7}));
  EXPECT_EQ(error_of([&] { stablehlo::import_module(parse(open_count("2"), "t.mlir"), options); }),
            "InvalidArgument: t.mlir:10:10: stablehlo.custom_call: result 0, got 11 values, "
            "expected at most the 9 values of axis 0 of (9,).");
}

// A function of x: tensor<2x3xf32>, its ops before `result`, which names what it returns.
std::string imported(std::string_view ops, std::string_view result,
                     std::string_view types = "tensor<2x3xf32>") {
  const std::string text = str("func.func @main(%x: tensor<2x3xf32>) -> (", types, ") {\n  ", ops,
                               "\n  return ", result, " : ", types, "\n}");
  const ir::Module module = stablehlo::import_module(parse(text, "t.mlir"));
  ir::verify(module);
  return ir::to_text(module);
}

TEST(ImportCustomCall, OfMhloIsTheFunctionOfChlo) {
  for (const char* name :
       {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh", "tan"}) {
    const std::string call = str("%0 = stablehlo.custom_call @mhlo.", name,
                                 "(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : "
                                 "(tensor<2x3xf32>) -> tensor<2x3xf32>");
    const std::string same =
        str("%0 = \"chlo.", name, "\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>");
    EXPECT_EQ(imported(call, "%0"), imported(same, "%0")) << name;
  }
  EXPECT_EQ(error_of([] {
              imported(
                  "%0 = stablehlo.custom_call @mhlo.all(%x) : (tensor<2x3xf32>) -> "
                  "tensor<2x3xf32>",
                  "%0");
            }),
            "Unimplemented: t.mlir:2:8: stablehlo.custom_call: mhlo.all.");
}

TEST(ImportCustomCall, OfMhloTopKTakesTheLargestOrTheSmallest) {
  const auto call = [](std::string_view attributes) {
    return imported(str("%0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {",
                        attributes, "}} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)"),
                    "%0#0, %0#1", "tensor<2x2xf32>, tensor<2x2xi32>");
  };
  EXPECT_EQ(call("k = 2 : i64, largest = true"),
            imported("%0:2 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, "
                     "tensor<2x2xi32>)",
                     "%0#0, %0#1", "tensor<2x2xf32>, tensor<2x2xi32>"));
  EXPECT_EQ(count(call("k = 2 : i64, largest = false"), "LT"), 1u);
  EXPECT_NE(error_of([&] { call("k = 2 : i64"); }).find("a dictionary with largest"),
            std::string::npos);
}

// JAX's dce_sink has no results: nothing is left of it.
TEST(ImportCustomCall, ASinkComputesNothing) {
  const std::string program =
      str("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  "
          "stablehlo.custom_call @dce_sink(%x) {has_side_effect = true} : (tensor<3xf32>) -> ()\n  "
          "return %x : tensor<3xf32>\n}");
  EXPECT_EQ(ir::to_text(stablehlo::import_module(parse(program))).find("dce_sink"),
            std::string::npos);
}

// HLO's calls give one tuple.
TEST(ImportCustomCall, ResultsOfAFactorizationMayBeATuple) {
  const std::string attributes[] = {"Qr", "Eigh"};
  for (const std::string& target : attributes) {
    const std::string square =
        str("func.func @main(%x: tensor<3x3xf32>) -> (tensor<3x3xf32>, "
            "tensor<3xf32>) {\n  ");
    const std::string end = " : tensor<3x3xf32>, tensor<3xf32>\n}";
    const std::string parts = str(
        square, "%0:2 = stablehlo.custom_call @", target,
        "(%x) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)\n  return %0#0, %0#1", end);
    const std::string tuple =
        str(square, "%0 = stablehlo.custom_call @", target,
            "(%x) : (tensor<3x3xf32>) -> tuple<tensor<3x3xf32>, tensor<3xf32>>\n"
            "  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<3x3xf32>, tensor<3xf32>>) -> "
            "tensor<3x3xf32>\n"
            "  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3x3xf32>, tensor<3xf32>>) -> "
            "tensor<3xf32>\n  return %1, %2",
            end);
    EXPECT_EQ(ir::to_text(stablehlo::import_module(parse(tuple))),
              ir::to_text(stablehlo::import_module(parse(parts))))
        << target;
  }
}

}  // namespace
}  // namespace systolic
