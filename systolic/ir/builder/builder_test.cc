#include "systolic/ir/builder/builder.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace ir;

struct Program {
  Module module;
  Program() { module.functions.emplace_back(); }
};

TEST(Builder, AppendsOpsWithTypesLocationAndLayer) {
  Program program;
  Builder b(program.module.main());
  const Value x = b.argument({DType::f32, {8, 784}}, {.name = "x"});
  const Value w = b.argument({DType::f32, {784, 10}});
  b.location = {"model.cc", 7};
  b.layer_path = intern("mnist/dense");
  const Value y = dot(x, w) * 2.0;
  b.result(y);
  const Function& main = program.module.main();
  EXPECT_EQ(to_string(y.type()), "f32[8,10]");
  ASSERT_EQ(main.body.ops.size(), 4u);  // dot_general, constant, broadcast_in_dim, multiply
  EXPECT_EQ(main.body.ops[0].code, OpCode::dot_general);
  EXPECT_EQ(main.body.ops[0].location.line, 7);
  EXPECT_STREQ(main.body.ops[3].layer_path, "mnist/dense");
  EXPECT_EQ(main.body.ops[3].code, OpCode::multiply);
  EXPECT_EQ(main.body.results, std::vector<ValueId>{y.id()});
  EXPECT_EQ(main.arguments[0].name, "x");
}

TEST(Builder, RegionsHoldTheirOwnOpsAndSeeOuterValues) {
  Program program;
  Builder b(program.module.main());
  const Value limit = b.argument({DType::i32, {}});
  const Value zero = b.constant(Literal::scalar<int32_t>(0));
  const std::vector<Value> state{zero};
  const std::vector<Value> final_state = while_loop(
      state, [&](std::span<const Value> s) { return compare(s[0], limit, Direction::lt); },
      [&](std::span<const Value> s) { return std::vector<Value>{s[0] + 1.0}; });
  b.result(final_state[0]);
  const Block& body = program.module.main().body;
  ASSERT_EQ(body.ops.size(), 2u);
  const Op& loop = body.ops[1];
  ASSERT_EQ(loop.regions.size(), 2u);
  EXPECT_EQ(loop.regions[0].ops.back().code, OpCode::compare);
  EXPECT_EQ(loop.regions[0].ops.back().operands[1], limit.id());
  EXPECT_EQ(loop.regions[1].ops.size(), 2u);
}

TEST(Builder, PointsBackAtItsBlockAfterARegionThatThrows) {
  Program program;
  Builder b(program.module.main());
  const Value predicate = b.argument({DType::pred, {}});
  EXPECT_THROW(if_else(
                   predicate, []() -> std::vector<Value> { raise<NotFound>({.what = "x"}); },
                   []() { return std::vector<Value>{}; }),
               NotFound);
  b.constant(Literal::scalar(1.0f));
  EXPECT_EQ(program.module.main().body.ops.size(), 1u);
}

TEST(Builder, RefusesValuesOfOtherFunctionsAndEmptyOnes) {
  Program one, two;
  Builder a(one.module.main()), b(two.module.main());
  const Value x = a.argument({DType::f32, {2}}), y = b.argument({DType::f32, {2}});
  EXPECT_THROW(x + y, InvalidArgument);
  EXPECT_THROW(x + Value(), InvalidArgument);
}

struct TypeCase {
  const char* name;
  const char* wanted;
  std::function<Value(Builder&)> build;
};

Value argument(Builder& b, DType dtype, Shape shape) { return b.argument({dtype, shape}); }

WindowAttributes window(Axes sizes, Axes strides) { return {sizes, strides, {}, {}, {}}; }

const std::vector<TypeCase> type_cases{
    {"broadcast_to", "f32[4,2,3]",
     [](Builder& b) {
       return broadcast_to(argument(b, DType::f32, {2, 3}), {4, 2, 3});
     }},
    {"filled", "bf16[2,2]",
     [](Builder& b) {
       return b.filled(DType::bf16, {2, 2}, 0.5);
     }},
    {"iota", "i32[3,4]",
     [](Builder& b) {
       return b.iota({DType::i32, {3, 4}}, 1);
     }},
    {"abs of complex", "f32[2]",
     [](Builder& b) { return unary(OpCode::abs, argument(b, DType::c64, {2})); }},
    {"is_finite", "pred[2]",
     [](Builder& b) { return unary(OpCode::is_finite, argument(b, DType::f32, {2})); }},
    {"bitcast to narrower", "u8[2,4]",
     [](Builder& b) {
       return bitcast_convert(argument(b, DType::f32, {2}), {DType::u8, {2, 4}});
     }},
    {"bitcast to wider", "f32[2]",
     [](Builder& b) {
       return bitcast_convert(argument(b, DType::u8, {2, 4}), {DType::f32, {2}});
     }},
    {"slice with stride", "f32[3]",
     [](Builder& b) { return slice(argument(b, DType::f32, {7}), {1}, {7}, {2}); }},
    {"pad", "f32[8]",
     [](Builder& b) {
       const Value zero = b.constant(Literal::scalar(0.0f));
       return pad(argument(b, DType::f32, {3}), zero, {1}, {2}, {1});
     }},
    {"transpose", "f32[4,2,3]",
     [](Builder& b) {
       return transpose(argument(b, DType::f32, {2, 3, 4}), {2, 0, 1});
     }},
    {"concatenate", "f32[2,7]",
     [](Builder& b) {
       const std::vector<Value> parts{argument(b, DType::f32, {2, 3}),
                                      argument(b, DType::f32, {2, 4})};
       return concatenate(parts, 1);
     }},
    {"dot_general with batching", "f32[5,2,4]",
     [](Builder& b) {
       return dot_general(argument(b, DType::bf16, {5, 2, 3}), argument(b, DType::bf16, {5, 3, 4}),
                          {{0}, {0}, {2}, {1}, {}}, DType::f32);
     }},
    {"reduce_sum", "f32[3]",
     [](Builder& b) {
       return reduce_sum(argument(b, DType::f32, {2, 3, 4}), {0, 2});
     }},
    {"max pooling", "f32[1,2,2,3]",
     [](Builder& b) {
       return reduce_window(argument(b, DType::f32, {1, 4, 4, 3}), OpCode::maximum,
                            window({1, 2, 2, 1}, {1, 2, 2, 1}));
     }},
    {"select_and_scatter", "f32[4]",
     [](Builder& b) {
       return select_and_scatter(argument(b, DType::f32, {4}), argument(b, DType::f32, {2}),
                                 window({2}, {2}));
     }},
    {"gather rows", "f32[5,3]",
     [](Builder& b) {
       GatherAttributes a;
       a.offset_dims = {1};
       a.collapsed_slice_dims = {0};
       a.start_index_map = {0};
       a.index_vector_dim = 1;
       a.slice_sizes = {1, 3};
       return gather(argument(b, DType::f32, {10, 3}), argument(b, DType::i32, {5}), a);
     }},
    {"scatter rows", "f32[10,3]",
     [](Builder& b) {
       ScatterAttributes a;
       a.update_window_dims = {1};
       a.inserted_window_dims = {0};
       a.scatter_dims_to_operand_dims = {0};
       a.index_vector_dim = 1;
       return scatter(argument(b, DType::f32, {10, 3}), argument(b, DType::i32, {5}),
                      argument(b, DType::f32, {5, 3}), a, OpCode::add);
     }},
    {"sort", "f32[5]",
     [](Builder& b) {
       const std::vector<Value> arrays{argument(b, DType::f32, {5})};
       return sort(arrays, {0, true},
                   [](std::span<const Value> p) { return compare(p[0], p[1], Direction::lt); })[0];
     }},
    {"rng bits", "u32[4]",
     [](Builder& b) {
       return rng_bit_generator(argument(b, DType::u64, {2}), {DType::u32, {4}},
                                RngAlgorithm::three_fry)
           .second;
     }},
    {"all_gather", "f32[8,3]",
     [](Builder& b) {
       return all_gather(argument(b, DType::f32, {2, 3}), 0, 4);
     }},
    {"reduce_scatter", "f32[2,3]",
     [](Builder& b) {
       return reduce_scatter(argument(b, DType::f32, {8, 3}), OpCode::add, 0, 4);
     }},
    {"all_to_all", "f32[2,12]",
     [](Builder& b) {
       return all_to_all(argument(b, DType::f32, {8, 3}), {0, 1, 4, {}});
     }},
    {"convolution", "f32[2,3,3,8]",
     [](Builder& b) {
       ConvolutionAttributes a = channels_last_convolution(2);
       a.window_strides = {2, 2};
       a.padding = {{1, 1}, {1, 1}};
       return convolution(argument(b, DType::f32, {2, 5, 5, 4}),
                          argument(b, DType::f32, {3, 3, 4, 8}), a);
     }},
};

TEST(Builder, InfersTheTypesOfItsShorthands) {
  for (const TypeCase& row : type_cases) {
    Program program;
    Builder b(program.module.main());
    EXPECT_EQ(to_string(row.build(b).type()), row.wanted) << row.name;
  }
}

TEST(Builder, FoldIdentities) {
  EXPECT_EQ(fold_identity(OpCode::maximum, DType::i8).integer_at(0), -128);
  EXPECT_EQ(fold_identity(OpCode::minimum, DType::u16).integer_at(0), 65535);
  EXPECT_EQ(fold_identity(OpCode::maximum, DType::bf16).number_at(0), -INFINITY);
  EXPECT_EQ(fold_identity(OpCode::and_, DType::i32).integer_at(0), -1);
  EXPECT_EQ(fold_identity(OpCode::and_, DType::pred).integer_at(0), 1);
  EXPECT_EQ(fold_identity(OpCode::add, DType::f32).number_at(0), 0);
  EXPECT_THROW(fold_identity(OpCode::divide, DType::f32), InvalidArgument);
}

}  // namespace
}  // namespace systolic
