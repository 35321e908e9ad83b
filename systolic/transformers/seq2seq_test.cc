// Encoder-decoders against what `transformers` computes from the same folders:
// golden/make_seq2seq.py.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/config/shift_tokens.h"
#include "systolic/transformers/layers/relative_buckets.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class Seq2SeqTest : public testing::TestWithParam<std::string> {
 protected:
  PretrainedModel model(Task task = Task::seq2seq_lm, const PretrainedOptions& options = {}) const {
    return PretrainedModel::from_pretrained(golden_.folder(), task, options, {});
  }
  const Literal& value(const std::string& name) const {
    return golden_.value(Task::seq2seq_lm, name);
  }
  // What the encoder reads.
  std::vector<std::string> sources() const {
    if (GetParam() == "whisper") return {"input_features"};
    return {"input_ids", "attention_mask"};
  }
  // As PyTorch takes them: what is written so far is made of the labels.
  data::Dataset labelled() const { return golden_.batch(sources(), Task::seq2seq_lm, {"labels"}); }

  Golden golden_{GetParam()};
  CaughtLog log_;
};

TEST_P(Seq2SeqTest, HiddenStatesAreThoseOfTransformers) {
  const PretrainedModel model = this->model(Task::features);
  const Example outputs = model.predict_outputs(golden_.inputs(model.input_names()));
  ASSERT_EQ(outputs.size(), 2);
  for (const auto& [name, states] : outputs) {
    EXPECT_LT(largest_difference(states, golden_.value(Task::features, name)), output_tolerance)
        << name;
  }
}

TEST_P(Seq2SeqTest, LogitsAreThoseOfTransformers) {
  const PretrainedModel plain = model();
  EXPECT_LT(largest_difference(plain.predict(golden_.inputs(plain.input_names())), value("logits")),
            output_tolerance);
  const PretrainedModel masked =
      model(Task::seq2seq_lm, {.optional_inputs = {"decoder_attention_mask"}});
  EXPECT_LT(largest_difference(masked.predict(golden_.inputs(masked.input_names())),
                               value("logits_masked")),
            output_tolerance);
}

// The vectors of the ids: those of the table, as the model scales them.
TEST_P(Seq2SeqTest, VectorsInPlaceOfIdsAreTheSame) {
  if (GetParam() == "whisper") return;
  const PretrainedModel by_vectors =
      model(Task::seq2seq_lm, {.optional_inputs = {"inputs_embeds"}});
  const std::string table_name = GetParam().ends_with("t5")        ? "shared"
                                 : GetParam() == "marian_separate" ? "model.encoder.embed_tokens"
                                                                   : "model.shared";
  const Literal table = by_vectors.network().layer(table_name).weights().at(0).literal();
  const double scale = GetParam().starts_with("marian") ? std::sqrt(32.0) : 1;
  Example inputs = golden_.inputs(by_vectors.input_names());
  const Tensor ids(golden_.inputs({"input_ids"})["input_ids"].convert(DType::i32));
  inputs.set("inputs_embeds", (gather(Tensor(table), ids) * scale).literal());
  EXPECT_EQ(by_vectors.input_names(),
            (std::vector<std::string>{"inputs_embeds", "attention_mask", "decoder_input_ids"}));
  EXPECT_LT(largest_difference(by_vectors.predict(inputs), value("logits")), output_tolerance);
}

// To the bit, with dropout, where ops are computed as they stand.
TEST_P(Seq2SeqTest, GradientCheckpointingChangesNothing) {
  set_default_client(runtime::open_client({.backend = "interpreter"}));
  std::vector<Literal> weights[2];
  for (const bool again : {false, true}) {
    set_seed(1);
    PretrainedModel trained = model(Task::seq2seq_lm, {.gradient_checkpointing = again});
    trained.compile({.optimizer = Adam{.learning_rate = 5e-3}});
    trained.fit(labelled().repeat(), {.epochs = 1, .steps_per_epoch = 2, .verbose = 0});
    weights[again ? 1 : 0] = trained.get_weights();
  }
  set_default_client(nullptr);
  EXPECT_TRUE(weights[1] == weights[0]);
}

TEST_P(Seq2SeqTest, LossOfLabelsAloneIsThatOfTransformers) {
  PretrainedModel model = this->model();
  model.compile({.optimizer = "adam"});
  const double wanted = value("loss").item<float>();
  EXPECT_NEAR(model.evaluate(labelled(), {.verbose = 0})["loss"], wanted, 2 * loss_tolerance);
  const Example inputs = golden_.inputs(sources());
  EXPECT_NEAR(model.evaluate(inputs, value("labels"), {.verbose = 0})["loss"], wanted,
              2 * loss_tolerance);
}

TEST_P(Seq2SeqTest, TrainingLowersTheLoss) {
  set_seed(1);
  PretrainedModel model = this->model();
  model.compile({.optimizer = Adam{.learning_rate = 5e-3}});
  const History history =
      model.fit(labelled().repeat(), {.epochs = 2, .steps_per_epoch = 15, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), 0.8 * history.step_losses.front());
}

TEST_P(Seq2SeqTest, WhatIsSavedIsReadAgain) {
  const TemporaryFolder folder;
  for (const Task task : {Task::seq2seq_lm, Task::features}) {
    const PretrainedModel model = this->model(task);
    model.save_pretrained(folder / "saved");
    const CaughtLog log;
    const PretrainedModel again = PretrainedModel::from_pretrained(folder / "saved", task, {}, {});
    EXPECT_EQ(log.lines(), "");
    EXPECT_EQ(again.config().entries(task), model.config().entries(task));
    const Example inputs = golden_.inputs(model.input_names());
    EXPECT_EQ(again.predict_outputs(inputs), model.predict_outputs(inputs));
  }
}

TEST_P(Seq2SeqTest, MoreTokensAreMoreScores) {
  PretrainedModel model = this->model();
  model.resize_token_embeddings(70);
  const Literal logits = model.predict(golden_.inputs(model.input_names()));
  if (GetParam() == "marian_separate") {  // those that are read alone, as in transformers
    EXPECT_LT(largest_difference(logits, value("logits")), output_tolerance);
    return;
  }
  EXPECT_EQ(logits.shape(), (Shape{3, 7, 70}));
  const Tensor known = Tensor(logits)[{ellipsis, Slice{.end = 60}}];
  EXPECT_LT(largest_difference(known.literal(), value("logits")), output_tolerance);
}

TEST_P(Seq2SeqTest, FrozenBodiesStay) {
  PretrainedModel model = this->model();
  const size_t all_weights = model.network().trainable_variables().size();
  model.freeze();
  EXPECT_LT(model.network().trainable_variables().size(), 2);  // an own head
  model.freeze(false);
  EXPECT_EQ(model.network().trainable_variables().size(), all_weights);
}

INSTANTIATE_TEST_SUITE_P(All, Seq2SeqTest,
                         testing::Values("t5", "mt5", "bart", "marian", "marian_separate",
                                         "whisper"),
                         [](const auto& info) { return info.param; });

TEST(RelativeBucketsTest, AreThoseOfTransformers) {
  const auto wanted =
      io::read_safetensors(golden_folder("t5") + "/relative_buckets.safetensors").tensors;
  for (const auto& [name, buckets] : wanted) {
    RelativeBuckets options;
    char both[8] = "";
    long count = 0, distance = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "%ld.%ld.%7s", &count, &distance, both), 3);
    options = {count, distance, std::string(both) == "True"};
    const std::vector<int32_t> got = bucket_of_distances(options);
    for (int64_t i = 0; i < buckets.size(); ++i) {
      const int64_t beyond = (buckets.size() - static_cast<int64_t>(got.size())) / 2;
      const int64_t at = std::clamp<int64_t>(i - beyond, 0, static_cast<int64_t>(got.size()) - 1);
      EXPECT_EQ(got[static_cast<size_t>(at)], buckets.integer_at(i)) << name << " " << i;
    }
  }
}

TEST(ShiftTokensTest, PutsTheStartFirst) {
  const Literal labels = Literal::of<int64_t>({{7, 8, 1}, {9, -100, -100}});
  EXPECT_EQ(shift_tokens_right(labels, {.start = 2, .padding = 3}),
            Literal::of<int32_t>({{2, 7, 8}, {2, 9, 3}}));
  for (const Literal& wrong : {Literal::of<int32_t>({1, 2}), Literal::of<float>({{1, 2}})}) {
    const std::string message = message_of<InvalidArgument>([&] { shift_tokens_right(wrong, {}); });
    EXPECT_NE(message.find("integers [batch, tokens]"), std::string::npos) << message;
  }
}

TEST(Seq2SeqConfigTest, WhatCannotBeIsNamed) {
  const struct {
    const char* json;
    std::vector<std::string> parts;
  } table[] = {
      {R"({"model_type": "t5", "feed_forward_proj": "gated-gated-relu"})",
       {"'feed_forward_proj'", "gated-gelu"}},
      {R"({"model_type": "t5", "relative_attention_max_distance": 16})",
       {"'relative_attention_max_distance'", "got 16", "num_buckets, 32"}},
      {R"({"model_type": "t5", "is_encoder_decoder": false})", {"'is_encoder_decoder'"}},
      {R"({"model_type": "mt5", "decoder_start_token_id": 300000})",
       {"'decoder_start_token_id'", "300000"}},
      {R"({"model_type": "bart", "decoder_attention_heads": 7})", {"'d_model'", "a multiple of 7"}},
      {R"({"model_type": "bart", "decoder_start_token_id": 50265})",
       {"'decoder_start_token_id'", "50265", "vocab_size"}},
      {R"({"model_type": "marian", "decoder_vocab_size": 7})",
       {"'decoder_vocab_size'", "got 7", "58101"}},
      {R"({"model_type": "marian", "share_encoder_decoder_embeddings": 3})",
       {"'share_encoder_decoder_embeddings'"}},
      {R"({"model_type": "marian", "share_encoder_decoder_embeddings": false,
           "decoder_vocab_size": 7})",
       {"'decoder_start_token_id'", "58100", "7"}},
  };
  const TemporaryFolder folder;
  for (const auto& row : table) {
    put_file(folder / "config.json", row.json);
    const std::string message =
        message_of<Error>([&] { PretrainedConfig::from_pretrained(folder / ""); });
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
}

// T5 1.1's files say so by their head.
TEST(Seq2SeqConfigTest, StatesAreScaledAsTheFileHasIt) {
  const TemporaryFolder folder;
  const auto scales = [&](const char* json) {
    put_file(folder / "config.json", json);
    const Config entries = PretrainedConfig::from_pretrained(folder / "").entries(Task::seq2seq_lm);
    return entries["scale_decoder_outputs"].boolean();
  };
  EXPECT_TRUE(scales(R"({"model_type": "t5"})"));
  EXPECT_FALSE(scales(R"({"model_type": "t5", "tie_word_embeddings": false})"));
  EXPECT_FALSE(scales(R"({"model_type": "t5", "scale_decoder_outputs": false})"));
}

TEST(Seq2SeqLengthTest, LongerTextsThanPositionsAreNamed) {
  const PretrainedModel model = BartModel::from_config({.vocab_size = 20,
                                                        .d_model = 8,
                                                        .max_position_embeddings = 4,
                                                        .encoder_layers = 1,
                                                        .encoder_ffn_dim = 8,
                                                        .encoder_attention_heads = 2,
                                                        .decoder_layers = 1,
                                                        .decoder_ffn_dim = 8,
                                                        .decoder_attention_heads = 2,
                                                        .decoder_start_token_id = 2});
  const Literal four = Literal::filled(DType::i32, {1, 4}, 3),
                five = Literal::filled(DType::i32, {1, 5}, 3);
  for (const bool source : {true, false}) {
    const std::string message = message_of<InvalidArgument>([&] {
      model.predict_outputs(Example{{"input_ids", source ? five : four},
                                    {"decoder_input_ids", source ? four : five}});
    });
    EXPECT_NE(message.find(source ? "the encoder" : "the decoder"), std::string::npos) << message;
    EXPECT_NE(message.find("at most 4"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace systolic
