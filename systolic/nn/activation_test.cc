// Hugging Face's names for activations against their formulas in double precision; Keras's own are
// in tests/golden.
#include "systolic/nn/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace systolic {
namespace {

double by_erf(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
// transformers/activations.py, NewGELUActivation.
double by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST(Activations, OfHuggingFaceFollowTheirFormulas) {
  struct Row {
    std::string name;
    double (*formula)(double);
  };
  const Row rows[] = {
      {"gelu", by_erf},
      {"gelu_new", by_tanh},
      {"gelu_pytorch_tanh", by_tanh},
      {"gelu_fast", by_tanh},
      {"quick_gelu", [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
      {"relu2", [](double x) { return x > 0 ? x * x : 0; }},
      {"silu", [](double x) { return x / (1 + std::exp(-x)); }},
  };
  const Literal x = Literal::of<float>({-6, -3, -1.5f, -1, -0.25f, 0, 0.125f, 0.5f, 1, 2, 4, 7});
  for (const Row& row : rows) {
    const Literal y = Activation::parse(row.name)(Tensor(x)).literal();
    for (int64_t i = 0; i < x.size(); ++i) {
      const double wanted = row.formula(x.number_at(i));
      // A few roundings of terms up to |x|: 4 * 2^-24 of 7.
      EXPECT_NEAR(y.number_at(i), wanted, 2e-6 * (1 + std::abs(wanted)))
          << row.name << " of " << x.number_at(i);
    }
  }
  // The two forms of GELU are not the same.
  EXPECT_GT(std::abs(by_erf(2) - by_tanh(2)), 5e-5);
}

}  // namespace
}  // namespace systolic
