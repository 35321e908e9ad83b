// Movement, contractions, folds, random bits and control on small arrays with results by hand.
#include <gtest/gtest.h>

#include "backends/interpreter/test_program.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;

Literal f32(const std::vector<float>& values, Shape shape) { return Literal::from(values, shape); }
Literal i32(const std::vector<int32_t>& values, Shape shape) {
  return Literal::from(values, shape);
}
struct Row {
  const char* name;
  std::vector<Literal> arguments;
  std::function<Value(Builder&, std::span<const Value>)> build;
  std::vector<double> wanted;
};

using Arguments = std::span<const Value>;

const std::vector<Row> rows{
    {"iota",
     {},
     [](Builder& b, Arguments) {
       return b.iota({DType::bf16, {2, 3}}, 1);
     },
     {0, 1, 2, 0, 1, 2}},
    {"broadcast_in_dim",
     {counting({2, 1})},
     [](Builder&, Arguments x) {
       return broadcast_in_dim(x[0], {3, 2}, {1, 0});
     },
     {0, 1, 0, 1, 0, 1}},
    {"concatenate",
     {counting({2, 1}), counting({2, 2})},
     [](Builder&, Arguments x) { return concatenate(x, 1); },
     {0, 0, 1, 1, 2, 3}},
    {"dynamic_slice clamps",
     {counting({5}), i32({9}, {})},
     [](Builder&, Arguments x) { return dynamic_slice(x[0], x.subspan(1), {2}); },
     {3, 4}},
    {"dynamic_update_slice clamps",
     {counting({4}), f32({8, 9}, {2}), i32({-3}, {})},
     [](Builder&, Arguments x) { return dynamic_update_slice(x[0], x[1], x.subspan(2)); },
     {8, 9, 2, 3}},
    {"pad, interior and negative",
     {counting({3}), f32({7}, {})},
     [](Builder&, Arguments x) { return pad(x[0], x[1], {1}, {-1}, {1}); },
     {7, 0, 7, 1, 7}},
    {"reverse",
     {counting({2, 2})},
     [](Builder&, Arguments x) { return reverse(x[0], {1}); },
     {1, 0, 3, 2}},
    {"slice",
     {counting({7})},
     [](Builder&, Arguments x) { return slice(x[0], {1}, {7}, {2}); },
     {1, 3, 5}},
    {"transpose",
     {counting({2, 3})},
     [](Builder&, Arguments x) {
       return transpose(x[0], {1, 0});
     },
     {0, 3, 1, 4, 2, 5}},
    {"gather clamps",
     {counting({3, 2}), i32({2, 0, 9}, {3})},
     [](Builder&, Arguments x) {
       GatherAttributes a;
       a.offset_dims = {1};
       a.collapsed_slice_dims = {0};
       a.start_index_map = {0};
       a.index_vector_dim = 1;
       a.slice_sizes = {1, 2};
       return gather(x[0], x[1], a);
     },
     {4, 5, 0, 1, 4, 5}},
    {"gather with batching",
     {counting({2, 3}), i32({2, 0}, {2})},
     [](Builder&, Arguments x) {
       GatherAttributes a;
       a.collapsed_slice_dims = {1};
       a.operand_batching_dims = {0};
       a.start_indices_batching_dims = {0};
       a.start_index_map = {1};
       a.index_vector_dim = 1;
       a.slice_sizes = {1, 1};
       return gather(x[0], x[1], a);
     },
     {2, 3}},
    {"scatter adds and drops what is outside",
     {counting({3, 2}), i32({2, 2, 9}, {3}), f32({1, 2, 3, 4, 5, 6}, {3, 2})},
     [](Builder&, Arguments x) {
       ScatterAttributes a;
       a.update_window_dims = {1};
       a.inserted_window_dims = {0};
       a.scatter_dims_to_operand_dims = {0};
       a.index_vector_dim = 1;
       return scatter(x[0], x[1], x[2], a, OpCode::add);
     },
     {0, 1, 2, 3, 8, 11}},
    {"scatter drops windows that lie partly outside",
     {counting({3}), i32({2, -1, 1, 0}, {4, 1}), f32({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})},
     [](Builder&, Arguments x) {
       ScatterAttributes a;
       a.update_window_dims = {1};
       a.scatter_dims_to_operand_dims = {0};
       a.index_vector_dim = 1;
       return scatter(x[0], x[1], x[2], a, OpCode::add);
     },
     {7, 1 + 8 + 5, 2 + 6}},
    {"scatter replaces, with batching",
     {counting({2, 3}), i32({2, 0}, {2, 1}), f32({7, 8}, {2})},
     [](Builder&, Arguments x) {
       ScatterAttributes a;
       a.inserted_window_dims = {1};
       a.input_batching_dims = {0};
       a.scatter_indices_batching_dims = {0};
       a.scatter_dims_to_operand_dims = {1};
       a.index_vector_dim = 1;
       return scatter(x[0], x[1], x[2], a, std::nullopt);
     },
     {0, 1, 7, 8, 4, 5}},
    {"sort by key",
     {f32({3, 1, 2, 1}, {4}), i32({0, 1, 2, 3}, {4})},
     [](Builder&, Arguments x) {
       return sort(x, {0, true}, [](Arguments p) { return compare(p[0], p[1], Direction::lt); })[1];
     },
     {1, 3, 2, 0}},
    {"dot",
     {counting({2, 2}), counting({2, 2})},
     [](Builder&, Arguments x) { return dot(x[0], x[1]); },
     {2, 3, 6, 11}},
    {"dot_general with batching and two contracted axes",
     {counting({2, 2, 2}), counting({2, 2, 2})},
     [](Builder&, Arguments x) {
       return dot_general(x[0], x[1], {{0}, {0}, {1, 2}, {2, 1}, {}});
     },
     {0 * 0 + 1 * 2 + 2 * 1 + 3 * 3, 4 * 4 + 5 * 6 + 6 * 5 + 7 * 7}},
    {"dot of bf16 into f32",
     {f32({256, 1}, {1, 2}), f32({1, 1}, {2, 1})},
     [](Builder&, Arguments x) {
       return dot_general(convert(x[0], DType::bf16), convert(x[1], DType::bf16),
                          {{}, {}, {1}, {0}, {}}, DType::f32);
     },
     {257}},
    {"reduce",
     {counting({2, 3})},
     [](Builder&, Arguments x) { return reduce_sum(x[0], {1}); },
     {3, 12}},
    {"reduce with a region of several ops",
     {counting({4})},
     [](Builder& b, Arguments x) {
       const std::vector<Type> scalars(2, Type{DType::f32, {}});
       std::vector<Block> regions;
       regions.push_back(b.region(scalars, [](Arguments s) { return Values{s[0] + s[1] * s[1]}; }));
       return b.append_one(OpCode::reduce, {x[0], b.filled(DType::f32, {}, 1)}, AxesAttributes{{0}},
                           std::move(regions));
     },
     {15}},
    {"max pooling",
     {counting({4, 4})},
     [](Builder&, Arguments x) {
       return reduce_window(x[0], OpCode::maximum, {{2, 2}, {2, 2}, {}, {}, {}});
     },
     {5, 7, 13, 15}},
    {"reduce_window with padding and dilations",
     {counting({3})},
     [](Builder&, Arguments x) {
       return reduce_window(x[0], OpCode::add, {{2}, {1}, {2}, {2}, {{1, 0}}});
     },
     {0, 1, 0, 3}},  // padded and dilated: _ 0 _ 1 _ 2; windows of two, two apart
    {"select_and_scatter",
     {f32({1, 5, 2, 7}, {4}), f32({10, 20}, {2})},
     [](Builder&, Arguments x) {
       return select_and_scatter(x[0], x[1], {{2}, {2}, {}, {}, {}});
     },
     {0, 10, 0, 20}},
};

TEST(InterpreterKernels, SmallArraysByHand) {
  for (const Row& row : rows) {
    const auto got = run_program(row.arguments,
                                 [&](Builder& b, Arguments x) { return Values{row.build(b, x)}; });
    EXPECT_EQ(numbers(got[0]), row.wanted) << row.name;
  }
}

struct ConvolutionRow {
  const char* name;
  Shape input, kernel;
  std::function<void(ConvolutionAttributes&)> change;
  std::vector<double> wanted;
};

const std::vector<ConvolutionRow> convolution_rows{
    {"plain", {1, 4, 1}, {2, 1, 1}, [](ConvolutionAttributes&) {}, {1, 2, 3}},
    {"reversed",
     {1, 4, 1},
     {2, 1, 1},
     [](ConvolutionAttributes& a) { a.window_reversal = {true}; },
     {0, 1, 2}},
    {"stride and padding",
     {1, 4, 1},
     {2, 1, 1},
     [](ConvolutionAttributes& a) {
       a.window_strides = {2};
       a.padding = {{1, 1}};
     },
     {0, 2, 0}},
    {"input dilation",
     {1, 3, 1},
     {2, 1, 1},
     [](ConvolutionAttributes& a) { a.lhs_dilation = {2}; },
     {0, 1, 0, 2}},
    {"kernel dilation",
     {1, 4, 1},
     {2, 1, 1},
     [](ConvolutionAttributes& a) { a.rhs_dilation = {3}; },
     {3}},
    {"feature groups",
     {1, 1, 2},
     {1, 1, 2},
     [](ConvolutionAttributes& a) { a.feature_group_count = 2; },
     {0, 1}},
    {"batch groups",
     {2, 1, 1},
     {1, 1, 2},
     [](ConvolutionAttributes& a) { a.batch_group_count = 2; },
     {0, 1}},
    {"two features", {1, 1, 2}, {1, 2, 2}, [](ConvolutionAttributes&) {}, {2, 3}},
};

TEST(InterpreterKernels, Convolutions) {
  for (const ConvolutionRow& row : convolution_rows) {
    ConvolutionAttributes a = channels_last_convolution(1);
    row.change(a);
    const auto got =
        run_program({counting(row.input), counting(row.kernel)},
                    [&](Builder&, Arguments x) { return Values{convolution(x[0], x[1], a)}; });
    EXPECT_EQ(numbers(got[0]), row.wanted) << row.name;
  }
}

struct RandomRow {
  RngAlgorithm algorithm;
  std::vector<uint64_t> state;
  Type bits;
  std::vector<uint64_t> next_state, wanted;
};

// Recorded from XLA (jax.lax.rng_bit_generator of jax 0.10.2 on its CPU backend).
const std::vector<RandomRow> random_rows{
    {RngAlgorithm::three_fry, {1, 2}, {DType::u32, {}}, {1, 3}, {43444564}},
    {RngAlgorithm::three_fry,
     {1, 2},
     {DType::u32, {5}},
     {1, 5},
     {43444564, 2150618427, 3979645651, 3745730563, 1672743891}},
    {RngAlgorithm::three_fry,
     {1, 2},
     {DType::u32, {3, 2}},
     {1, 5},
     {43444564, 2150618427, 3979645651, 3745730563, 1672743891, 4240503393}},
    {RngAlgorithm::three_fry,
     {1, 2},
     {DType::u64, {3}},
     {1, 5},
     {9236835810183407956u, 16087790271692313299u, 18212823393184779219u}},
    {RngAlgorithm::three_fry, {1, 2}, {DType::u8, {3}}, {1, 4}, {84, 59, 211}},
    {RngAlgorithm::three_fry,
     {1, 2},
     {DType::u16, {3, 3}},
     {1, 8},
     {59732, 37587, 3027, 54587, 20483, 62049, 7520, 49325, 23063}},
    {RngAlgorithm::philox,
     {1, 2},
     {DType::u32, {5}},
     {1, 4},
     {2100602697, 2847456232, 2074354647, 800269529, 1828267006}},
    {RngAlgorithm::philox,
     {1, 2},
     {DType::u64, {3}},
     {1, 4},
     {12229731395331991369u, 3437131457114678231u, 13465615291114923006u}},
    {RngAlgorithm::philox, {1, 2}, {DType::u8, {3}}, {1, 3}, {73, 232, 215}},
};

TEST(InterpreterKernels, RandomBitsAreXlas) {
  for (const RandomRow& row : random_rows) {
    const Literal state = Literal::from(row.state, {static_cast<int64_t>(row.state.size())});
    const auto got = run_program({state}, [&](Builder&, Arguments x) {
      const auto [next, bits] = rng_bit_generator(x[0], row.bits, row.algorithm);
      return Values{next, bits};
    });
    const Literal next = got[0], bits = got[1].convert(DType::u64);
    EXPECT_TRUE(
        std::equal(row.next_state.begin(), row.next_state.end(), next.data<uint64_t>().begin()));
    EXPECT_TRUE(std::equal(row.wanted.begin(), row.wanted.end(), bits.data<uint64_t>().begin()))
        << to_string(row.bits);
  }
}

TEST(InterpreterKernels, PhiloxCounterCarries) {
  const Literal state = Literal::of<uint64_t>({7, ~0ull, 5});
  const auto both = run_program({state}, [](Builder&, Arguments x) {
    const auto [next, bits] = rng_bit_generator(x[0], {DType::u32, {8}}, RngAlgorithm::philox);
    return Values{next, bits};
  });
  EXPECT_EQ(both[0], Literal::of<uint64_t>({7, 1, 6}));
  const auto second = run_program({Literal::of<uint64_t>({7, 0, 6})}, [](Builder&, Arguments x) {
    return Values{rng_bit_generator(x[0], {DType::u32, {4}}, RngAlgorithm::philox).second};
  });
  EXPECT_TRUE(std::equal(second[0].data<uint32_t>().begin(), second[0].data<uint32_t>().end(),
                         both[1].data<uint32_t>().begin() + 4));
}

TEST(InterpreterControl, WhileIfCaseAndCall) {
  const auto got = run_program({i32({5}, {}), f32({1}, {})}, [](Builder& b, Arguments x) {
    const Value zero = b.constant(Literal::scalar<int32_t>(0));
    const Value doubled = while_loop(
        Values{zero, x[1]}, [&](Arguments s) { return compare(s[0], x[0], Direction::lt); },
        [](Arguments s) {
          return Values{s[0] + 1.0, s[1] * 2.0};
        })[1];
    const Value large = compare(doubled, 16, Direction::gt);
    const Value chosen = if_else(
        large, [&] { return Values{-doubled}; }, [&] { return Values{doubled}; })[0];
    const std::vector<std::function<Values()>> branches{[&] { return Values{zero}; },
                                                        [&] { return Values{x[0] + 2.0}; }};
    return Values{doubled, chosen, switch_case(x[0], branches)[0],
                  optimization_barrier(Values{chosen})[0]};
  });
  EXPECT_EQ(got[0].item<float>(), 32);
  EXPECT_EQ(got[1].item<float>(), -32);
  EXPECT_EQ(got[2].item<int32_t>(), 7);  // out of range: the last branch
  EXPECT_EQ(got[3].item<float>(), -32);
}

// A loop that never ends, for programs of strangers.
TEST(InterpreterControl, RunsNoMoreOpsThanItMay) {
  Module module;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::i32, {}});
  b.result(while_loop(
      Values{x}, [](Arguments s) { return compare(s[0], s[0], Direction::eq); },
      [](Arguments s) { return Values{s[0] + 1.0}; })[0]);
  const std::vector<Literal> zero = {Literal::scalar<int32_t>(0)};
  EXPECT_THROW(interpreter::evaluate(module, zero, {.most_ops = 1000}), ResourceExhausted);
}

TEST(InterpreterControl, WrongArgumentsAreNamed) {
  Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  b.result(-b.argument({DType::f32, {2}}, {.name = "x"}));
  try {
    interpreter::evaluate(module, {counting({3})});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("argument 0 'x'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(interpreter::evaluate(module, {}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
