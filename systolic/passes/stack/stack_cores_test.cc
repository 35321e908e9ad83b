// Every rule of ops within a core against the interpreter's lockstep run of the cores, for every
// placement of the arguments; stack_collective_test.cc has the ops between cores.
#include "systolic/passes/stack/stack_cores.h"

#include <gtest/gtest.h>

#include "systolic/passes/stack/test_rows.h"

namespace systolic {
namespace {

using namespace stacking;

const std::vector<Row> elementwise_rows{
    {"unary",
     {f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{unary(OpCode::tanh, x[0]), unary(OpCode::is_finite, x[0]),
                     convert(x[0], DType::bf16), bitcast_convert(x[0], {DType::u8, {2, 3, 4}})};
     }},
    {"binary",
     {f32({2, 3}), f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{x[0] * x[1], compare(x[0], x[1], Direction::lt),
                     binary(OpCode::complex, x[0], x[1])};
     }},
    {"clamp and select with scalars",
     {f32({}), f32({3}), {DType::pred, {}}},
     [](Builder& b, Arguments x) {
       const Value high = b.filled(DType::f32, {}, 1);
       return Values{clamp(x[0], x[1], high), select(x[2], x[1], -x[1])};
     }},
    {"clamp and select with arrays",
     {f32({3}), f32({3}), {DType::pred, {3}}},
     [](Builder& b, Arguments x) {
       return Values{clamp(x[0], x[1], b.filled(DType::f32, {}, 1)), select(x[2], x[1], x[0])};
     }},
    {"core ids",
     {},
     [](Builder& b, Arguments) {
       return Values{replica_id(b), partition_id(b), convert(replica_id(b), DType::f32) * 2.0};
     }},
    {"barrier",
     {f32({2}), f32({3})},
     [](Builder&, Arguments x) { return optimization_barrier(x); }},
};

TEST(StackCores, Elementwise) { check_all(elementwise_rows); }

GatherAttributes rows_gather() {
  GatherAttributes a;
  a.offset_dims = {1};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, 3};
  return a;
}

ScatterAttributes rows_scatter() {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  return a;
}

const std::vector<Row> movement_rows{
    {"broadcast, reshape, transpose, reverse, slice",
     {f32({2, 3})},
     [](Builder&, Arguments x) {
       return Values{broadcast_in_dim(x[0], {3, 4, 2}, {2, 0}), reshape(x[0], {3, 2}),
                     transpose(x[0], {1, 0}), reverse(x[0], {1}),
                     slice(x[0], {0, 1}, {2, 3}, {1, 2})};
     }},
    {"concatenate",
     {f32({2, 3}), f32({2, 1})},
     [](Builder&, Arguments x) { return Values{concatenate(x, 1)}; }},
    {"pad",
     {f32({2, 3}), f32({})},
     [](Builder&, Arguments x) {
       return Values{pad(x[0], x[1], {1, 0}, {0, -1}, {0, 1})};
     }},
    {"dynamic_slice",
     {f32({5, 4}), i32({}), i32({})},
     [](Builder&, Arguments x) {
       return Values{dynamic_slice(x[0], x.subspan(1), {2, 3})};
     }},
    {"parts by the core's number",
     {f32({8, 4})},
     [](Builder& b, Arguments x) {
       const auto of_core = [&](std::vector<int64_t> starts) {
         const Value core[] = {convert(replica_id(b), DType::i64)};
         const Value table = b.constant(Literal::from(starts, {cores}));
         return reshape(dynamic_slice(table, core, {1}), {});
       };
       const Value zero = of_core({0, 0, 0, 0});
       const auto part = [&](Value row, Value column, const Axes& sizes) {
         return dynamic_slice(x[0], Values{row, column}, sizes);
       };
       const Value halves = of_core({0, 0, 4, 4});
       return Values{
           part(of_core({0, 2, 4, 6}), zero, {2, 4}),   part(zero, of_core({0, 1, 2, 3}), {8, 1}),
           part(halves, of_core({0, 2, 0, 2}), {4, 2}), part(halves, zero, {4, 4}),
           part(of_core({2, 0, 6, 4}), zero, {2, 4}),   part(of_core({1, 3, 5, 9}), zero, {2, 4})};
     }},
    {"dynamic_update_slice",
     {f32({5, 4}), f32({2, 3}), i32({}), i32({})},
     [](Builder&, Arguments x) { return Values{dynamic_update_slice(x[0], x[1], x.subspan(2))}; }},
    {"dynamic_slice of a scalar",
     {f32({})},
     [](Builder&, Arguments x) { return Values{dynamic_slice(x[0], {}, {})}; }},
    {"gather",
     {f32({6, 3}), i32({5})},
     [](Builder&, Arguments x) { return Values{gather(x[0], x[1], rows_gather())}; }},
    {"gather with batching",
     {f32({2, 6, 3}), i32({2, 5, 1})},
     [](Builder&, Arguments x) {
       GatherAttributes a;
       a.offset_dims = {2};
       a.collapsed_slice_dims = {1};
       a.operand_batching_dims = {0};
       a.start_indices_batching_dims = {0};
       a.start_index_map = {1};
       a.index_vector_dim = 2;
       a.slice_sizes = {1, 1, 3};
       return Values{gather(x[0], x[1], a)};
     }},
    {"scatter",
     {f32({6, 3}), i32({5}), f32({5, 3})},
     [](Builder&, Arguments x) {
       return Values{scatter(x[0], x[1], x[2], rows_scatter(), OpCode::add)};
     }},
    {"sort",
     {f32({3, 4}), i32({3, 4})},
     [](Builder&, Arguments x) {
       const auto less = [](Arguments p) { return compare(p[0], p[1], Direction::lt); };
       Values results = sort(x, {0, true}, less);
       results.push_back(sort(x.first(1), {-1, true}, less)[0]);
       return results;
     }},
};

TEST(StackCores, Movement) { check_all(movement_rows); }

const std::vector<Row> contraction_rows{
    {"dot",
     {f32({2, 3}), f32({3, 5})},
     [](Builder&, Arguments x) { return Values{dot(x[0], x[1])}; }},
    {"dot_general with batching",
     {f32({3, 2, 4}), f32({4, 5, 2})},
     [](Builder&, Arguments x) {
       return Values{dot_general(x[0], x[1], {{1}, {2}, {2}, {0}, {}})};
     }},
    {"dot_general of batches and heads, as attention has them",
     {f32({2, 4, 3, 5}), f32({2, 6, 3, 5})},
     [](Builder&, Arguments x) {
       return Values{dot_general(x[0], x[1], {{0, 2}, {0, 2}, {3}, {3}, {}})};
     }},
    {"dot of vectors",
     {f32({3}), f32({3})},
     [](Builder&, Arguments x) {
       return Values{dot_general(x[0], x[1], {{}, {}, {0}, {0}, {}})};
     }},
    {"bf16 dot into f32",
     {{DType::bf16, {2, 3}}, {DType::bf16, {3, 5}}},
     [](Builder&, Arguments x) {
       return Values{dot_general(x[0], x[1], {{}, {}, {1}, {0}, {}}, DType::f32)};
     }},
    {"convolution",
     {f32({2, 5, 3}), f32({3, 3, 4})},
     [](Builder&, Arguments x) { return Values{convolution(x[0], x[1], convolution_1d())}; }},
    {"convolution with the batch last",
     {f32({3, 5, 2}), f32({3, 3, 4})},
     [](Builder&, Arguments x) {
       ConvolutionAttributes a = convolution_1d();
       a.input_batch_dimension = 2;
       a.input_feature_dimension = 0;
       a.output_batch_dimension = 1;
       a.output_spatial_dimensions = {0};
       return Values{convolution(x[0], x[1], a)};
     }},
    {"convolution in feature groups",
     {f32({2, 5, 4}), f32({3, 2, 6})},
     [](Builder&, Arguments x) {
       ConvolutionAttributes a = convolution_1d();
       a.feature_group_count = 2;
       return Values{convolution(x[0], x[1], a)};
     }},
    {"convolution in batch groups",
     {f32({4, 5, 3}), f32({3, 3, 6})},
     [](Builder&, Arguments x) {
       ConvolutionAttributes a = convolution_1d();
       a.batch_group_count = 2;
       return Values{convolution(x[0], x[1], a)};
     }},
    {"reduce",
     {f32({2, 3, 4})},
     [](Builder&, Arguments x) {
       return Values{reduce_sum(x[0], {0, 2}), reduce_max(x[0], {1})};
     }},
    {"reduce with an initial value and a captured one",
     {f32({3, 4}), f32({}), f32({})},
     [](Builder& b, Arguments x) {
       const std::vector<Type> scalars(2, f32({}));
       std::vector<Block> regions;
       regions.push_back(
           b.region(scalars, [&](Arguments s) { return Values{s[0] + s[1] * x[2]}; }));
       return Values{
           b.append_one(OpCode::reduce, {x[0], x[1]}, AxesAttributes{{1}}, std::move(regions))};
     }},
    {"windows",
     {f32({4, 4}), f32({2, 2})},
     [](Builder&, Arguments x) {
       const WindowAttributes a{{2, 2}, {2, 2}, {}, {}, {}};
       return Values{reduce_window(x[0], OpCode::maximum, a), select_and_scatter(x[0], x[1], a)};
     }},
    {"random bits",
     {{DType::u64, {2}}},
     [](Builder&, Arguments x) {
       const auto [state, bits] =
           rng_bit_generator(x[0], {DType::u32, {5}}, RngAlgorithm::three_fry);
       return Values{state, convert(bits, DType::f32)};
     }},
    {"fft over the last axis",
     {f32({3, 8})},
     [](Builder& b, Arguments x) {
       const Value spectrum = b.append_one(OpCode::fft, {x[0]}, FftAttributes{FftType::rfft, {8}});
       return Values{unary(OpCode::real, spectrum), unary(OpCode::imag, spectrum)};
     }},
};

TEST(StackCores, ContractionsAndFolds) { check_all(contraction_rows); }

// One step of a linear model, the per-core form: x and labels stacked, w donated.
Module train_step() {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value w = b.argument({DType::f32, {7, 3}}, {.aliases_result = 0, .uniform = true});
  const Value x = b.argument({DType::f32, {5, 7}}), labels = b.argument({DType::f32, {5, 3}});
  const Value error = dot(x, w) - labels;
  const Value gradient = dot_general(x, error, {{}, {}, {0}, {0}, {}}) / 5.0;
  b.result(w - all_reduce(gradient, OpCode::add) * 0.1);
  b.result(error);
  return module;
}

TEST(StackCores, ATrainStepHasNoGradientOfOneCore) {
  const passes::StackedModule step = passes::stack_cores(train_step());
  EXPECT_EQ(step.result_is_stacked, (std::vector<bool>{false, true}));
  EXPECT_EQ(step.module.num_replicas, 1);
  EXPECT_EQ(step.module.main().arguments[0].aliases_result, 0);
  int dots = 0;
  for_each_op(step.module.main().body, [&](const Op& op) {
    dots += op.code == OpCode::dot_general;
    for (ValueId result : op.results) {
      EXPECT_FALSE(step.module.main().type(result).shape == (Shape{cores, 7, 3}))
          << to_text(step.module);
    }
  });
  EXPECT_EQ(dots, 2);
}

// Two gradients that are added up when both are there: the first one's product is made before the
// second one's factors are.
TEST(StackCores, ASumIsMadeWhereItsTermsAre) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {5, 7}}), error = b.argument({DType::f32, {5, 3}});
  const Value first = dot_general(x, error, {{}, {}, {0}, {0}, {}});
  const Value earlier = unary(OpCode::tanh, error);
  const Value second = dot_general(x, earlier, {{}, {}, {0}, {0}, {}});
  b.result(all_reduce(first, OpCode::add));
  b.result(all_reduce(second, OpCode::add));
  const passes::StackedModule stacked = passes::stack_cores(module);
  std::vector<OpCode> order;
  for (const Op& op : stacked.module.main().body.ops) {
    if (op.code == OpCode::dot_general || op.code == OpCode::tanh) order.push_back(op.code);
  }
  EXPECT_EQ(order, (std::vector<OpCode>{OpCode::dot_general, OpCode::tanh, OpCode::dot_general}));
}

TEST(StackCores, DonationFollowsThePlacement) {
  Module module = train_step();
  // A stacked argument that is donated keeps its result stacked.
  module.main().arguments[0].uniform = false;
  const passes::StackedModule stacked = passes::stack_cores(module);
  EXPECT_EQ(stacked.result_is_stacked[0], true);
  EXPECT_EQ(stacked.module.main().arguments[0].aliases_result, 0);
  // A uniform one whose result differs is not donated.
  Module differs;
  differs.num_replicas = cores;
  differs.functions.emplace_back();
  Builder b(differs.main(), &differs);
  const Value x = b.argument({DType::u32, {}}, {.aliases_result = 0, .uniform = true});
  b.result(x + replica_id(b));
  EXPECT_FALSE(passes::stack_cores(differs).module.main().arguments[0].aliases_result);
}

}  // namespace
}  // namespace systolic
