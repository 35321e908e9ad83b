// config.json's names of activations, against their formulas in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "systolic/transformers/layers/layers.h"

namespace systolic {
namespace {

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double silu_of(double x) { return x * sigmoid_of(x); }
double gelu_of(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double gelu_by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double relu_of(double x) { return std::max(x, 0.0); }

TEST(HiddenActivation, NamesAreTheFormulasOfTransformers) {
  const std::map<std::string, std::function<double(double)>> formulas{
      {"gelu", gelu_of},
      {"gelu_10", [](double x) { return std::clamp(gelu_of(x), -10.0, 10.0); }},
      {"gelu_accurate", gelu_by_tanh},
      {"gelu_fast", gelu_by_tanh},
      {"gelu_new", gelu_by_tanh},
      {"gelu_python", gelu_of},
      {"gelu_python_tanh", gelu_by_tanh},
      {"gelu_pytorch_tanh", gelu_by_tanh},
      {"leaky_relu", [](double x) { return x < 0 ? 0.01 * x : x; }},
      {"linear", [](double x) { return x; }},
      {"mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"quick_gelu", [](double x) { return x * sigmoid_of(1.702 * x); }},
      {"relu", relu_of},
      {"relu2", [](double x) { return relu_of(x) * relu_of(x); }},
      {"relu6", [](double x) { return std::clamp(x, 0.0, 6.0); }},
      {"sigmoid", sigmoid_of},
      {"silu", silu_of},
      {"swish", silu_of},
      {"tanh", [](double x) { return std::tanh(x); }},
  };
  const Literal points = Literal::of<float>({-20, -3, -0.5, 0, 0.25, 1, 4, 20});
  EXPECT_EQ(hidden_activations().size(), formulas.size());
  for (const std::string& name : hidden_activations()) {
    ASSERT_TRUE(formulas.contains(name)) << name;
    const Literal got = hidden_activation(name)(Tensor(points)).literal();
    for (int64_t i = 0; i < points.size(); ++i) {
      const double x = points.number_at(i), wanted = formulas.at(name)(x);
      EXPECT_NEAR(got.number_at(i), wanted, 1e-6 * std::max(1.0, std::abs(wanted)))
          << name << " of " << x;
    }
  }
}

}  // namespace
}  // namespace systolic
