// A large product of which nobody wants more than what comes from its rows is computed some rows at
// a time: no array of its size is left, and the results are equal.
#include "backends/cpu/rewrite/loops/tile_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

constexpr int64_t head_texts = 6, head_tokens = 2, head_width = 3, head_words = 16;
constexpr cpu::TileLimits small_tiles{.least_bytes = head_texts * head_tokens * head_words * 4,
                                      .least_rows = 4};

// h: f32[texts, tokens, width], w: f32[words, width], labels: i32[texts, tokens], targets:
// f32[texts, tokens, words], scale: f32[].
struct HeadInputs {
  Value h, w, labels, targets, scale;
};

Value head_spread(Value rows) {
  return ir::broadcast_in_dim(rows, {head_texts, head_tokens, head_words}, {0, 1});
}

Value logits_of(const HeadInputs& in) {
  ir::DotAttributes last;
  last.lhs_contracting_dimensions = {2};
  last.rhs_contracting_dimensions = {1};
  return ir::dot_general(in.h, in.w, last);
}

Value log_of_sums(Value logits) {
  return ir::unary(OpCode::log, ir::reduce_sum(ir::unary(OpCode::exponential, logits), {2}));
}

// As a program has it: flat rows, and the word of each by comparing.
Value picked(Value logits, Value labels) {
  Builder& b = logits.builder();
  const Shape flat{head_texts * head_tokens, head_words};
  const Value numbers = b.iota({DType::i32, flat}, 1);
  const Value wanted =
      ir::broadcast_in_dim(ir::reshape(labels, {head_texts * head_tokens}), flat, {0});
  const Value here = ir::compare(numbers, wanted, ir::Direction::eq);
  const Value rows = ir::select(here, ir::reshape(logits, flat), b.filled(DType::f32, flat, 0));
  return ir::reshape(ir::reduce_sum(rows, {1}), {head_texts, head_tokens});
}

Value head_one_hot(Value labels) {
  Builder& b = labels.builder();
  const Shape all{head_texts, head_tokens, head_words};
  const Value here =
      ir::compare(b.iota({DType::i32, all}, 2), head_spread(labels), ir::Direction::eq);
  return ir::convert(here, DType::f32);
}

Value input_gradient(Value g, Value w) {
  ir::DotAttributes words_away;
  words_away.lhs_contracting_dimensions = {2};
  words_away.rhs_contracting_dimensions = {0};
  return ir::dot_general(g, w, words_away);
}

Value weight_gradient(Value g, Value h) {
  ir::DotAttributes rows;
  rows.lhs_contracting_dimensions = rows.rhs_contracting_dimensions = {0, 1};
  return ir::dot_general(g, h, rows);
}

// The softmax less the one-hot labels.
Value gradient_of(const HeadInputs& in, Value logits, Value scale) {
  const Value shares = ir::unary(OpCode::exponential, logits - head_spread(log_of_sums(logits)));
  return (shares - head_one_hot(in.labels)) * ir::broadcast_in_dim(scale, logits.shape(), {});
}

Value mean_loss(const HeadInputs& in, Value logits) {
  return ir::reduce_sum(log_of_sums(logits) - picked(logits, in.labels), {0, 1}) / 12.0;
}

struct HeadRow {
  const char* name;
  std::function<std::vector<Value>(const HeadInputs& in)> build;
  bool tiled;
};

const HeadRow head_rows[] = {
    {"Loss",
     [](const HeadInputs& in) -> std::vector<Value> { return {mean_loss(in, logits_of(in))}; },
     true},
    {"LossAndGradients",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in), g = gradient_of(in, logits, in.scale);
       return {mean_loss(in, logits), input_gradient(g, in.w), weight_gradient(g, in.h)};
     },
     true},
    {"TheRowsOfAnArgument",
     [](const HeadInputs& in) -> std::vector<Value> {
       return {ir::reduce_sum(logits_of(in) * in.targets, {2})};
     },
     true},
    {"TheLargestOfARow",
     [](const HeadInputs& in) -> std::vector<Value> {
       return {ir::reduce_max(logits_of(in), {2}), ir::reduce_sum(logits_of(in), {0, 1})};
     },
     true},
    {"AnArrayOfItsSizeThatOthersWantToo",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value wanted = head_one_hot(in.labels);
       return {ir::reduce_sum(logits_of(in) * wanted, {2}), wanted};
     },
     true},
    {"TheProductIsWanted",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in);
       return {mean_loss(in, logits), logits};
     },
     false},
    {"TheGradientNeedsTheWholeLoss",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in), loss = mean_loss(in, logits);
       const Value g = gradient_of(in, logits, in.scale / loss);
       return {loss, input_gradient(g, in.w)};
     },
     false},
    {"RowsMeet",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in);
       const Value least =
           ir::broadcast_in_dim(ir::reduce_max(logits, {0}), logits.shape(), {1, 2});
       return {ir::reduce_sum(logits - least, {2})};
     },
     false},
    {"RowsTurnRound",
     [](const HeadInputs& in) -> std::vector<Value> {
       return {ir::reduce_sum(ir::transpose(logits_of(in), {1, 0, 2}), {2})};
     },
     false},
    {"AnotherLayerIsBetween",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in);
       const Value down = input_gradient(logits, in.w);
       ir::DotAttributes last;
       last.lhs_contracting_dimensions = {2};
       last.rhs_contracting_dimensions = {1};
       const Value up = ir::dot_general(down, in.w, last);
       return {ir::reduce_sum(up * logits, {2})};
     },
     false},
    {"SumsLargerThanWhatIsSaved",
     [](const HeadInputs& in) -> std::vector<Value> {
       const Value logits = logits_of(in);
       return {weight_gradient(logits, logits), weight_gradient(logits, in.h)};
     },
     false},
};

ir::Module head_program(const HeadRow& row) {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  HeadInputs in{.h = b.argument({DType::f32, {head_texts, head_tokens, head_width}}),
                .w = b.argument({DType::f32, {head_words, head_width}}),
                .labels = b.argument({DType::i32, {head_texts, head_tokens}}),
                .targets = b.argument({DType::f32, {head_texts, head_tokens, head_words}}),
                .scale = b.argument({DType::f32, {}})};
  for (const Value result : row.build(in)) b.result(result);
  return module;
}

Literal head_numbers(const Shape& shape) {
  Literal numbers(DType::f32, shape);
  int next = static_cast<int>(shape.elements());
  for (float& number : numbers.mutable_data<float>()) {
    next = (next * 5 + 3) % 7;
    number = static_cast<float>(next - 3) / 4;
  }
  return numbers;
}

std::vector<Literal> head_arguments() {
  Literal labels(DType::i32, {head_texts, head_tokens});
  int32_t next = 3;
  for (int32_t& label : labels.mutable_data<int32_t>()) label = next = (next * 7 + 1) % head_words;
  return {head_numbers({head_texts, head_tokens, head_width}),
          head_numbers({head_words, head_width}), labels,
          head_numbers({head_texts, head_tokens, head_words}), Literal::scalar(0.25f)};
}

bool has_loop(const ir::Module& module) {
  const auto& ops = module.main().body.ops;
  return std::any_of(ops.begin(), ops.end(),
                     [](const ir::Op& op) { return op.code == OpCode::while_; });
}

// Products of the words of all rows outside of the loop.
bool stores_product(const ir::Module& module) {
  const ir::Function& main = module.main();
  return std::any_of(main.body.ops.begin(), main.body.ops.end(), [&](const ir::Op& op) {
    return op.code == OpCode::dot_general &&
           main.type(op.results[0]).shape == Shape{head_texts, head_tokens, head_words};
  });
}

class TileRows : public ::testing::TestWithParam<HeadRow> {};
TEST_P(TileRows, GivesTheSame) {
  const ir::Module before = head_program(GetParam());
  ir::Module after = before;
  cpu::tile_rows(after, small_tiles);
  ir::verify(after);
  EXPECT_EQ(has_loop(after), GetParam().tiled);
  EXPECT_EQ(stores_product(after), !GetParam().tiled);
  const std::vector<Literal> wanted = interpreter::evaluate(before, head_arguments());
  const std::vector<Literal> got = interpreter::evaluate(after, head_arguments());
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    for (int64_t k = 0; k < wanted[i].size(); ++k) {
      // A sum of 96 numbers below 8, in another order.
      EXPECT_NEAR(got[i].number_at(k), wanted[i].number_at(k), 96 * 8 * 6e-8) << i << " " << k;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, TileRows, ::testing::ValuesIn(head_rows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TileRowsLimits, SmallProductsStay) {
  ir::Module module = head_program(head_rows[0]);
  cpu::tile_rows(module);
  EXPECT_FALSE(has_loop(module));
}

}  // namespace
}  // namespace systolic
