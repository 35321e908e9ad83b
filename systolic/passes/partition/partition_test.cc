// Every rule against the interpreter's run of the whole program, for every way to cut the
// arguments.
#include "systolic/passes/partition/partition.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/passes/stack/test_rows.h"

namespace systolic {
namespace {

using namespace stacking;
using Program = stacking::Row;
using passes::no_cut;

constexpr int64_t processes = 2;

Module whole_program(const Program& row) {
  Module module;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values arguments;
  for (const Type& type : row.arguments) arguments.push_back(b.argument(type));
  for (const Value& result : row.build(b, arguments)) b.result(result);
  return module;
}

// [processes, piece...] of an array cut along an axis.
Literal pieces(const Literal& whole, int cut) {
  std::vector<std::vector<Literal>> by_process;
  for (int64_t p = 0; p < processes; ++p) {
    Module cutter;
    cutter.functions.emplace_back();
    Builder b(cutter.main(), &cutter);
    const Value x = b.argument({whole.dtype(), whole.shape()});
    Axes start(static_cast<size_t>(x.rank()), 0), limit = x.shape().to_vector();
    const auto axis = static_cast<size_t>(cut);
    limit[axis] = (p + 1) * limit[axis] / processes;
    start[axis] = p * (whole.shape()[cut] / processes);
    b.result(slice(x, start, limit));
    by_process.push_back(interpreter::evaluate(cutter, {whole}));
  }
  return interpreter::stacked(by_process, 0);
}

// All ways to cut arguments of these types.
std::vector<std::vector<int>> all_cuts(const std::vector<Type>& types) {
  std::vector<std::vector<int>> all{{}};
  for (const Type& type : types) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& cuts : all) {
      for (int axis = no_cut; axis < type.shape.rank(); ++axis) {
        if (axis != no_cut && type.shape[axis] % processes != 0) continue;
        longer.push_back(cuts);
        longer.back().push_back(axis);
      }
    }
    all = std::move(longer);
  }
  return all;
}

void check_partition(const Program& row, const std::vector<int>& cuts, std::mt19937& random) {
  const Module module = whole_program(row);
  const passes::Partitioned parts = passes::partition(module, processes, cuts);
  std::string what = str(row.name, ", cuts");
  for (const int cut : cuts) what += str(" ", cut);
  what += "\n" + to_text(parts.module);
  ASSERT_NO_THROW(verify(parts.module)) << what;
  std::vector<Literal> arguments, own;
  for (size_t i = 0; i < cuts.size(); ++i) {
    arguments.push_back(random_literal(row.arguments[i], random));
    own.push_back(cuts[i] == no_cut ? arguments.back() : pieces(arguments.back(), cuts[i]));
  }
  const std::vector<Literal> wanted = interpreter::evaluate(module, arguments);
  const std::vector<Literal> got = interpreter::evaluate(parts.module, own);
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    if (parts.result_cuts[i] != no_cut) {
      expect_close(got[i], pieces(wanted[i], parts.result_cuts[i]), what);
      continue;
    }
    for (int64_t p = 0; p < processes; ++p) expect_close(got[i].row(p), wanted[i], what);
  }
}

void check_programs(const std::vector<Program>& rows) {
  std::mt19937 random(7);
  for (const Program& row : rows) {
    for (const std::vector<int>& cuts : all_cuts(row.arguments)) {
      ASSERT_NO_THROW(check_partition(row, cuts, random)) << row.name;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Partition, Elementwise) {
  check_programs({
      {"unary and conversions",
       {f32({2, 4})},
       [](Builder&, Arguments x) {
         return Values{unary(OpCode::tanh, x[0]), unary(OpCode::is_finite, x[0]),
                       convert(x[0], DType::bf16), bitcast_convert(x[0], {DType::u8, {2, 4, 4}})};
       }},
      {"binary",
       {f32({2, 4}), f32({2, 4})},
       [](Builder& b, Arguments x) {
         return Values{x[0] * x[1] + 2.0, compare(x[0], x[1], Direction::lt),
                       x[0] + convert(b.iota({DType::i32, {2, 4}}, 0), DType::f32),
                       x[0] + convert(b.iota({DType::i32, {2, 4}}, 1), DType::f32)};
       }},
      {"clamp and select",
       {f32({}), f32({4}), {DType::pred, {}}},
       [](Builder& b, Arguments x) {
         return Values{clamp(x[0], x[1], b.filled(DType::f32, {}, 1)), select(x[2], x[1], -x[1])};
       }},
      {"barrier",
       {f32({2}), f32({3})},
       [](Builder&, Arguments x) { return optimization_barrier(x); }},
      {"broadcasts that meet a cut",
       {f32({4, 6}), f32({6}), f32({4, 1})},
       [](Builder&, Arguments x) {
         return Values{x[0] + broadcast_in_dim(x[1], {4, 6}, {1}),
                       x[0] * broadcast_in_dim(x[2], {4, 6}, {0, 1}),
                       x[0] + reshape(broadcast_in_dim(x[1], {2, 2, 6}, {2}), {4, 6}),
                       x[0] - transpose(broadcast_in_dim(x[1], {6, 4}, {0}), {1, 0})};
       }},
  });
}

TEST(Partition, Movement) {
  check_programs({
      {"broadcast, transpose, reverse, slice, pad",
       {f32({2, 4})},
       [](Builder& b, Arguments x) {
         const Value zero = b.filled(DType::f32, {}, 0);
         return Values{broadcast_in_dim(x[0], {4, 4, 2}, {2, 0}), transpose(x[0], {1, 0}),
                       reverse(x[0], {1}), slice(x[0], {0, 1}, {2, 3}, {1, 2}),
                       pad(x[0], zero, {1, 0}, {0, 0}, {0, 0})};
       }},
      {"reshapes",
       {f32({4, 2, 6})},
       [](Builder&, Arguments x) {
         return Values{
             reshape(x[0], {8, 6}),          reshape(x[0], {4, 12}), reshape(x[0], {2, 2, 1, 2, 6}),
             reshape(x[0], {1, 4, 2, 1, 6}), reshape(x[0], {48}),    reshape(x[0], {6, 8})};
       }},
      {"concatenate",
       {f32({2, 4}), f32({2, 2})},
       [](Builder&, Arguments x) { return Values{concatenate(x, 1)}; }},
      {"dynamic slices",
       {f32({6, 4}), f32({2, 4}), i32({}), i32({})},
       [](Builder&, Arguments x) {
         return Values{dynamic_slice(x[0], x.subspan(2), {3, 4}),
                       dynamic_update_slice(x[0], x[1], x.subspan(2))};
       }},
      {"sort",
       {f32({2, 4}), i32({2, 4})},
       [](Builder&, Arguments x) {
         const auto less = [](Arguments p) { return compare(p[0], p[1], Direction::lt); };
         Values results = sort(x, {0, true}, less);
         results.push_back(sort(x.first(1), {-1, true}, less)[0]);
         return results;
       }},
  });
}

TEST(Partition, Lookups) {
  check_programs({
      {"gather",
       {f32({6, 4}), i32({4, 2})},
       [](Builder&, Arguments x) {
         GatherAttributes a;
         a.offset_dims = {2};
         a.collapsed_slice_dims = {0};
         a.start_index_map = {0};
         a.index_vector_dim = 2;
         a.slice_sizes = {1, 4};
         return Values{gather(x[0], x[1], a)};
       }},
      {"gather with batching",
       {f32({2, 6, 4}), i32({2, 4, 1})},
       [](Builder&, Arguments x) {
         GatherAttributes a;
         a.offset_dims = {2};
         a.collapsed_slice_dims = {1};
         a.operand_batching_dims = {0};
         a.start_indices_batching_dims = {0};
         a.start_index_map = {1};
         a.index_vector_dim = 2;
         a.slice_sizes = {1, 1, 4};
         return Values{gather(x[0], x[1], a)};
       }},
      {"scatter that adds, and one that replaces",
       {f32({6, 4}), i32({4}), f32({4, 4})},
       [](Builder&, Arguments x) {
         ScatterAttributes a;
         a.update_window_dims = {1};
         a.inserted_window_dims = {0};
         a.scatter_dims_to_operand_dims = {0};
         a.index_vector_dim = 1;
         return Values{scatter(x[0], x[1], x[2], a, OpCode::add),
                       scatter(x[0], x[1], x[2], a, OpCode::maximum),
                       scatter(x[0], x[1], x[2], a, std::nullopt)};
       }},
  });
}

TEST(Partition, ProductsAndFolds) {
  check_programs({
      {"dots",
       {f32({4, 6}), f32({6, 2})},
       [](Builder&, Arguments x) { return Values{dot(x[0], x[1])}; }},
      {"dot with batching",
       {f32({2, 2, 4}), f32({4, 6, 2})},
       [](Builder&, Arguments x) {
         return Values{dot_general(x[0], x[1], {{1}, {2}, {2}, {0}, {}})};
       }},
      {"weight gradient",
       {f32({4, 6}), f32({4, 2})},
       [](Builder&, Arguments x) {
         return Values{dot_general(x[0], x[1], {{}, {}, {0}, {0}, {}})};
       }},
      {"convolution, and its kernel's gradient",
       {f32({2, 6, 4}), f32({3, 4, 2})},
       [](Builder&, Arguments x) { return Values{convolution(x[0], x[1], convolution_1d())}; }},
      {"folds",
       {f32({4, 6}), f32({})},
       [](Builder& b, Arguments x) {
         const Values with_start{x[0], x[1]};
         std::vector<Block> region;
         region.push_back(b.fold_region(OpCode::add, DType::f32));
         return Values{
             reduce_sum(x[0], {0}), reduce_max(x[0], {1}), reduce_sum(x[0], {0, 1}),
             reduce(x[0], OpCode::minimum, {0}),
             b.append(OpCode::reduce, with_start, AxesAttributes{{0}}, std::move(region))[0]};
       }},
      {"windows",
       {f32({2, 6, 4})},
       [](Builder&, Arguments x) {
         WindowAttributes a;
         a.window_dimensions = {1, 2, 1};
         a.window_strides = {1, 2, 1};
         return Values{reduce_window(x[0], OpCode::maximum, a),
                       select_and_scatter(x[0], slice(x[0], {0, 0, 0}, {2, 3, 4}), a)};
       }},
  });
}

TEST(Partition, Control) {
  check_programs({
      {"branches",
       {{DType::pred, {}}, f32({4, 2}), f32({4, 2})},
       [](Builder&, Arguments x) {
         return if_else(
             x[0],
             [&] {
               return Values{x[1] * 2.0, reduce_sum(x[2], {0})};
             },
             [&] {
               return Values{x[2], reduce_sum(x[1], {0})};
             });
       }},
      {"a loop that adds a cut array to zeros",
       {f32({4, 2}), f32({2, 2})},
       [](Builder& b, Arguments x) {
         const Values initial{b.filled(DType::i32, {}, 0), b.filled(DType::f32, {4, 2}, 0),
                              b.filled(DType::f32, {2}, 0)};
         Values results = while_loop(
             initial, [](Arguments s) { return compare(s[0], 3, Direction::lt); },
             [&](Arguments s) {
               return Values{s[0] + 1.0, dot(s[1], x[1]) + x[0], s[2] + reduce_sum(x[0], {0})};
             });
         return Values{results[1], results[2]};
       }},
      {"a loop in a loop, which carries what becomes cut",
       {f32({4, 2})},
       [](Builder& b, Arguments x) {
         const auto less = [](Arguments s) { return compare(s[0], 2, Direction::lt); };
         const Values initial{b.filled(DType::i32, {}, 0), b.filled(DType::f32, {4, 2}, 1)};
         return while_loop(initial, less, [&](Arguments s) {
           const Values inner{b.filled(DType::i32, {}, 0), s[1]};
           const Values turned = while_loop(inner, less, [&](Arguments t) {
             return Values{t[0] + 1.0, t[1] * x[0]};
           });
           return Values{s[0] + 1.0, turned[1]};
         });
       }},
  });
}

TEST(Partition, ARowOfBatchesIsNeverPutTogether) {
  const Program row{
      "a dense layer, its loss and its gradient",
      {f32({8, 4}), f32({4, 2}), f32({2}), f32({8, 2})},
      [](Builder&, Arguments x) {
        const Value y = unary(OpCode::tanh, dot(x[0], x[1]) + broadcast_in_dim(x[2], {8, 2}, {1}));
        const Value difference = y - x[3];
        const Value loss = reduce_sum(difference * difference, {0, 1}) / 16.0;
        const Value dy = difference * (1.0 - y * y) / 8.0;
        return Values{loss, x[1] - dot_general(x[0], dy, {{}, {}, {0}, {0}, {}}),
                      x[2] - reduce_sum(dy, {0}), y};
      }};
  std::mt19937 random(3);
  check_partition(row, {0, no_cut, no_cut, 0}, random);
  const passes::Partitioned parts =
      passes::partition(whole_program(row), 4, {0, no_cut, no_cut, 0});
  EXPECT_TRUE(parts.gathered.empty());
  EXPECT_EQ(parts.result_cuts, (std::vector<int>{no_cut, no_cut, no_cut, 0}));
  int reductions = 0;
  for_each_op(parts.module.main().body, [&](const Op& op) {
    if (op.code == OpCode::all_reduce) ++reductions;
    EXPECT_NE(op.code, OpCode::all_gather);
  });
  EXPECT_EQ(reductions, 3);
}

TEST(Partition, WhatIsGatheredIsSaid) {
  const Program row{
      "sort", {f32({4})}, [](Builder&, Arguments x) {
        return sort(x, {0, true}, [](Arguments p) { return compare(p[0], p[1], Direction::lt); });
      }};
  const passes::Partitioned parts = passes::partition(whole_program(row), 2, {0});
  ASSERT_EQ(parts.gathered.size(), 1u);
  EXPECT_EQ(parts.gathered[0].op, "sort");
  EXPECT_EQ(parts.gathered[0].bytes, 16);
}

TEST(Partition, Faults) {
  const Program row{"x", {f32({6, 4})}, [](Builder&, Arguments x) { return Values{-x[0]}; }};
  const Module module = whole_program(row);
  EXPECT_CONTAINS(error_of([&] { passes::partition(module, 4, {0}); }),
                  "argument 0  (6, 4) is cut along axis 0, expected an axis that divides by 4");
  EXPECT_CONTAINS(error_of([&] { passes::partition(module, 2, {2}); }), "is cut along axis 2");
  EXPECT_CONTAINS(error_of([&] { passes::partition(module, 2, {}); }), "the cuts of 0 arguments");
  Module per_core = module;
  per_core.num_replicas = 2;
  EXPECT_CONTAINS(error_of([&] { passes::partition(per_core, 2, {0}); }),
                  "expected a program over whole arrays");
}

TEST(Partition, CutOfASharding) {
  EXPECT_EQ(passes::cut_of({}, 2), no_cut);
  EXPECT_EQ(passes::cut_of(Sharding::along(1, 3, 8), 2), 1);
  EXPECT_EQ(passes::cut_of(Sharding::along(1, 3, 8), 3), no_cut);
}

}  // namespace
}  // namespace systolic
