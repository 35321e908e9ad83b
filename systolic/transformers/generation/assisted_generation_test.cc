// generate() with a model that drafts: the same texts as without, or of the same distribution.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/trace/ops/random.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/generation/text_streamer.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t none = -1;

// A decoder of random weights; `seed` says which. `flat`: its scores differ little.
PretrainedModel small_model(uint64_t seed, int64_t layers, int64_t vocabulary = 60,
                            double range = 0.5) {
  set_seed(seed);
  return LlamaForCausalLM::from_config({.vocab_size = vocabulary,
                                        .hidden_size = 16,
                                        .intermediate_size = 24,
                                        .num_hidden_layers = layers,
                                        .num_attention_heads = 2,
                                        .max_position_embeddings = 64,
                                        .initializer_range = range});
}

class AssistedTest : public testing::Test {
 protected:
  Example prompts() const {
    return {
        {"input_ids",
         Literal::from(std::vector<int32_t>{0, 0, 5, 9, 11, 3, 7, 7, 8, 2, 0, 4, 5, 6, 7}, {3, 5})},
        {"attention_mask",
         Literal::from(std::vector<int32_t>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, {3, 5})}};
  }
  PretrainedModel target_ = small_model(1, 2);
  // The same model agrees with each token, one of other weights with few.
  PretrainedModel drafts_[2] = {target_, small_model(2, 1)};
};

TEST_F(AssistedTest, GreedyTextsAreThoseWithoutADraft) {
  const int64_t end =
      target_.generate(prompts(), {.max_new_tokens = 5, .eos_token_id = none}).integer_at(9);
  const GenerationConfig table[] = {
      {.max_new_tokens = 1, .eos_token_id = none},
      {.max_new_tokens = 17, .eos_token_id = none},
      {.max_new_tokens = 17, .eos_token_id = end, .pad_token_id = 0},
      {.max_new_tokens = 17, .min_new_tokens = 9, .eos_token_id = end, .pad_token_id = 0},
      {.max_new_tokens = 17, .repetition_penalty = 1.7, .eos_token_id = none},
      {.max_new_tokens = 17, .no_repeat_ngram_size = 2, .eos_token_id = none},
      {.max_new_tokens = 17, .forced_eos_token_id = 7, .eos_token_id = none},
      {.max_new_tokens = 50, .suppress_tokens = {1, 2, 3, 4}, .eos_token_id = none},
  };
  for (const GenerationConfig& options : table) {
    const Literal wanted = target_.generate(prompts(), options);
    for (const PretrainedModel& draft : drafts_) {
      for (const int64_t tokens : {1, 4, 7}) {
        GenerationConfig assisted = options;
        assisted.assistant_model = &draft;
        assisted.num_assistant_tokens = tokens;
        EXPECT_EQ(target_.generate(prompts(), assisted), wanted) << tokens;
      }
    }
  }
}

TEST_F(AssistedTest, OtherArchitecturesDraftToo) {
  const PretrainedModel target = AutoModelForCausalLM::from_pretrained(golden_folder("llama"));
  const Literal ids = Literal::from(std::vector<int32_t>{5, 9, 11, 3}, {1, 4});
  const GenerationConfig plain{.max_new_tokens = 12, .eos_token_id = none};
  for (const char* name : {"mistral", "gpt2", "gemma"}) {
    const PretrainedModel draft = AutoModelForCausalLM::from_pretrained(golden_folder(name));
    GenerationConfig assisted = plain;
    assisted.assistant_model = &draft;
    EXPECT_EQ(target.generate(ids, assisted), target.generate(ids, plain)) << name;
    // And the other way round: places that a window hides, positions of their own.
    assisted.assistant_model = &target;
    EXPECT_EQ(draft.generate(ids, assisted), draft.generate(ids, plain)) << name;
  }
}

TEST_F(AssistedTest, CoresShareTheRows) {
  const Literal wanted = target_.generate(prompts(), {.max_new_tokens = 9, .eos_token_id = none});
  const TPUStrategy strategy(TPUClusterResolver("v3-8"));
  const PretrainedModel target = strategy.scope([] { return small_model(1, 2); }),
                        draft = strategy.scope([] { return small_model(2, 1); });
  EXPECT_EQ(target.generate(prompts(),
                            {.max_new_tokens = 9, .eos_token_id = none, .assistant_model = &draft}),
            wanted);
}

class Collector : public Streamer {
 public:
  void put(std::span<const int32_t> ids) override {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  void end() override {}
  const std::vector<int32_t>& ids() const { return ids_; }

 private:
  std::vector<int32_t> ids_;
};

TEST_F(AssistedTest, StreamersGetTheTokens) {
  const Literal prompt = Literal::from(std::vector<int32_t>{5, 9, 11}, {1, 3});
  const GenerationConfig plain{.max_new_tokens = 11, .eos_token_id = none};
  const Literal wanted = target_.generate(prompt, plain);
  for (const PretrainedModel& draft : drafts_) {
    Collector collector;
    GenerationConfig assisted = plain;
    assisted.streamer = &collector;
    assisted.assistant_model = &draft;
    EXPECT_EQ(target_.generate(prompt, assisted), wanted);
    const auto all = wanted.data<int32_t>();
    EXPECT_EQ(collector.ids(), std::vector<int32_t>(all.begin(), all.end()));
  }
}

TEST_F(AssistedTest, AChangedDraftIsReadAgain) {
  PretrainedModel target = small_model(3, 1, 20), draft = small_model(4, 1, 20);
  const Literal ids = Literal::from(std::vector<int32_t>{5, 9}, {1, 2});
  const GenerationConfig options{
      .max_new_tokens = 6, .eos_token_id = none, .assistant_model = &draft};
  target.generate(ids, options);
  draft.resize_token_embeddings(24);
  EXPECT_THROW(target.generate(ids, options), InvalidArgument);
  target.resize_token_embeddings(24);
  const GenerationConfig plain{.max_new_tokens = 6, .eos_token_id = none};
  EXPECT_EQ(target.generate(ids, options), target.generate(ids, plain));
}

// Pearson's statistic of counts and the chances that they should have.
double chi_square(const std::map<std::vector<int32_t>, int64_t>& counts,
                  const std::map<std::vector<int32_t>, double>& chances, double draws) {
  double sum = 0, rest = draws, rest_expected = draws;
  for (const auto& [tokens, chance] : chances) {
    const double expected = chance * draws;
    if (expected < 10) continue;
    const auto found = counts.find(tokens);
    const double count = found == counts.end() ? 0 : static_cast<double>(found->second);
    sum += (count - expected) * (count - expected) / expected;
    rest -= count, rest_expected -= expected;
  }
  if (rest_expected > 10) sum += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
  return sum;
}

// The chances of each text of three tokens after the prompt, by the model's own logits: softmax of
// the `top_k` largest, divided by the temperature.
std::map<std::vector<int32_t>, double> chances_of_texts(const PretrainedModel& model,
                                                        const std::vector<int32_t>& prompt,
                                                        size_t top_k, double temperature) {
  std::map<std::vector<int32_t>, double> texts{{{}, 1.0}};
  for (int step = 0; step < 3; ++step) {
    std::map<std::vector<int32_t>, double> longer;
    for (const auto& [tokens, chance] : texts) {
      std::vector<int32_t> ids = prompt;
      ids.insert(ids.end(), tokens.begin(), tokens.end());
      const auto count = static_cast<int64_t>(ids.size());
      const Literal logits = model.predict(Literal::from(ids, {1, count})).convert(DType::f32);
      const auto size = static_cast<size_t>(logits.shape()[2]);
      const auto last = logits.data<float>().last(size);
      std::vector<int32_t> order(size);
      std::iota(order.begin(), order.end(), 0);
      const auto score = [&](int32_t token) { return last[static_cast<size_t>(token)]; };
      std::ranges::sort(order, [&](int32_t a, int32_t b) { return score(a) > score(b); });
      double sum = 0;
      for (size_t i = 0; i < top_k; ++i) sum += std::exp(score(order[i]) / temperature);
      for (size_t i = 0; i < top_k; ++i) {
        std::vector<int32_t> next = tokens;
        next.push_back(order[i]);
        longer[next] = chance * std::exp(score(order[i]) / temperature) / sum;
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

TEST_F(AssistedTest, DrawnTextsHaveTheDistributionOfTheModel) {
  constexpr int64_t draws = 4096;
  constexpr double temperature = 1.3;
  constexpr size_t top_k = 4;
  const std::vector<int32_t> prompt{5, 9, 11};
  const PretrainedModel target = small_model(5, 2, 12), other = small_model(6, 1, 12);
  const auto chances = chances_of_texts(target, prompt, top_k, temperature);
  const auto of_other = chances_of_texts(other, prompt, top_k, temperature);
  for (const PretrainedModel& draft : {target, other}) {
    for (const int64_t tokens : {1, 2, 3}) {
      std::map<std::vector<int32_t>, int64_t> counts;
      // A text by itself may keep more of its draft than many together do.
      for (const int64_t rows : {draws, int64_t{1}}) {
        if (rows == 1 && tokens != 2) continue;
        counts.clear();
        const int64_t calls = rows == 1 ? 600 : 1;
        for (int64_t call = 0; call < calls; ++call) {
          const Literal ids = target.generate(Literal::from(prompt, {1, 3}),
                                              {.max_new_tokens = 3,
                                               .do_sample = true,
                                               .num_return_sequences = rows,
                                               .temperature = temperature,
                                               .top_k = top_k,
                                               .eos_token_id = none,
                                               .seed = static_cast<uint64_t>(7 + call),
                                               .assistant_model = &draft,
                                               .num_assistant_tokens = tokens});
          const auto all = ids.data<int32_t>();
          for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
            ++counts[std::vector<int32_t>(all.begin() + 6 * row + 3, all.begin() + 6 * row + 6)];
        }
        for (const auto& [text, count] : counts) EXPECT_TRUE(chances.contains(text));
        // At most 64 texts: the statistic has a mean of 63 and a deviation of 11.2; six of these.
        EXPECT_LT(chi_square(counts, chances, static_cast<double>(rows * calls)), 63 + 6 * 11.2)
            << tokens << " " << rows;
        // The draft's own distribution is another.
        EXPECT_GT(chi_square(counts, of_other, static_cast<double>(rows * calls)), 500);
      }
    }
  }
}

TEST_F(AssistedTest, WhatCannotBeIsNamed) {
  const Literal ids = Literal::from(std::vector<int32_t>{5, 9}, {1, 2});
  const PretrainedModel larger = small_model(3, 1, 61);
  expect_parts(error_of([&] { target_.generate(ids, {.assistant_model = &larger}); }),
               {"an assistant_model of 61 tokens", "the same vocabulary, of 60 tokens"});
  EXPECT_THROW(target_.generate(ids, {.num_beams = 2, .assistant_model = &drafts_[1]}),
               Unimplemented);
  EXPECT_THROW(target_.generate(ids, {.assistant_model = &drafts_[1], .num_assistant_tokens = 0}),
               InvalidArgument);
  const PretrainedModel bert = BertModel::from_config({.vocab_size = 60,
                                                       .hidden_size = 16,
                                                       .num_hidden_layers = 1,
                                                       .num_attention_heads = 2,
                                                       .intermediate_size = 8});
  expect_parts(error_of([&] { target_.generate(ids, {.assistant_model = &bert}); }),
               {"generate with a BertModel as its assistant"});
  const PretrainedModel t5 = T5ForConditionalGeneration::from_config(
      {.vocab_size = 60, .d_model = 16, .d_kv = 8, .d_ff = 16, .num_layers = 1, .num_heads = 2});
  EXPECT_THROW(t5.generate(ids, {.assistant_model = &drafts_[1]}), Unimplemented);
}

}  // namespace
}  // namespace systolic
