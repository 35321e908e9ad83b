// Rules of the ops between cores, of control flow that holds them, and of sums over cores, against
// the interpreter's lockstep run of the cores, for every placement of the arguments.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/passes/stack/stack_cores.h"
#include "systolic/passes/stack/test_rows.h"

namespace systolic {
namespace {

using namespace stacking;

const CollectiveAttributes pairs{{{2, 0}, {1, 3}}, 0, false};
const CollectiveAttributes reversed{{{3, 2, 1, 0}}, 0, false};

const std::vector<Row> collective_rows{
    {"all_reduce",
     {f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{all_reduce(x[0], OpCode::add), all_reduce(x[0], OpCode::maximum),
                     all_reduce(x[0], OpCode::multiply), all_reduce(x[0], OpCode::add, pairs)};
     }},
    {"all_reduce in groups of different sizes",
     {f32({2})},
     [](Builder&, Arguments x) {
       return Values{all_reduce(x[0], OpCode::add, {{{2}, {1, 3, 0}}, 0, false})};
     }},
    {"all_reduce along the axes of a mesh",
     {f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{all_reduce(x[0], OpCode::add, {{{0, 1}, {2, 3}}, 0, false}),
                     all_reduce(x[0], OpCode::maximum, {{{1, 3}, {0, 2}}, 0, false}),
                     all_reduce(x[0], OpCode::add, {{{0, 3}, {1, 2}}, 0, false})};
     }},
    {"all_reduce of flags",
     {{DType::pred, {3}}},
     [](Builder&, Arguments x) {
       return Values{all_reduce(x[0], OpCode::or_), all_reduce(x[0], OpCode::and_),
                     all_reduce(x[0], OpCode::add)};
     }},
    {"all_reduce with a region of its own",
     {f32({2}), f32({})},
     [](Builder& b, Arguments x) {
       const std::vector<Type> scalars(2, f32({}));
       std::vector<Block> regions;
       regions.push_back(
           b.region(scalars, [&](Arguments s) { return Values{s[0] + s[1] + s[0] * s[1] * 0.5}; }));
       return Values{
           b.append_one(OpCode::all_reduce, {x[0]}, CollectiveAttributes{}, std::move(regions)),
           x[1]};
     }},
    {"all_gather",
     {f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{all_gather(x[0], 1, 4), all_gather(x[0], 0, 4, reversed),
                     all_gather(x[0], 0, 2, pairs)};
     }},
    {"reduce_scatter",
     {f32({4, 3})},
     [](Builder&, Arguments x) {
       return Values{reduce_scatter(x[0], OpCode::add, 0, 4),
                     reduce_scatter(x[0], OpCode::maximum, 0, 4, reversed),
                     reduce_scatter(x[0], OpCode::add, 0, 2, pairs)};
     }},
    {"all_to_all",
     {f32({4, 3})},
     [](Builder&, Arguments x) {
       return Values{all_to_all(x[0], {0, 1, 4, {}}), all_to_all(x[0], {0, 0, 4, reversed}),
                     all_to_all(x[0], {0, 1, 2, pairs})};
     }},
    {"all_to_all from the second axis",
     {f32({3, 4})},
     [](Builder&, Arguments x) {
       return Values{all_to_all(x[0], {1, 0, 4, {}})};
     }},
    {"collective_permute",
     {f32({2})},
     [](Builder&, Arguments x) {
       return Values{collective_permute(x[0], {{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 0}),
                     collective_permute(x[0], {{{3, 1}}, 0})};
     }},
    {"collective_broadcast",
     {f32({2})},
     [](Builder& b, Arguments x) {
       const auto broadcast = [&](CollectiveAttributes a) {
         return b.append_one(OpCode::collective_broadcast, {x[0]}, std::move(a));
       };
       return Values{broadcast(reversed), broadcast({{{2, 0, 1}}, 0, false})};
     }},
};

TEST(StackCores, Collectives) { check_all(collective_rows); }

const std::vector<Row> control_rows{
    {"if",
     {{DType::pred, {}}, f32({2}), f32({2})},
     [](Builder& b, Arguments x) {
       Values results = if_else(
           x[0],
           [&] {
             return Values{x[1] + 1.0, x[2]};
           },
           [&] {
             return Values{x[1] * x[2], x[1]};
           });
       results.push_back(if_else(
           x[0], [&] { return Values{convert(replica_id(b), DType::f32)}; },
           [&] { return Values{b.filled(DType::f32, {}, 9)}; })[0]);
       return results;
     }},
    {"case",
     {i32({}), f32({2})},
     [](Builder&, Arguments x) {
       const std::vector<std::function<Values()>> branches{[&] { return Values{x[1]}; },
                                                           [&] { return Values{-x[1]}; },
                                                           [&] { return Values{x[1] * 3.0}; }};
       return switch_case(x[0] - 1.0, branches);
     }},
    {"while",
     {i32({}), i32({}), f32({2}), f32({2})},
     [](Builder&, Arguments x) {
       return while_loop(
           x.first(3), [&](Arguments s) { return compare(s[0], s[1], Direction::lt); },
           [&](Arguments s) {
             return Values{s[0] + 1.0, s[1], s[2] * x[3]};
           });
     }},
    {"collective in a loop",
     {f32({2}), f32({2})},
     [](Builder& b, Arguments x) {
       const Value zero = b.filled(DType::i32, {}, 0);
       return while_loop(
           Values{zero, x[0], x[1]}, [](Arguments s) { return compare(s[0], 3, Direction::lt); },
           [](Arguments s) {
             return Values{s[0] + 1.0, all_reduce(s[1] * 0.3, OpCode::add), s[2] + s[1]};
           });
     }},
    {"state that becomes stacked late",
     {f32({}), f32({}), f32({})},
     [](Builder& b, Arguments x) {
       const Value zero = b.filled(DType::i32, {}, 0);
       return while_loop(
           Values{zero, x[0], x[1], x[2]},
           [](Arguments s) { return compare(s[0], 4, Direction::lt); },
           [](Arguments s) {
             return Values{s[0] + 1.0, s[2] + 1.0, s[3], s[3] * 0.5};
           });
     }},
    {"loop in a branch that not all cores take",
     {f32({}), f32({})},
     [](Builder& b, Arguments x) {
       // Without the mask, a core that does not take the branch would loop for ever.
       return if_else(
           compare(x[0], 0, Direction::gt),
           [&] {
             return while_loop(
                 Values{x[1]}, [](Arguments s) { return compare(s[0], 5, Direction::lt); },
                 [&](Arguments s) { return Values{s[0] + x[0]}; });
           },
           [&] { return Values{b.filled(DType::f32, {}, 7)}; });
     }},
};

const CollectiveAttributes halves{{{0, 1}, {3, 2}}, 0, false};

Value is_in_first_half(Builder& b) {
  return compare(convert(replica_id(b), DType::i32), 2, Direction::lt);
}

const std::vector<Row> group_rows{
    {"branches that groups take",
     {f32({2})},
     [](Builder& b, Arguments x) {
       return if_else(
           is_in_first_half(b),
           [&] {
             return Values{all_reduce(x[0], OpCode::add, halves), all_gather(x[0], 0, 2, halves)};
           },
           [&] {
             return Values{collective_permute(x[0], {{{2, 3}, {3, 2}}, 0}),
                           all_to_all(concatenate(Values{x[0], -x[0]}, 0), {0, 0, 2, halves})};
           });
     }},
    {"loop that groups leave at different times",
     {f32({2})},
     [](Builder& b, Arguments x) {
       const Value turns =
           select(is_in_first_half(b), b.filled(DType::i32, {}, 2), b.filled(DType::i32, {}, 5));
       const Values start{b.filled(DType::i32, {}, 0), x[0]};
       return while_loop(
           start, [&](Arguments s) { return compare(s[0], turns, Direction::lt); },
           [](Arguments s) {
             const Value sent = collective_permute(s[1], {{{0, 1}, {1, 0}, {2, 3}, {3, 2}}, 0});
             return Values{s[0] + 1.0, sent * 0.5 + all_reduce(s[1], OpCode::maximum, halves)};
           });
     }},
    {"collective in the condition of such a loop",
     {f32({2})},
     [](Builder& b, Arguments x) {
       const Value wide = select(broadcast_to(is_in_first_half(b), {2}), x[0] * x[0] * 20.0, x[0]);
       return while_loop(
           Values{wide},
           [](Arguments s) {
             const Value sum = all_reduce(reduce_sum(s[0] * s[0], {0}), OpCode::add, halves);
             return compare(sum, 1, Direction::gt);
           },
           [](Arguments s) { return Values{s[0] * 0.7}; });
     }},
};

TEST(StackCores, ControlOfGroups) { check_all(group_rows); }

// What the function's own test shows; here that collectives call it with their cores.
std::string split(const std::function<Value(Builder&, Arguments)>& build_value) {
  const Row row{"", {f32({})}, [&](Builder& b, Arguments x) -> Values {
                  b.location = {"train.cc", 12};
                  const Value own = x[0] + convert(replica_id(b), DType::f32);
                  return Values{build_value(b, {&own, 1})};
                }};
  const Module together = passes::stack_cores(build(row, 0)).module;
  return message_of<InvalidArgument>(
      [&] { interpreter::evaluate(together, {Literal::scalar(0.0f)}); });
}

TEST(StackCores, GroupsThatAreSplitAreAnErrorOfTheRun) {
  const std::string branch = split([](Builder&, Arguments x) {
    return if_else(
        compare(x[0], 1, Direction::gt), [&] { return Values{x[0]}; },
        [&] {
          return Values{collective_permute(x[0], {{{1, 2}}, 0})};
        })[0];
  });
  expect_parts(branch, {"cores diverge at collective_permute: core 1 comes to it, "
                        "but core 2, "});
  const std::string loop = split([](Builder&, Arguments x) {
    return while_loop(
        x, [](Arguments s) { return compare(s[0], 3, Direction::lt); },
        [](Arguments s) {
          const Value sum = all_reduce(s[0], OpCode::maximum, halves);
          return Values{s[0] + 1.0 + sum * 0.0};
        })[0];
  });
  expect_parts(loop, {"cores diverge at all_reduce: core 2 comes to it, but core 3"});
  const std::string condition = split([](Builder&, Arguments x) {
    return while_loop(
        x,
        [](Arguments s) {
          return compare(s[0] + all_reduce(s[0], OpCode::add, halves) * 0.0, 3, Direction::lt);
        },
        [](Arguments s) { return Values{s[0] + 1.0}; })[0];
  });
  expect_parts(condition,
               {"train.cc:12", "cores diverge at all_reduce", "core 2 comes to it, but core 3"});
}

TEST(StackCores, Control) { check_all(control_rows); }

// Rows that a step looked up in a table of (6, 3).
Value row_gradient(Builder& b, Value indices, Value updates) {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  return scatter(b.filled(DType::f32, {6, 3}, 0), indices, updates, a, OpCode::add);
}

const std::vector<Row> sum_rows{
    {"gradient of an embedding",
     {i32({5}), f32({5, 3}), f32({6, 3})},
     [](Builder& b, Arguments x) {
       const Value scaled = row_gradient(b, x[0], x[1]) / 4.0;
       return Values{all_reduce(scaled, OpCode::add),
                     all_reduce(row_gradient(b, x[0], x[1]) - x[2], OpCode::add)};
     }},
    {"weight gradient",
     {f32({3, 2}), f32({3, 5})},
     [](Builder&, Arguments x) {
       return Values{all_reduce(dot(transpose(x[0], {1, 0}), x[1]), OpCode::add)};
     }},
    {"scaled, converted and added",
     {f32({3, 2}), f32({3, 5}), f32({2, 5}), f32({})},
     [](Builder&, Arguments x) {
       const Value gradient = dot_general(convert(x[0], DType::bf16), convert(x[1], DType::bf16),
                                          {{}, {}, {0}, {0}, {}}, DType::f32);
       const Value scaled = gradient * broadcast_to(x[3], {2, 5}) / 4.0 - x[2];
       return Values{all_reduce(scaled, OpCode::add)};
     }},
    {"bias gradient",
     {f32({3, 2})},
     [](Builder&, Arguments x) { return Values{all_reduce(-reduce_sum(x[0], {0}), OpCode::add)}; }},
    {"gradient of a convolution's kernel",
     {f32({2, 6, 3}), f32({2, 4, 5})},
     [](Builder&, Arguments x) {
       ConvolutionAttributes a = convolution_1d();
       a.padding = {{0, 0}};
       a.input_batch_dimension = 2;  // the image's features stand as batch, its batch as features
       a.input_feature_dimension = 0;
       a.kernel_input_feature_dimension = 0;
       a.kernel_spatial_dimensions = {1};
       a.output_batch_dimension = 1;
       a.output_spatial_dimensions = {0};
       return Values{all_reduce(convolution(x[0], x[1], a), OpCode::add)};
     }},
    {"reduce_scatter of a gradient",
     {f32({3, 4}), f32({3, 2})},
     [](Builder&, Arguments x) {
       const Value gradient = dot_general(x[0], x[1], {{}, {}, {0}, {0}, {}});
       return Values{reduce_scatter(gradient, OpCode::add, 0, 4),
                     reduce_scatter(dot_general(x[0], x[1], {{}, {}, {0}, {0}, {}}), OpCode::add, 0,
                                    4, reversed)};
     }},
    {"a sum that is also read by itself",
     {f32({3, 2}), f32({3, 5})},
     [](Builder&, Arguments x) {
       const Value gradient = dot_general(x[0], x[1], {{}, {}, {0}, {0}, {}});
       return Values{all_reduce(gradient, OpCode::add), gradient};
     }},
};

TEST(StackCores, SumsOverCores) { check_all(sum_rows); }

// Each core's table is not made where only their sum is read.
TEST(StackCores, AddsTheRowsOfAllCoresToOneTable) {
  const Row row{"", {i32({5}), f32({5, 3})}, [](Builder& b, Arguments x) {
                  return Values{all_reduce(row_gradient(b, x[0], x[1]), OpCode::add)};
                }};
  const std::string text = to_text(passes::stack_cores(build(row, 3)).module);
  EXPECT_NE(text.find("6x3x"), std::string::npos) << text;
  EXPECT_EQ(text.find("4x6x3x"), std::string::npos) << text;
}

std::string divergence(const std::function<Value(Builder&, Arguments)>& build) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {"train.cc", 12};
  const Value x = b.argument({DType::f32, {}});
  b.result(build(b, {&x, 1}));
  return message_of<InvalidArgument>([&] { passes::stack_cores(module); });
}

TEST(StackCores, CoresThatMayDivergeAtACollectiveAreAnError) {
  const std::string branch = divergence([](Builder&, Arguments x) {
    return if_else(
        compare(x[0], 0, Direction::gt), [&] { return Values{all_reduce(x[0], OpCode::add)}; },
        [&] { return Values{x[0]}; })[0];
  });
  expect_parts(branch, {"cores diverge at all_reduce", "train.cc:12"});
  const std::string loop = divergence([](Builder&, Arguments x) {
    return while_loop(
        x, [](Arguments s) { return compare(s[0], 0, Direction::gt); },
        [](Arguments s) {
          return Values{reduce_sum(all_gather(reshape(s[0], {1}), 0, cores), {0})};
        })[0];
  });
  EXPECT_CONTAINS(loop, "cores diverge at all_gather");
}

}  // namespace
}  // namespace systolic
