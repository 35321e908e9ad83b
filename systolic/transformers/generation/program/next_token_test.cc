// What is drawn, against the probabilities of transformers' processors: golden/make_generated.py.
#include "systolic/transformers/generation/program/next_token.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/io/tensors/safetensors.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t rows = 20000, vocabulary = 60;

Tensor key() { return Tensor(Literal::of<uint64_t>({uint64_t{17}, uint64_t{0}})); }

// How often each token is chosen, of `rows` rows with these scores.
std::vector<double> shares(const Literal& scores, const NextTokenOptions& options) {
  const Literal chosen =
      next_token(broadcast_to(Tensor(scores), {rows, vocabulary}), options).literal();
  std::vector<double> result(vocabulary);
  for (int64_t row = 0; row < rows; ++row)
    result.at(static_cast<size_t>(chosen.integer_at(row))) += 1.0 / rows;
  return result;
}

TEST(NextToken, IsDrawnWithTheProbabilitiesOfTransformers) {
  const Example values =
      io::read_safetensors(golden_folder("gpt2") + "/generated.safetensors").tensors;
  const struct {
    const char* name;
    double temperature;
    int64_t top_k;
    double top_p;
    double min_p = 0;
    double typical_p = 1;
  } table[] = {{"all", 1, 0, 1},
               {"hot", 2.5, 0, 1},
               {"top_k", 0.7, 5, 1},
               {"top_p", 1, 0, 0.6},
               {"both", 1.3, 9, 0.8},
               {"min_p", 1, 0, 1, 0.2},
               {"typical_p", 1, 0, 1, 0, 0.5},
               {"every", 1.2, 20, 0.9, 0.05, 0.7}};
  for (const auto& row : table) {
    NextTokenOptions options{.do_sample = true, .top_k = row.top_k, .key = key()};
    if (row.temperature != 1) options.temperature = constant(row.temperature);
    if (row.top_p != 1) options.top_p = constant(row.top_p);
    if (row.min_p != 0) options.min_p = constant(row.min_p);
    if (row.typical_p != 1) options.typical_p = constant(row.typical_p);
    const std::vector<double> drawn = shares(values["scores"], options);
    const Literal& wanted = values[str("drawn.", row.name)];
    for (int64_t token = 0; token < vocabulary; ++token) {
      const double p = wanted.number_at(token), got = drawn[static_cast<size_t>(token)];
      if (p == 0) {
        EXPECT_EQ(got, 0) << row.name << ", token " << token;
      } else {  // five standard deviations, and one token more
        EXPECT_NEAR(got, p, 5 * std::sqrt(p * (1 - p) / rows) + 1.0 / rows)
            << row.name << ", token " << token;
      }
    }
  }
}

// The least and the largest number that can be drawn: no noise outweighs a score that is cut off.
TEST(NextToken, NoiseIsFinite) {
  const float step = 0x1p-24f;
  const Literal drawn = Literal::of<float>({0, step, 0.25f, 0.5f, 1 - 2 * step, 1 - step});
  const Literal noise = gumbel_noise(Tensor(drawn)).literal();
  const auto exact = [](double u) { return -std::log(-std::log(u)); };
  for (int64_t i = 0; i < drawn.size(); ++i) {
    const double u = drawn.number_at(i), got = noise.number_at(i);
    EXPECT_TRUE(std::isfinite(got)) << u;
    EXPECT_GE(got, exact(u) - 1e-5) << u;  // u stands for [u, u + step)
    EXPECT_LE(got, exact(u + step) + 1e-5) << u;
  }
}

TEST(NextToken, HoldsAtTheEdges) {
  Literal scores = Literal::zeros(DType::f32, {1, vocabulary});
  scores.mutable_data<float>()[7] = 3e38f;
  scores.mutable_data<float>()[9] = 2e38f;
  const auto always = [&](const NextTokenOptions& options) {
    return shares(scores, options)[7] > 1 - 1e-9;
  };
  EXPECT_TRUE(always({}));
  EXPECT_TRUE(always({.do_sample = true, .temperature = constant(1e-30f), .key = key()}));
  EXPECT_TRUE(always({.do_sample = true, .top_k = 1, .key = key()}));
  EXPECT_TRUE(always({.do_sample = true, .top_p = constant(1e-30f), .key = key()}));
  EXPECT_TRUE(always({.do_sample = true, .top_k = 100, .top_p = constant(0.5f), .key = key()}));
  const Tensor seen = Tensor(Literal::filled(DType::pred, {rows, vocabulary}, 1));
  EXPECT_TRUE(always({.seen = seen, .repetition_penalty = constant(1.2f)}));
}

}  // namespace
}  // namespace systolic
