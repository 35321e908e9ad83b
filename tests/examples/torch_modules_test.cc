// PyTorch's modules and losses, with the values of their formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "systolic/torch_xla/torch_xla.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

using torch::nn::Pair;

TEST(TorchModuleExamples, Activations) {
  const torch::Tensor x = constant({-1.f, 2.f});
  const torch::nn::ReLU6 relu6;
  const torch::nn::Sigmoid sigmoid;
  const torch::nn::Tanh tanh;
  const torch::nn::SiLU silu;
  const torch::nn::Mish mish;
  const torch::nn::Hardswish hardswish;
  const torch::nn::Identity identity;
  const torch::nn::Softmax softmax(/*dim=*/0);
  const torch::nn::GELUOptions by_tanh{.approximate = true};
  const torch::nn::GELU gelu(by_tanh);
  const auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto mish_of = [](double v) { return v * std::tanh(std::log1p(std::exp(v))); };
  const auto gelu_of = [](double v) {
    return v / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1)) * (v + 0.044715 * v * v * v)));
  };
  expect_numbers(relu6(torch::Tensor(constant({-1.f, 8.f}))), {0, 6});
  expect_numbers(sigmoid(x), {sigmoid_of(-1), sigmoid_of(2)});
  expect_numbers(tanh(x), {std::tanh(-1), std::tanh(2)});
  expect_numbers(silu(x), {-sigmoid_of(-1), 2 * sigmoid_of(2)});
  expect_numbers(mish(x), {mish_of(-1), mish_of(2)});
  expect_numbers(hardswish(x), {-1.0 / 3, 5.0 / 3});
  expect_numbers(identity(x), {-1, 2});
  expect_numbers(softmax(x), {sigmoid_of(-3), sigmoid_of(3)});
  expect_numbers(gelu(x), {gelu_of(-1), gelu_of(2)});
  expect_numbers(torch::sigmoid(x), {sigmoid_of(-1), sigmoid_of(2)});
  expect_numbers(torch::tanh(x), {std::tanh(-1), std::tanh(2)});
}

TEST(TorchModuleExamples, LinearAndEmbedding) {
  const torch::nn::LinearOptions without_bias{.bias = false};
  const torch::nn::Linear linear(2, 1, without_bias);
  linear.weight.copy_(Literal::of<float>({{2, 3}}));
  EXPECT_FALSE(linear.bias.valid());
  expect_numbers(linear(torch::Tensor(constant({{10.f, 1.f}}))), {23});

  const torch::nn::EmbeddingOptions padded{.padding_idx = 0};
  const torch::nn::Embedding embedding(5, 2, padded);
  expect_numbers(embedding(torch::Tensor(constant({0}))), {0, 0});
}

TEST(TorchModuleExamples, ConvolutionAndPooling) {
  const torch::nn::Conv2dOptions same{.padding = 1, .bias = false};
  const Pair three = 3;
  const torch::nn::Conv2d convolution(1, 1, three, same);
  convolution.weight.copy_(Literal::filled(DType::f32, {1, 1, 3, 3}, 1));
  const torch::Tensor x = reshape(constant({1.f, 2.f, 3.f, 4.f}), {1, 1, 2, 2});
  expect_numbers(convolution(x), {10, 10, 10, 10});  // each sees all four

  const torch::nn::PoolOptions2d overlapping{.stride = Pair(1, 1), .padding = 0};
  const torch::nn::MaxPool2d pool(Pair(1, 2), overlapping);
  expect_numbers(pool(x), {2, 4});
  const torch::nn::AdaptiveAvgPool2d mean_of_each_channel(1);
  expect_numbers(mean_of_each_channel(x), {2.5});
  const torch::nn::Flatten flatten;
  EXPECT_EQ(flatten(x).shape(), (Shape{1, 4}));
}

TEST(TorchModuleExamples, Normalization) {
  const torch::Tensor x = constant({{1.f}, {3.f}});
  const torch::nn::BatchNormOptions plain{.eps = 0, .momentum = 0.1, .affine = false};
  const torch::nn::BatchNorm1d of_features(1, plain);
  const torch::nn::BatchNorm& any = of_features;
  expect_numbers(any(x), {-1, 1});
  expect_numbers(any.running_mean.literal(), {0.1 * 2});
  expect_numbers(any.running_var.literal(), {0.9 * 1 + 0.1 * 2});  // 2 divides by n - 1

  const torch::nn::LayerNormOptions without_weights{.eps = 0, .elementwise_affine = false};
  const torch::nn::LayerNorm of_rows(2, without_weights);
  expect_numbers(of_rows(torch::Tensor(constant({{1.f, 3.f}}))), {-1, 1});
}

TEST(TorchModuleExamples, Losses) {
  const torch::nn::LossOptions summed{.reduction = torch::nn::Reduction::sum};
  const torch::nn::MSELoss squares(summed);
  expect_numbers(squares(torch::Tensor(constant({1.f, 2.f})), torch::Tensor(constant({0.f, 4.f}))),
                 {1 + 4});
  const torch::nn::BCEWithLogitsOptions positives_count_twice{
      .pos_weight = torch::Tensor(constant({2.f})), .reduction = torch::nn::Reduction::sum};
  const torch::nn::BCEWithLogitsLoss binary(positives_count_twice);
  expect_numbers(binary(torch::Tensor(constant({0.f, 0.f})), torch::Tensor(constant({1.f, 0.f}))),
                 {3 * std::log(2.0)});
  const torch::nn::CrossEntropyOptions smoothed{.label_smoothing = 0.2};
  const torch::nn::CrossEntropyLoss entropy(smoothed);
  expect_numbers(
      entropy(torch::Tensor(constant({{0.f, std::log(3.f)}})), torch::Tensor(constant({1}))),
      {-0.9 * std::log(0.75) - 0.1 * std::log(0.25)});
}

TEST(TorchModuleExamples, ListsOfModulesAndTheirState) {
  torch::nn::ModuleList<torch::nn::Linear> layers;
  layers.append(torch::nn::Linear(2, 2));
  layers.append(torch::nn::Linear(2, 1));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers.named_parameters().back().first, "1.bias");

  const std::string path = testing::TempDir() + "examples_of_torch.pt";
  torch::save(layers[0].state_dict(), path);
  const torch::nn::LoadOptions what_fits{.strict = false};
  const torch::nn::Linear other(2, 2);
  const torch::nn::LoadResult loaded = other.load_state_dict(torch::load(path), what_fits);
  EXPECT_TRUE(loaded.missing_keys.empty() && loaded.unexpected_keys.empty());
  EXPECT_EQ(other.weight.literal(), layers[0].weight.literal());
}

TEST(TorchModuleExamples, Initialization) {
  EXPECT_EQ(torch::nn::init::fan_in({8, 3, 2, 2}), 12);
  const Literal kaiming = torch::nn::init::kaiming_uniform({40, 6});
  for (const double weight : numbers(kaiming)) EXPECT_LE(std::abs(weight), 1);  // sqrt(6 / 6)
  for (const double weight : numbers(torch::nn::init::uniform({40}, 2, 3))) {
    EXPECT_GE(weight, 2);
    EXPECT_LE(weight, 3);
  }
  double sum = 0;
  for (const double weight : numbers(torch::nn::init::normal({10000}, 5, 1))) sum += weight;
  EXPECT_NEAR(sum / 10000, 5, 0.05);  // five deviations of the mean
}

}  // namespace
}  // namespace systolic
