// Every loss against Keras's, under each reduction, with and without sample weights.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

// Sums of a dozen terms, logarithms within a few units in the last place; probabilities are clipped
// at 1 - 1e-7, where f32 has steps of 6e-8.
constexpr double tolerance = 1e-5;

using Make = std::function<LossFunction(Reduction)>;

// As in make_losses.py.
std::map<std::string, Make> losses() {
  using R = Reduction;
  using Binary = BinaryCrossentropy;
  using Categorical = CategoricalCrossentropy;
  using Sparse = SparseCategoricalCrossentropy;
  return {
      {"mse", [](R r) { return MeanSquaredError{.reduction = r}; }},
      {"mae", [](R r) { return MeanAbsoluteError{.reduction = r}; }},
      {"huber", [](R r) { return Huber{.reduction = r}; }},
      {"huber, delta 0.5", [](R r) { return Huber{.delta = 0.5, .reduction = r}; }},
      {"kl", [](R r) { return KLDivergence{.reduction = r}; }},
      {"binary", [](R r) { return Binary{.reduction = r}; }},
      {"binary, logits", [](R r) { return Binary{.from_logits = true, .reduction = r}; }},
      {"binary, smoothed", [](R r) { return Binary{.label_smoothing = 0.2, .reduction = r}; }},
      {"binary, logits, smoothed",
       [](R r) { return Binary{.from_logits = true, .label_smoothing = 0.3, .reduction = r}; }},
      {"binary, axis 0", [](R r) { return Binary{.axis = 0, .reduction = r}; }},
      {"categorical", [](R r) { return Categorical{.reduction = r}; }},
      {"categorical, logits", [](R r) { return Categorical{.from_logits = true, .reduction = r}; }},
      {"categorical, smoothed",
       [](R r) { return Categorical{.label_smoothing = 0.1, .reduction = r}; }},
      {"categorical, logits, smoothed",
       [](R r) {
         return Categorical{.from_logits = true, .label_smoothing = 0.2, .reduction = r};
       }},
      {"categorical, logits, axis 1",
       [](R r) { return Categorical{.from_logits = true, .axis = 1, .reduction = r}; }},
      {"sparse", [](R r) { return Sparse{.reduction = r}; }},
      {"sparse, logits", [](R r) { return Sparse{.from_logits = true, .reduction = r}; }},
      {"sparse, logits, ignoring",
       [](R r) { return Sparse{.from_logits = true, .ignore_class = -1, .reduction = r}; }},
      {"sparse, ignoring 3", [](R r) { return Sparse{.ignore_class = 3, .reduction = r}; }},
  };
}

void check_loss(const LossFunction& loss, const Json& one, const Json& pair) {
  const Tensor labels = literal_of(pair.at(0)), predictions = literal_of(pair.at(1));
  LossOptions options;
  if (one.contains("sample_weight")) options.sample_weight = literal_of(one.at("sample_weight"));
  GradientTape tape;
  tape.watch(predictions);
  const Tensor value = loss(labels, predictions, options);
  const Tensor gradient = tape.gradient(sum(value), predictions);
  expect_close(value.literal(), one.at("value"), tolerance, "value");
  if (one.contains("gradient")) {
    expect_close(gradient.literal(), one.at("gradient"), tolerance, "gradient");
  }
}

TEST(LossesGolden, GiveWhatKerasGives) {
  const Json file = golden_file("losses");
  const std::map<std::string, Make> known = losses();
  std::map<std::string, int> seen;
  for (const Json& one : file.at("cases")) {
    const std::string name = one.at("loss"), data = one.at("data");
    const std::string reduction = one.value("reduction", "sum_over_batch_size");
    SCOPED_TRACE(str(name, " of ", data, ", ", reduction,
                     one.contains("sample_weight") ? ", weighted" : ""));
    ++seen[name];
    EXPECT_NO_THROW(
        check_loss(known.at(name)(Reduction::parse(reduction)), one, file.at("data").at(data)));
  }
  EXPECT_EQ(seen.size(), known.size());
}

}  // namespace
}  // namespace systolic
