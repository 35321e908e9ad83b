// Activations, with the values of their formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

// Each at -1 and at 2.
TEST(ActivationExamples, AreTheFormulasOfKeras) {
  const Tensor x = constant({-1.f, 2.f});
  struct Case {
    const char* name;
    Tensor found;
    std::vector<double> wanted;
  };
  const auto softplus_of = [](double v) { return std::log1p(std::exp(v)); };
  const auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double scale = 1.0507009873554805, alpha = 1.6732632423543772;
  const Case cases[] = {
      {"relu6", relu6(4 * x), {0, 6}},
      {"leaky_relu", leaky_relu(x, 0.2), {-0.2, 2}},
      {"elu", elu(x), {std::exp(-1.0) - 1, 2}},
      {"celu", celu(x, 2.0), {2 * (std::exp(-0.5) - 1), 2}},
      {"selu", selu(x), {scale * alpha * (std::exp(-1.0) - 1), scale * 2}},
      {"quick_gelu", quick_gelu(x), {-sigmoid_of(-1.702), 2 * sigmoid_of(3.404)}},
      {"silu", silu(x), {-sigmoid_of(-1), 2 * sigmoid_of(2)}},
      {"softplus", softplus(x), {softplus_of(-1), softplus_of(2)}},
      {"softsign", softsign(x), {-0.5, 2.0 / 3}},
      {"hard_sigmoid", hard_sigmoid(x), {2.0 / 6, 5.0 / 6}},
      {"hard_silu", hard_silu(x), {-2.0 / 6, 10.0 / 6}},
      {"hard_tanh", hard_tanh(x), {-1, 1}},
      {"mish", mish(x), {-std::tanh(softplus_of(-1)), 2 * std::tanh(softplus_of(2))}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_numbers(c.found, c.wanted);
  }
}

TEST(ActivationExamples, LogSoftmaxIsTheLogarithmOfSoftmax) {
  const Tensor scores = constant({0.f, std::log(3.f)});  // 1 to 3
  expect_numbers(log_softmax(scores), {std::log(0.25), std::log(0.75)});
}

}  // namespace
}  // namespace systolic
