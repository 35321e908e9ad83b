// Tokens that callers see, calls on each device's part of an array, and ApproxTopK.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/print.h"
#include "systolic/ir/verify.h"
#include "systolic/stablehlo/import.h"
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

}  // namespace
}  // namespace systolic
