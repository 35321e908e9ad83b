// What prepare_dataset has a masked language model predict.
#include "systolic/transformers/rows/masked_tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/trace/ops/random.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/prepare_dataset.h"
#include "systolic/transformers/test_letters.h"

namespace systolic {
namespace {

// Shares of the 200,000 tokens that are not special, within five standard deviations.
TEST(MaskedTokens, MasksSomeTokensAndAsksForThem) {
  const CaughtLog log;
  Tokenizer tokenizer = letters();
  tokenizer.add_tokens({{.content = "[MASK]", .special = true}});
  const int32_t mask = *tokenizer.token_to_id("[MASK]");
  const std::string text = [] {
    std::string letters_of_it;
    for (int i = 0; i < 100; ++i) letters_of_it += str(static_cast<char>('a' + i % 26), " ");
    return letters_of_it;
  }();
  const data::Dataset rows = data::from_tensor_slices(
      {{"text", std::vector<std::string>(2000, text)}, {"label", std::vector<int32_t>(2000)}});
  const Literal whole = tokenizer(text)["input_ids"];
  PrepareOptions options{.batch_size = 500, .seed = 3, .mlm_probability = 0.15};
  options.pad_to_multiple_of = 104;
  double chosen = 0, masked = 0, other = 0;
  for (const Example& batch : prepare_dataset(rows, tokenizer, options).dataset) {
    EXPECT_FALSE(batch.contains("label"));
    const auto ids = batch["input_ids"].data<int32_t>(), labels = batch["labels"].data<int32_t>();
    for (size_t i = 0; i < ids.size(); ++i) {
      const size_t place = i % 104;
      const bool pads = place >= 102;
      const int32_t given = pads ? 0 : whole.data<int32_t>()[place];
      const bool special = pads || place == 0 || place == 101;
      ASSERT_TRUE(labels[i] == -100 ? ids[i] == given : labels[i] == given && !special) << i;
      chosen += labels[i] != -100;
      masked += labels[i] != -100 && ids[i] == mask;
      other += labels[i] != -100 && ids[i] != mask && ids[i] != given;
    }
  }
  const auto near = [](double count, double of, double share) {
    EXPECT_NEAR(count / of, share, 5 * std::sqrt(share * (1 - share) / of));
  };
  near(chosen, 200'000, 0.15);
  near(masked, chosen, 0.8 + 0.1 / 31);       // another token may be the mask
  near(other, chosen, 0.1 * (1 - 2.0 / 31));  // or the same
}

TEST(MaskedTokens, SampleWeightsAreLeftOutAloud) {
  const CaughtLog log;
  const std::vector<std::string> words = {"a b"};
  const data::Dataset rows =
      data::from_tensor_slices({{"text", words}, {"sample_weight", std::vector<float>{2}}});
  prepare_dataset(rows, letters(), {.mlm_probability = 0.5, .mask_token = "c"});
  EXPECT_CONTAINS(log.lines(), "with mlm_probability leaves sample_weight out");
}

TEST(MaskedTokens, MasksFollowFromTheSeedAndTheEpoch) {
  const CaughtLog log;
  Tokenizer tokenizer = letters();
  tokenizer.add_tokens({{.content = "<mask>", .special = true}});
  PrepareOptions options{.batch_size = 20, .seed = 3, .mlm_probability = 0.5};
  const auto epochs = [&](bool shuffle) {
    options.shuffle = shuffle;
    std::vector<Literal> labels;
    for (const Example& batch : prepare_dataset(texts(20), tokenizer, options).dataset.repeat(2))
      labels.push_back(batch["labels"]);
    return labels;
  };
  const std::vector<Literal> shuffled = epochs(true), in_order = epochs(false);
  EXPECT_EQ(shuffled, epochs(true));
  EXPECT_NE(shuffled[0], shuffled[1]);
  EXPECT_NE(in_order[0], in_order[1]);
  EXPECT_EQ(in_order, epochs(false));
  options.seed = 4;
  EXPECT_NE(in_order, epochs(false));
}

// Without a seed too, and with one text in a batch.
TEST(MaskedTokens, MasksGoOnWhereTheyWereSaved) {
  const CaughtLog log;
  Tokenizer tokenizer = letters();
  tokenizer.add_tokens({{.content = "<mask>", .special = true}});
  const auto build = [&] {
    return prepare_dataset(texts(30), tokenizer, {.batch_size = 1, .mlm_probability = 0.5})
        .dataset.repeat(2);
  };
  data::Iterator iterator = build().iterator();
  for (int i = 0; i < 20; ++i) iterator.next();
  data::Iterator restored = build().iterator(iterator.save());
  int more = 0;
  for (; const auto batch = iterator.next(); ++more) ASSERT_EQ(restored.next(), batch);
  EXPECT_EQ(more, 40);
}

// A model that knows fewer tokens than the tokenizer is given none of the others.
TEST(MaskedTokens, TokensInPlaceOfOthersAreTheModelsOwn) {
  const CaughtLog log;
  const PretrainedModel model = BertForMaskedLM::from_config(
      {.vocab_size = 8, .hidden_size = 8, .num_hidden_layers = 0, .num_attention_heads = 2});
  const auto prepared =
      model.prepare_dataset(texts(200), letters(), {.mlm_probability = 1, .mask_token = "a"});
  std::set<int32_t> seen;
  for (const Example& batch : prepared.dataset) {
    const auto ids = batch["input_ids"].data<int32_t>();
    seen.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(*seen.rbegin(), 7);
}

TEST(MaskedTokens, AMaskedLanguageModelLearnsFromIt) {
  const CaughtLog log;
  Tokenizer tokenizer = letters();
  tokenizer.add_tokens({{.content = "[MASK]", .special = true}});
  set_seed(1);
  PretrainedModel model =
      BertForMaskedLM::from_config({.vocab_size = static_cast<int64_t>(tokenizer.vocab_size()),
                                    .hidden_size = 16,
                                    .num_hidden_layers = 1,
                                    .num_attention_heads = 2,
                                    .intermediate_size = 16,
                                    .max_position_embeddings = 16});
  model.compile({.optimizer = Adam{.learning_rate = 0.01}});
  const auto prepared = model.prepare_dataset(
      texts(60), tokenizer, {.batch_size = 20, .seed = 1, .mlm_probability = 0.4});
  const History history = model.fit(prepared, {.epochs = 20, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), 0.5 * history.step_losses.front());
}

TEST(MaskedTokens, RefusesMasksThatCannotBe) {
  const CaughtLog log;
  const auto message = [](const PrepareOptions& options) {
    return error_of([&] { prepare_dataset(texts(3), letters(), options, {"user.cc", 7}); });
  };
  expect_parts(message({.mlm_probability = 0.15}), {"no token [MASK]", ".mask_token"});
  expect_parts(message({.mlm_probability = 0.15, .mask_token = "x y"}), {"no token x y"});
  expect_parts(message({.mlm_probability = 1.5, .mask_token = "a"}), {"mlm_probability = 1.5"});
  expect_parts(message({.label = "label", .mlm_probability = 0.2, .mask_token = "a"}),
               {"and the label 'label'", "user.cc:7"});
  const PretrainedModel classifier = BertForSequenceClassification::from_config(
      {.vocab_size = 30, .hidden_size = 8, .num_hidden_layers = 0, .num_attention_heads = 2});
  expect_parts(error_of([&] {
                 classifier.prepare_dataset(texts(3), letters(),
                                            {.mlm_probability = 0.2, .mask_token = "a"});
               }),
               {"for a BertForSequenceClassification", "a masked language model"});
}

}  // namespace
}  // namespace systolic
