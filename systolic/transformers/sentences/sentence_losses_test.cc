// Losses of sentences' vectors against PyTorch's functions: golden/make_sentence_losses.py; and
// that a model trains by them.
#include "systolic/transformers/sentences/sentence_losses.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/text/files/new_tokenizer.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/sentences/sentence_transformer.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

struct SentenceLossRow {
  const char* name;
  int64_t texts;
  LossFunction loss;
};

std::vector<SentenceLossRow> sentence_losses() {
  return {{"ranking_of_two", 2, MultipleNegativesRankingLoss{}},
          {"ranking_of_three", 3, MultipleNegativesRankingLoss{.scale = 5}},
          {"cosine", 2, CosineSimilarityLoss{}},
          {"contrastive", 2, ContrastiveLoss{.margin = 0.9}},
          {"triplet", 3, TripletLoss{.margin = 1}}};
}

TEST(SentenceLosses, ValuesAndGradientsAreThoseOfPyTorch) {
  const Example golden = io::read_safetensors(golden_folder("sentence_losses.safetensors")).tensors;
  for (const SentenceLossRow& row : sentence_losses()) {
    const Tensor all_texts = Tensor(golden["vectors"]);
    Tensor labels = Tensor(golden["labels"]);
    if (row.name == std::string("contrastive")) labels = cast(labels > 0.5, DType::f32);
    GradientTape tape;
    tape.watch(all_texts);
    const Tensor vectors =
        slice(all_texts, {0, 0, 0}, {all_texts.shape()[0], row.texts, all_texts.shape()[2]});
    const Tensor loss = row.loss(labels, vectors);
    const Tensor gradient = tape.gradient(loss, all_texts);
    EXPECT_NEAR(loss.literal().item<float>(), golden[row.name].item<float>(), 1e-6) << row.name;
    EXPECT_LT(largest_difference(gradient.literal(), golden[str("gradient.", row.name)]), 1e-6)
        << row.name;
  }
}

TEST(SentenceLosses, OtherNumbersOfTextsAreNamed) {
  const Tensor labels = Tensor(Literal::zeros(DType::f32, {4})),
               vectors = Tensor(Literal::zeros(DType::f32, {4, 2, 3}));
  expect_parts(message_of([&] { TripletLoss{}.values(labels, vectors); }),
               {"TripletLoss", "3 texts"});
  const Tensor alone = Tensor(Literal::zeros(DType::f32, {4, 1, 3}));
  expect_parts(message_of([&] { MultipleNegativesRankingLoss{}.values(labels, alone); }),
               {"MultipleNegativesRankingLoss", "2 or more texts"});
  const Tensor few = Tensor(Literal::zeros(DType::f32, {3}));
  expect_parts(message_of([&] { CosineSimilarityLoss{}.values(few, vectors); }),
               {"labels of shape", "one number for each row"});
}

SentenceTransformer small_sentences(std::vector<SentencePooling> poolings) {
  auto tokenizer = NewTokenizer::bert_word_piece();
  const std::vector<std::string> texts = {"the boat sails", "a ship is at sea", "bread is baked",
                                          "the oven is hot"};
  tokenizer.train(texts, {.vocab_size = 60});
  set_seed(3);
  return SentenceTransformer(
      BertModel::from_config({.vocab_size = static_cast<int64_t>(tokenizer.vocab_size()),
                              .hidden_size = 16,
                              .num_hidden_layers = 1,
                              .num_attention_heads = 2,
                              .intermediate_size = 32,
                              .hidden_dropout_prob = 0,
                              .attention_probs_dropout_prob = 0,
                              .max_position_embeddings = 32}),
      tokenizer, std::move(poolings));
}

TEST(SentenceTraining, VectorsAreThoseOfEncode) {
  using enum SentencePooling;
  const SentenceTransformer model = small_sentences({cls, max, mean, mean_sqrt_len});
  const std::vector<std::string> first = {"the boat sails", "bread"}, second = {"a ship", "oven"};
  const Literal vectors = model.training_model(2).predict(model.training_inputs({first, second}));
  ASSERT_EQ(vectors.shape(), (Shape{2, 2, 64}));
  for (int64_t row = 0; row < 2; ++row) {
    const Literal wanted =
        model.encode({first[static_cast<size_t>(row)], second[static_cast<size_t>(row)]});
    EXPECT_LT(largest_difference(vectors.row(row), wanted), 1e-5);
  }
  expect_parts(message_of([&] {
                 model.training_inputs({first, {"one"}});
               }),
               {"columns of 2 and 1 texts"});
  expect_parts(message_of([&] { model.training_inputs({}); }), {"without texts"});
  expect_parts(message_of([&] { model.training_model(0); }), {"0 texts a row"});
}

TEST(SentenceTraining, TextsOfLikeMeaningComeTogether) {
  const SentenceTransformer model = small_sentences({SentencePooling::mean});
  const std::vector<std::string> questions = {"the boat sails", "bread is baked"},
                                 answers = {"a ship is at sea", "the oven is hot"};
  const auto apart = [&] {
    const Literal all_pairs = cos_sim(model.encode(questions), model.encode(answers));
    return all_pairs.number_at(0) + all_pairs.number_at(3) - all_pairs.number_at(1) -
           all_pairs.number_at(2);
  };
  const double before = apart();
  Model training = model.training_model(2);
  training.compile(
      {.optimizer = Adam{.learning_rate = 1e-2}, .loss = MultipleNegativesRankingLoss{}});
  training.fit(model.training_inputs({questions, answers}), Literal::zeros(DType::f32, {2}),
               {.epochs = 20, .verbose = 0});
  EXPECT_GT(apart(), before + 0.5);
}

}  // namespace
}  // namespace systolic
