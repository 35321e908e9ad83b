// Weights in f32 whose rounding to bf16 the products that read them do as they pack them.
#include <gtest/gtest.h>

#include <iterator>
#include <span>
#include <string>

#include "backends/cpu/kernels/amx/amx.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

// Weights [heads, inner, wide], and this many rows, which are a batch of lengths.
constexpr int64_t heads = 4, inner = 16, wide = 96, batch = 8, length = 64;
constexpr int64_t rows = batch * length;
// Sums of products of these, rounded to small whole numbers, and of weights between 3/4 and 5/4,
// which lose bits when they are rounded, are exact in f32, in any order.
constexpr Numbers numbers{0.75, 1.25};

Value whole(Builder& b, const Shape& shape) {
  return ir::unary(OpCode::floor, b.argument({DType::bf16, shape}) * 8.0) - 8.0;
}
Value rounded(Value weights) { return ir::convert(weights, DType::bf16); }
Value tall(Value x, Value weights) {
  return ir::dot_general(x, weights, {{}, {}, {1, 2}, {0, 1}}, DType::f32);
}

enum class Reader { tall, turned, few_rows, copied_rows, first_operand, elementwise, in_loop };
constexpr Reader readers[] = {Reader::tall,         Reader::turned,      Reader::few_rows,
                              Reader::copied_rows,  Reader::elementwise, Reader::in_loop,
                              Reader::first_operand};

std::string to_string(Reader reader) {
  constexpr const char* names[] = {"tall",          "turned",      "few rows", "copied rows",
                                   "first operand", "elementwise", "in a loop"};
  return names[static_cast<int>(reader)];
}

Value in_loop(Builder& b, Value weights) {
  const Value x = whole(b, {rows, heads, inner});
  const Value initial[] = {b.filled(DType::i32, {}, 0), tall(x, weights), x};
  const auto less = [](std::span<const Value> state) {
    return ir::compare(state[0], 2, ir::Direction::lt);
  };
  const auto once = [&](std::span<const Value> state) {
    const Value half = state[2] * 0.5;
    return std::vector<Value>{state[0] + 1.0, state[1] + tall(half, weights), half};
  };
  return ir::while_loop(initial, less, once)[1];
}

Value read(Builder& b, Value weights, Reader reader) {
  switch (reader) {
    case Reader::tall:
      return tall(whole(b, {rows, heads, inner}), weights);
    case Reader::turned:
      return ir::dot_general(whole(b, {rows, wide}), weights, {{}, {}, {1}, {2}}, DType::f32);
    case Reader::few_rows:
      return tall(whole(b, {8, heads, inner}), weights);
    case Reader::copied_rows: {  // what attention gives: its rows have no common stride
      const Value x =
          ir::transpose(b.argument({DType::bf16, {batch, heads, length, inner}}), {0, 2, 1, 3});
      return ir::dot_general(x, weights, {{}, {}, {2, 3}, {0, 1}}, DType::f32);
    }
    case Reader::first_operand:
      return ir::dot_general(weights, whole(b, {rows, wide}), {{}, {}, {2}, {1}}, DType::f32);
    case Reader::elementwise:
      return ir::convert(weights, DType::f32) * 3.0;
    default:
      return in_loop(b, weights);
  }
}

ir::Module read_by(Reader first, Reader second) {
  return make_module([&](Builder& b) {
    const Value weights = rounded(b.argument({DType::f32, {heads, inner, wide}}));
    b.result(read(b, weights, first));
    b.result(read(b, weights, second));
  });
}

// Rows that are copied hold what is not a whole number, of which sums are rounded.
double tolerance(Reader first, Reader second) {
  return first == Reader::copied_rows || second == Reader::copied_rows ? 8 : 0;
}

// Each two readers, in one order.
TEST(RoundedOperand, IsThatOfTheInterpreter) {
  for (const Reader& first : readers) {
    for (const Reader& second : std::span(&first, std::end(readers))) {
      expect_same(read_by(first, second), tolerance(first, second),
                  to_string(first) + ", " + to_string(second), numbers);
    }
  }
}

// A step of training: the weights' memory is given to the new ones, which a product that comes
// later must not read.
TEST(RoundedOperand, IsThatOfTheWeightsBeforeTheyAreWrittenOver) {
  expect_same(make_module([](Builder& b) {
                const Value w = b.argument({DType::f32, {heads, inner, wide}},
                                           {.name = "w", .aliases_result = 0});
                const Value weights = rounded(w);
                const Value y = read(b, weights, Reader::tall);
                b.result(w * 0.5);
                b.result(y);
                b.result(read(b, weights, Reader::turned));
              }),
              0, "donated", numbers);
}

TEST(RoundedOperand, IsThatOfEachRoundOfALoop) {
  expect_same(make_module([](Builder& b) {
                const Value x = whole(b, {rows, heads, inner});
                const Value w = b.argument({DType::f32, {heads, inner, wide}});
                const Value initial[] = {b.filled(DType::i32, {}, 0), w, tall(x, rounded(w))};
                const auto less = [](std::span<const Value> state) {
                  return ir::compare(state[0], 3, ir::Direction::lt);
                };
                const auto once = [&](std::span<const Value> state) {
                  const Value y = tall(x, rounded(state[1]));
                  return std::vector<Value>{state[0] + 1.0, state[1] * 0.5, state[2] + y};
                };
                b.result(ir::while_loop(initial, less, once)[2]);
              }),
              0, "carried", numbers);
}

TEST(RoundedOperand, MayBeWhatScattersSum) {
  expect_same(make_module([](Builder& b) {
                const Value ids = b.argument({DType::i32, {8, 1}});
                const Value sums = ir::scatter(b.filled(DType::f32, {64, wide}, 0), ids,
                                               b.argument({DType::f32, {8, wide}}),
                                               {.update_window_dims = {1},
                                                .inserted_window_dims = {0},
                                                .scatter_dims_to_operand_dims = {0},
                                                .index_vector_dim = 1},
                                               OpCode::add);
                b.result(ir::dot_general(whole(b, {rows, 64}), ir::convert(sums, DType::bf16),
                                         {{}, {}, {1}, {0}}, DType::f32));
              }),
              8, "scattered", numbers);
}

// As in attention whose values are rounded after a transpose: matrices in groups.
TEST(RoundedOperand, MayBeOfABatch) {
  for (const int64_t to : {int64_t{64}, rows}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = whole(b, {2, heads, to, length});
                  const Value v = b.argument({DType::f32, {2, length, heads, inner}});
                  const Value turned = rounded(ir::transpose(v, {0, 2, 1, 3}));
                  b.result(ir::dot_general(x, turned, {{0, 1}, {0, 1}, {3}, {2}}, DType::f32));
                }),
                0, "batch", numbers);
  }
}

TEST(RoundedOperand, IsStoredWhereAReaderCannotRoundIt) {
  if (!kernels::amx::is_available()) GTEST_SKIP() << "this processor has no matrix unit";
  const auto stores = [](Reader first, Reader second) {
    return plan_summary(2, read_by(first, second)).text.find("fused(convert)") != std::string::npos;
  };
  EXPECT_FALSE(stores(Reader::tall, Reader::turned));
  for (Reader other :
       {Reader::few_rows, Reader::copied_rows, Reader::first_operand, Reader::in_loop}) {
    EXPECT_TRUE(stores(Reader::tall, other)) << to_string(other);
    EXPECT_TRUE(stores(other, Reader::tall)) << to_string(other);
  }
}

}  // namespace
}  // namespace systolic
