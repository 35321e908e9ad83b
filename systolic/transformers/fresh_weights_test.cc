// Fresh weights have the deviations that `transformers` gives them, and its zeros.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/layers/table_initializer.h"

namespace systolic {
namespace {

// The weight whose path has this part.
Literal weight(const PretrainedModel& model, const std::string& part) {
  for (const Variable& variable : model.trainable_variables()) {
    if (variable.name().find(part) != std::string::npos) return variable.literal();
  }
  ADD_FAILURE() << "no weight " << part;
  return {};
}

double deviation(const Literal& values) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(values.size());
  for (int64_t i = 0; i < values.size(); ++i) sum += values.number_at(i);
  for (int64_t i = 0; i < values.size(); ++i)
    squares += std::pow(values.number_at(i) - sum / count, 2);
  return std::sqrt(squares / count);
}

// The deviation of `size` numbers is off by deviation / sqrt(2 size) as a rule.
void expect_deviation(const Literal& values, double wanted) {
  const double error = wanted / std::sqrt(2.0 * static_cast<double>(values.size()));
  EXPECT_NEAR(deviation(values), wanted, 5 * error);
}

bool is_zero(const Literal& values) {
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.number_at(i) != 0) return false;
  }
  return true;
}

TEST(FreshWeights, OfGpt2sSumsGetSmallerWithItsDepth) {
  const PretrainedModel model = GPT2Model::from_config(
      {.vocab_size = 50, .n_positions = 16, .n_embd = 64, .n_layer = 8, .n_head = 2});
  expect_deviation(weight(model, "h.3/attn.c_proj/kernel"), 0.02 / 4);
  expect_deviation(weight(model, "h.7/mlp.c_proj/kernel"), 0.02 / 4);
  expect_deviation(weight(model, "h.7/mlp.c_fc/kernel"), 0.02);
  expect_deviation(weight(model, "wte"), 0.02);
}

TEST(FreshWeights, OfTheTokenThatPadsAreZero) {
  const PretrainedModel bert = BertModel::from_config({.vocab_size = 50,
                                                       .hidden_size = 16,
                                                       .num_hidden_layers = 1,
                                                       .num_attention_heads = 2,
                                                       .intermediate_size = 16});
  const Literal words = weight(bert, "word_embeddings");
  EXPECT_TRUE(is_zero(words.row(0)));
  EXPECT_FALSE(is_zero(words.row(1)));
  EXPECT_FALSE(is_zero(weight(bert, "position_embeddings").row(0)));
  const PretrainedModel roberta = RobertaModel::from_config({.vocab_size = 50,
                                                             .hidden_size = 16,
                                                             .num_hidden_layers = 1,
                                                             .num_attention_heads = 2,
                                                             .intermediate_size = 16});
  for (const char* table : {"word_embeddings", "position_embeddings"}) {
    EXPECT_TRUE(is_zero(weight(roberta, table).row(1))) << table;
    EXPECT_FALSE(is_zero(weight(roberta, table).row(0))) << table;
  }
  EXPECT_TRUE(is_zero(NormalTable{.padding = -1}(Shape{3, 2}, 5).row(2)));
}

TEST(FreshWeights, OfPositionsMayBeSines) {
  const auto positions = [](bool sinusoidal) {
    return weight(DistilBertModel::from_config({.vocab_size = 50,
                                                .sinusoidal_pos_embds = sinusoidal,
                                                .n_layers = 1,
                                                .n_heads = 2,
                                                .dim = 16,
                                                .hidden_dim = 16}),
                  "position_embeddings");
  };
  expect_deviation(positions(false), 0.02);
  const Literal sines = positions(true);
  EXPECT_EQ(sines.number_at(0), 0);
  EXPECT_EQ(sines.number_at(1), 1);
  // Position 7: the first frequency is 1, the second 10000^(-2 / 16).
  EXPECT_NEAR(sines.number_at(7 * 16), std::sin(7.0), 1e-6);
  EXPECT_NEAR(sines.number_at(7 * 16 + 3), std::cos(7 * 0.31622776601), 1e-6);
}

TEST(FreshWeights, OfDeitsOwnTokensAreZero) {
  const auto of = [](const PretrainedModel& model, const char* part) {
    return is_zero(weight(model, part));
  };
  const PretrainedModel deit = DeiTModel::from_config({.hidden_size = 8,
                                                       .num_hidden_layers = 0,
                                                       .num_attention_heads = 1,
                                                       .image_size = 32,
                                                       .patch_size = 16});
  for (const char* part : {"cls_token", "distillation_token", "position_embeddings"})
    EXPECT_TRUE(of(deit, part)) << part;
  const PretrainedModel vit = ViTModel::from_config({.hidden_size = 8,
                                                     .num_hidden_layers = 0,
                                                     .num_attention_heads = 1,
                                                     .image_size = 32,
                                                     .patch_size = 16});
  EXPECT_FALSE(of(vit, "cls_token"));
}

}  // namespace
}  // namespace systolic
