// How f32 is multiplied (trace/function/matmul_precision.h): the ways agree, and the default is
// what it says.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "backends/cpu/kernels/amx/amx.h"
#include "systolic/data/dataset.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/nn/nn.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t features = 256, units = 600, samples = 512;

Model two_layers() {
  set_seed(3);
  return Sequential({Input{.shape = {features}}, Dense{.units = units, .activation = "tanh"},
                     Dense{.units = features}});
}

Literal numbers(uint64_t seed) {
  set_seed(seed);
  return random_normal({samples, features}).literal();
}

double largest_difference(const Literal& a, const Literal& b) {
  double largest = 0;
  const auto x = a.data<float>(), y = b.data<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(x[i]) - y[i]));
  }
  return largest;
}

bool same_bits(const Literal& a, const Literal& b) { return largest_difference(a, b) == 0; }

Literal predicted(MatmulPrecision precision) {
  Model model = two_layers();
  model.compile({.loss = "mse", .matmul_precision = precision});
  return model.predict(numbers(1), {.batch_size = samples});
}

// Sums of some hundred products of numbers near 1: a few of f32's roundings, 6e-8 of each term.
constexpr double rounding = 1e-5;

// Both ways give the same to rounding, and where there is a matrix unit not the same bits.
void expect_two_ways(const Literal& whole, const Literal& split) {
  EXPECT_LT(largest_difference(whole, split), rounding);
  EXPECT_EQ(same_bits(whole, split), !kernels::amx::is_available());
}

TEST(MatmulPrecision, PredictSplitsByDefault) {
  const Literal whole = predicted("float32"), split = predicted("bf16_x6");
  expect_two_ways(whole, split);
  EXPECT_TRUE(same_bits(predicted("auto"), split));
}

TEST(MatmulPrecision, EvaluateSplitsByDefault) {
  const auto evaluated = [](MatmulPrecision precision) {
    Model model = two_layers();
    model.compile({.loss = "mse", .matmul_precision = precision});
    const auto batch = data::from_tensor_slices(std::pair(numbers(1), numbers(2))).batch(samples);
    return model.evaluate(batch, {.verbose = 0})["loss"];
  };
  EXPECT_EQ(evaluated("auto"), evaluated("bf16_x6"));
  EXPECT_NEAR(evaluated("float32"), evaluated("bf16_x6"), rounding);
}

Literal fitted(MatmulPrecision precision) {
  Model model = two_layers();
  model.compile(
      {.optimizer = SGD{.learning_rate = 0.1}, .loss = "mse", .matmul_precision = precision});
  const auto batches =
      data::from_tensor_slices(std::pair(numbers(1), numbers(2))).batch(samples).repeat();
  model.fit(batches, {.epochs = 1, .steps_per_epoch = 3, .verbose = 0});
  return model.get_weights().front();
}

TEST(MatmulPrecision, FitSplitsForwardByDefault) {
  const Literal whole = fitted("float32"), split = fitted("bf16_x6"), forward = fitted("auto");
  expect_two_ways(whole, split);
  expect_two_ways(whole, forward);
  expect_two_ways(split, forward);
}

TEST(MatmulPrecision, FunctionsSplitWhereTheyAreTold) {
  const Tensor a(numbers(1)), b(numbers(2));
  const auto product = [&](MatmulPrecision precision) {
    auto multiply = function(
        [](const Tensor& x, const Tensor& y) {
          return matmul(x, y, {.transpose_a = true}) * (1.0f / samples);
        },
        {.matmul_precision = precision});
    return multiply(a, b).literal();
  };
  const Literal whole = product("float32"), split = product("bf16_x6");
  expect_two_ways(whole, split);
  EXPECT_TRUE(same_bits(product("auto"), whole));
}

// Straight to the device: the product of `numbers(1)` with themselves.
struct DeviceProduct {
  runtime::SplitProducts split = runtime::SplitProducts::none;
  bool of_gradient = false, keeps_subnormals = false;

  Literal operator()() const {
    const runtime::ClientPtr client =
        runtime::open_client({.backend = "software_tpu", .keep_subnormals = keeps_subnormals});
    ir::Module module;
    module.functions.emplace_back();
    ir::Builder b(module.main());
    const ir::Value x = b.argument({DType::f32, {samples, features}});
    const ir::DotAttributes dot{.lhs_batching_dimensions = {},
                                .rhs_batching_dimensions = {},
                                .lhs_contracting_dimensions = {0},
                                .rhs_contracting_dimensions = {0},
                                .of_gradient = of_gradient};
    b.result(ir::dot_general(x, x, dot) * (1.0 / samples));
    const auto executable = client->compile(module, {.split_products = split});
    return executable->execute({client->from_host(numbers(1))}).front()->to_literal();
  }
};

TEST(MatmulPrecision, ProductsOfGradientsAreSplitWhereAllAre) {
  using enum runtime::SplitProducts;
  const Literal whole = DeviceProduct{.split = none}(), split = DeviceProduct{.split = all}();
  expect_two_ways(whole, split);
  EXPECT_TRUE(same_bits(DeviceProduct{.split = forward}(), split));
  EXPECT_TRUE(same_bits(DeviceProduct{.split = forward, .of_gradient = true}(), whole));
  EXPECT_TRUE(same_bits(DeviceProduct{.split = all, .of_gradient = true}(), split));
}

// The unit takes them as 0.
TEST(MatmulPrecision, SubnormalsAreKeptByNotSplitting) {
  using enum runtime::SplitProducts;
  EXPECT_TRUE(same_bits(DeviceProduct{.split = all, .keeps_subnormals = true}(),
                        DeviceProduct{.split = none, .keeps_subnormals = true}()));
}

}  // namespace
}  // namespace systolic
