// Hugging Face's names for activations against their formulas in double precision; Keras's own are
// in tests/golden.
#include "systolic/nn/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/reduction.h"

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

// By hand. A ReLU, with a corner there, takes 0, as everywhere.
TEST(Activations, HaveTheirSlopeAtZero) {
  const std::pair<std::string, double> rows[] = {
      {"softplus", 0.5}, {"log_sigmoid", 0.5}, {"elu", 1},         {"selu", 1.0507009873554805},
      {"celu", 1},       {"softsign", 1},      {"tanh", 1},        {"sigmoid", 0.25},
      {"silu", 0.5},     {"gelu", 0.5},        {"mish", 0.6},      {"hard_silu", 0.5},
      {"hard_tanh", 1},  {"exponential", 1},   {"linear", 1},      {"hard_sigmoid", 1.0 / 6},
      {"relu", 0},       {"relu6", 0},         {"leaky_relu", 0.2}};
  for (const auto& [name, slope] : rows) {
    const Tensor x(Literal::of<float>({0}));
    GradientTape tape;
    tape.watch(x);
    const Tensor gradient = tape.gradient(Activation::parse(name)(x), x);
    EXPECT_NEAR(gradient.item<float>(), slope, 1e-6) << name;
  }
}

// The gradient of binary cross-entropy of logits is sigmoid(x) - y, also where a layer whose
// weights start at 0 gives 0.
TEST(Activations, BinaryCrossentropyLearnsFromLogitsOfZero) {
  const Tensor x(Literal::of<float>({{0}, {0}, {1}})), y(Literal::of<float>({{0}, {1}, {1}}));
  GradientTape tape;
  tape.watch(x);
  const Tensor loss = sum(binary_crossentropy(y, x, {.from_logits = true}));
  const Literal gradient = tape.gradient(loss, x).literal();
  EXPECT_NEAR(gradient.number_at(0), 0.5, 1e-6);
  EXPECT_NEAR(gradient.number_at(1), -0.5, 1e-6);
  EXPECT_NEAR(gradient.number_at(2), 1 / (1 + std::exp(-1.0)) - 1, 1e-6);
}

}  // namespace
}  // namespace systolic
