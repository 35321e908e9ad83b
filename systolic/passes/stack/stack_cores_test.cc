// Every rule against the interpreter's lockstep run of the cores, for every placement of the
// arguments.
#include "systolic/passes/stack/stack_cores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/error.h"
#include "systolic/ir/builder.h"
#include "systolic/ir/print.h"
#include "systolic/ir/verify.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;
using Arguments = std::span<const Value>;

constexpr int64_t cores = 4;

struct Row {
  const char* name;
  std::vector<Type> arguments;  // of one core
  std::function<Values(Builder&, Arguments)> build;
};

// Small numbers of any type: integers in [0, 6), floats in [-2, 2).
Literal random_literal(const Type& type, std::mt19937& random) {
  Literal numbers(DType::f64, type.shape);
  const bool whole = !is_float(type.dtype) && !is_complex(type.dtype);
  std::uniform_real_distribution<double> real(-2, 2);
  for (double& x : numbers.mutable_data<double>()) {
    x = whole ? static_cast<double>(random() % 6) : real(random);
  }
  if (type.dtype == DType::pred) {
    for (double& x : numbers.mutable_data<double>()) x = static_cast<int>(x) % 2;
  }
  return numbers.convert(type.dtype);
}

Module build(const Row& row, unsigned stacked) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values arguments;
  for (size_t i = 0; i < row.arguments.size(); ++i) {
    arguments.push_back(b.argument(row.arguments[i], {.uniform = (stacked >> i & 1u) == 0}));
  }
  for (const Value& result : row.build(b, arguments)) b.result(result);
  return module;
}

void expect_close(const Literal& got, const Literal& wanted, const std::string& what) {
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  const double tolerance = got.dtype() == DType::bf16 ? 0.03 : 2e-5;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.number_at(i), b = wanted.number_at(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    ASSERT_LE(std::fabs(a - b), tolerance * (1 + std::fabs(b))) << what << " at " << i;
  }
}

void check(const Row& row, unsigned stacked, std::mt19937& random) {
  const Module module = build(row, stacked);
  const passes::StackedModule together = passes::stack_cores(module);
  const std::string what =
      str(row.name, ", stacked arguments ", stacked, "\n", to_text(together.module));
  ASSERT_NO_THROW(verify(together.module)) << what;
  std::vector<Literal> arguments;
  for (size_t i = 0; i < row.arguments.size(); ++i) {
    Type type = row.arguments[i];
    if (stacked >> i & 1u) type.shape = type.shape.with_inserted(0, cores);
    arguments.push_back(random_literal(type, random));
  }
  const std::vector<Literal> wanted = interpreter::evaluate(module, arguments);
  const std::vector<Literal> got = interpreter::evaluate(together.module, arguments);
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    if (together.result_is_stacked[i]) {
      expect_close(got[i], wanted[i], what);
      continue;
    }
    for (int64_t core = 0; core < cores; ++core) expect_close(got[i], wanted[i].row(core), what);
  }
}

void check_all(const std::vector<Row>& rows) {
  std::mt19937 random(7);
  for (const Row& row : rows) {
    for (unsigned stacked = 0; stacked < 1u << row.arguments.size(); ++stacked) {
      ASSERT_NO_THROW(check(row, stacked, random)) << row.name << " " << stacked;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

Type f32(Shape shape) { return {DType::f32, shape}; }
Type i32(Shape shape) { return {DType::i32, shape}; }

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

ConvolutionAttributes convolution_1d() {
  ConvolutionAttributes a;
  a.window_strides = a.lhs_dilation = a.rhs_dilation = {1};
  a.padding = {{1, 1}};
  a.window_reversal = {false};
  a.input_feature_dimension = a.output_feature_dimension = 2;
  a.input_spatial_dimensions = a.output_spatial_dimensions = {1};
  a.kernel_input_feature_dimension = 1;
  a.kernel_output_feature_dimension = 2;
  a.kernel_spatial_dimensions = {0};
  return a;
}

const std::vector<Row> contraction_rows{
    {"dot",
     {f32({2, 3}), f32({3, 5})},
     [](Builder&, Arguments x) { return Values{dot(x[0], x[1])}; }},
    {"dot_general with batching",
     {f32({3, 2, 4}), f32({4, 5, 2})},
     [](Builder&, Arguments x) {
       return Values{dot_general(x[0], x[1], {{1}, {2}, {2}, {0}, {}})};
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
};

TEST(StackCores, ContractionsAndFolds) { check_all(contraction_rows); }

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

TEST(StackCores, Control) { check_all(control_rows); }

const std::vector<Row> sum_rows{
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

std::string divergence(const std::function<Value(Builder&, Arguments)>& build) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {"train.cc", 12};
  const Value x = b.argument({DType::f32, {}});
  b.result(build(b, {&x, 1}));
  try {
    passes::stack_cores(module);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(StackCores, CoresThatMayDivergeAtACollectiveAreAnError) {
  const std::string branch = divergence([](Builder&, Arguments x) {
    return if_else(
        compare(x[0], 0, Direction::gt), [&] { return Values{all_reduce(x[0], OpCode::add)}; },
        [&] { return Values{x[0]}; })[0];
  });
  EXPECT_NE(branch.find("cores diverge at all_reduce"), std::string::npos) << branch;
  EXPECT_NE(branch.find("train.cc:12"), std::string::npos) << branch;
  const std::string loop = divergence([](Builder&, Arguments x) {
    return while_loop(
        x, [](Arguments s) { return compare(s[0], 0, Direction::gt); },
        [](Arguments s) {
          return Values{reduce_sum(all_gather(reshape(s[0], {1}), 0, cores), {0})};
        })[0];
  });
  EXPECT_NE(loop.find("cores diverge at all_gather"), std::string::npos) << loop;
}

}  // namespace
}  // namespace systolic
