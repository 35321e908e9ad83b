// What models give besides their usual outputs, and for inputs that are not the usual ones, against
// `transformers`: golden/make_asked.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t asked_rows = 2;  // of the recipe
const std::vector<std::string> pair_masks = {
    "albert", "bert",       "big_bird", "distilbert", "electra", "roberta", "xlm-roberta-xl",
    "mpnet",  "modernbert", "gpt2",     "llama",      "gemma2",  "phi",     "mistral"};

class AskedOutputsTest : public testing::TestWithParam<std::string> {
 protected:
  PretrainedModel model(const PretrainedOptions& options) const {
    return AutoModel::from_pretrained(golden_.folder(), options);
  }
  Example inputs(const PretrainedModel& model) const {
    Example result;
    for (const auto& [name, value] : golden_.inputs(model.input_names()))
      result.set(name, value.rows(0, asked_rows));
    return result;
  }
  bool gives_states_alone() const {
    const std::string one = GetParam();
    return one == "resnet" || one == "convnext" || one == "swin" || one == "longformer_global";
  }
  bool reads_texts() const { return asked_.contains("by_position"); }
  double difference(const PretrainedModel& model, const Example& inputs, const char* wanted) const {
    return largest_difference(model.predict_outputs(inputs)["last_hidden_state"], asked_[wanted]);
  }

  CaughtLog log_;
  Golden golden_{GetParam()};
  Example asked_ = io::read_safetensors(golden_.folder() + "/asked.safetensors").tensors;
};

TEST_P(AskedOutputsTest, StatesAndAttentionsOfAllLayersAreThoseOfTransformers) {
  const PretrainedModel plain = model({});
  const PretrainedModel asked =
      model({.output_hidden_states = true, .output_attentions = !gives_states_alone()});
  const Example given = inputs(plain), usual = plain.predict_outputs(given),
                outputs = asked.predict_outputs(given);
  size_t compared = 0;
  for (const auto& [name, value] : outputs) {
    if (usual.contains(name)) {
      EXPECT_LT(largest_difference(value, usual[name]), output_tolerance) << name;
      continue;
    }
    ASSERT_TRUE(asked_.contains(name)) << name;
    EXPECT_LT(largest_difference(value, asked_[name]), output_tolerance) << name;
    ++compared;
  }
  const auto of_layers = std::count_if(asked_.begin(), asked_.end(), [](const auto& one) {
    return one.name.find('.') != std::string::npos;
  });
  EXPECT_EQ(compared, static_cast<size_t>(of_layers));
  EXPECT_EQ(asked.get_weights().size(), plain.get_weights().size());
}

TEST_P(AskedOutputsTest, TokensStandWhereItIsSaid) {
  if (!reads_texts()) return;
  const PretrainedModel asked = model({.optional_inputs = {"position_ids"}});
  Example given = inputs(asked);
  given.set("position_ids", asked_["position_ids"].convert(DType::i32));
  EXPECT_LT(difference(asked, given, "by_position"), output_tolerance);
}

TEST_P(AskedOutputsTest, TokensMayBeGivenAsVectors) {
  if (!reads_texts()) return;
  const PretrainedModel asked = model({.optional_inputs = {"inputs_embeds"}});
  Example given = inputs(asked);
  given.set("inputs_embeds", asked_["inputs_embeds"]);
  EXPECT_EQ(asked.input_names().front(), "inputs_embeds");
  EXPECT_LT(difference(asked, given, "by_vectors"), output_tolerance);
  EXPECT_EQ(asked.get_weights().size(), model({}).get_weights().size());
}

TEST_P(AskedOutputsTest, MasksMaySayWhichTokenSeesWhich) {
  const bool masks_pairs =
      std::find(pair_masks.begin(), pair_masks.end(), GetParam()) != pair_masks.end();
  if (!masks_pairs) {
    expect_parts(message_of([&] { model({.attention_mask_rank = 3}); }),
                 {"attention_mask_rank = 3", "expected 2"});
    return;
  }
  const PretrainedModel asked = model({.attention_mask_rank = 3});
  Example given = inputs(asked);
  given.set("attention_mask", asked_["mask_of_pairs"].convert(DType::i32));
  EXPECT_LT(difference(asked, given, "by_pairs"), output_tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, AskedOutputsTest,
                         testing::Values("albert", "bert", "big_bird", "distilbert", "electra",
                                         "roberta", "xlm-roberta-xl", "mpnet", "deberta_v2",
                                         "deberta_v2_conv", "modernbert", "longformer_global",
                                         "gpt2", "llama", "gemma2", "phi", "mistral", "vit", "beit",
                                         "dinov2", "clip_vision_model", "siglip_vision_model", "t5",
                                         "bart", "whisper", "xlnet", "clip_text_model", "resnet",
                                         "convnext", "swin"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AskedOutputs, AttentionOfALongformerIsRefused) {
  expect_parts(message_of([] {
                 LongformerModel::from_pretrained(golden_folder("longformer"),
                                                  {.output_attentions = true});
               }),
               {"output_attentions of a longformer model", "output_hidden_states"});
}

// What is asked for besides is no part of the loss, and is not saved.
TEST(AskedOutputs, AClassifierTrainsAndIsSavedAsWithoutThem) {
  const CaughtLog log;
  const Golden golden("bert");
  const auto loss_of = [&](const PretrainedOptions& options) {
    PretrainedModel model =
        AutoModelForSequenceClassification::from_pretrained(golden.folder(), options);
    model.compile({.optimizer = "adam"});
    return model.evaluate(
        golden.batch(model.input_names(), Task::sequence_classification, {"labels"}),
        {.verbose = 0})["loss"];
  };
  const PretrainedOptions asked{.output_hidden_states = true, .output_attentions = true};
  EXPECT_NEAR(loss_of(asked), loss_of({}), loss_tolerance);
  const TemporaryFolder folder;
  const PretrainedModel model =
      AutoModelForSequenceClassification::from_pretrained(golden.folder(), asked);
  model.save_pretrained(folder / "");
  const Example inputs = golden.inputs(model.input_names());
  const PretrainedModel again = AutoModelForSequenceClassification::from_pretrained(folder / "");
  EXPECT_EQ(again.predict_outputs(inputs).size(), 1U);
  EXPECT_LT(largest_difference(again.predict_outputs(inputs)["logits"],
                               model.predict_outputs(inputs)["logits"]),
            output_tolerance);
}

TEST(AskedOutputs, AWriterGeneratesTheSame) {
  const CaughtLog log;
  for (const std::string name : {"gpt2", "t5"}) {
    const Golden golden(name);
    const auto written = [&](const PretrainedOptions& options) {
      const Task task = name == "t5" ? Task::seq2seq_lm : Task::causal_lm;
      const PretrainedModel model =
          PretrainedModel::from_pretrained(golden.folder(), task, options, {});
      const Literal ids = golden.inputs({"input_ids"})["input_ids"].rows(0, 1);
      return model.generate(ids, {.max_new_tokens = 4, .num_beams = 1});
    };
    EXPECT_EQ(written({.output_hidden_states = true, .output_attentions = true}), written({}));
  }
}

TEST(AskedOutputs, WhatAModelDoesNotKnowIsNamed) {
  const auto message = [](const char* folder, const PretrainedOptions& options) {
    return message_of([&] { AutoModel::from_pretrained(golden_folder(folder), options); });
  };
  expect_parts(message("resnet", {.output_attentions = true}),
               {"output_attentions of a resnet model"});
  expect_parts(message("clip", {.output_hidden_states = true}),
               {"output_hidden_states or output_attentions of a CLIPModel"});
  expect_parts(message("t5", {.optional_inputs = {"position_ids"}}),
               {"optional_inputs of a t5 model: position_ids", "decoder_attention_mask"});
  expect_parts(message("vit", {.optional_inputs = {"inputs_embeds"}}),
               {"optional_inputs of a vit model", "expected none"});
  expect_parts(message("bert", {.attention_mask_rank = 4}),
               {"attention_mask_rank = 4", "expected 2 or 3"});
  const PretrainedModel positions =
      AutoModel::from_pretrained(golden_folder("bert"), {.optional_inputs = {"position_ids"}});
  const Literal ids = Literal::of<int32_t>({{5, 6}}), far = Literal::of<int32_t>({{0, 24}});
  expect_parts(message_of([&] {
                 positions.predict_outputs(Example{{"input_ids", ids}, {"position_ids", far}});
               }),
               {"24"});
}

}  // namespace
}  // namespace systolic
