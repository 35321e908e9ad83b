// Every architecture and head against what `transformers` computes from the same weights:
// golden/make_models.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/random.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

struct PretrainedCase {
  std::string model_type;
  Task task;
  std::vector<std::string> labels = {};
  Config::Map fields = {};
  bool interpolates = false;

  PretrainedOptions options() const {
    return {.config = fields, .interpolate_pos_encoding = interpolates};
  }
};

std::vector<PretrainedCase> cases() {
  std::vector<PretrainedCase> result;
  for (const std::string model_type :
       {"albert", "bert", "big_bird", "distilbert", "electra", "gpt2", "roberta", "xlm-roberta",
        "camembert", "longformer", "longformer_global", "xlnet", "mpnet", "xlm-roberta-xl",
        "deberta_v2", "deberta_v2_conv", "deberta_v2_one_way"}) {
    const auto add = [&](Task task, std::vector<std::string> labels) {
      result.push_back({model_type, task, std::move(labels)});
    };
    add(Task::features, {});
    add(Task::sequence_classification, {"labels"});
    add(Task::token_classification, {"labels"});
    add(Task::question_answering, {"start_positions", "end_positions"});
    const bool is_encoder = model_type != "xlnet" && model_type != "gpt2";
    if (is_encoder) add(Task::masked_lm, {"labels"});
    const bool reads_both_ways = model_type == "albert" || model_type == "distilbert" ||
                                 model_type == "mpnet" || model_type.starts_with("deberta") ||
                                 model_type.starts_with("longformer");
    if (reads_both_ways) continue;
    add(Task::causal_lm, {"labels"});
    if (is_encoder) result.back().fields = {{"is_decoder", true}};
    if (model_type == "electra") add(Task::pretraining, {"labels"});
  }
  for (const std::string model_type :
       {"gemma", "gemma2", "gemma3_text", "llama", "mistral", "phi", "qwen2", "qwen3", "smollm3"}) {
    result.push_back({model_type, Task::features});
    result.push_back({model_type, Task::sequence_classification, {"labels"}});
    result.push_back({model_type, Task::causal_lm, {"labels"}});
    if (model_type != "gemma3_text")
      result.push_back({model_type, Task::token_classification, {"labels"}});
  }
  for (const std::string model_type :
       {"beit", "beit_shared", "beit_other_size", "beit_shared_other_size", "clip", "convnext",
        "deit", "dinov2", "dinov2_swiglu", "resnet", "siglip", "swin", "swin_absolute", "vit",
        "vit_other_size"}) {
    for (const Task task : {Task::features, Task::image_classification}) {
      result.push_back({model_type, task});
      result.back().interpolates = model_type.ends_with("_other_size");
      if (task == Task::image_classification) result.back().labels = {"labels"};
    }
  }
  result.push_back({"deit", Task::image_classification_with_teacher});
  for (const std::string model_type : {"modernbert", "modernbert_mean"}) {
    result.push_back({model_type, Task::features});
    for (const Task task :
         {Task::sequence_classification, Task::token_classification, Task::masked_lm})
      result.push_back({model_type, task, {"labels"}});
  }
  result.push_back({"modernbert_answers", Task::features});
  result.push_back(
      {"modernbert_answers", Task::question_answering, {"start_positions", "end_positions"}});
  for (const std::string model_type :
       {"clip_text_model", "clip_text_old", "clip_vision_model", "clip_vision_other_size",
        "siglip_text_model", "siglip_vision_model"}) {
    const bool is_clip = model_type.starts_with("clip");
    for (const Task task : {Task::features, Task::projection}) {
      if (task == Task::projection && !is_clip) continue;
      result.push_back({model_type, task});
      result.back().interpolates = model_type == "clip_vision_other_size";
    }
  }
  return result;
}

class PretrainedTest : public testing::TestWithParam<PretrainedCase> {
 protected:
  PretrainedModel model() const {
    return PretrainedModel::from_pretrained(golden_.folder(), GetParam().task, GetParam().options(),
                                            {});
  }
  Golden golden_{GetParam().model_type};
  CaughtLog log_;
};

TEST_P(PretrainedTest, OutputsAndLossAreThoseOfTransformers) {
  const PretrainedCase& one = GetParam();
  PretrainedModel model = this->model();
  const Example outputs = model.predict_outputs(golden_.inputs(model.input_names()));
  ASSERT_FALSE(outputs.empty());
  for (const auto& [name, value] : outputs) {
    EXPECT_LT(largest_difference(value, golden_.value(one.task, name)), output_tolerance) << name;
  }
  if (one.labels.empty()) return;
  model.compile({.optimizer = "adam"});
  const Evaluation evaluation =
      model.evaluate(golden_.batch(model.input_names(), one.task, one.labels), {.verbose = 0});
  EXPECT_NEAR(evaluation["loss"], golden_.value(one.task, "loss").item<float>(), loss_tolerance);
}

TEST_P(PretrainedTest, WhatIsSavedIsReadAgain) {
  const PretrainedModel model = this->model();
  const TemporaryFolder folder;
  model.save_pretrained(folder / "saved");
  const CaughtLog log;
  const PretrainedModel again = PretrainedModel::from_pretrained(
      folder / "saved", GetParam().task, {.interpolate_pos_encoding = GetParam().interpolates}, {});
  EXPECT_EQ(log.lines(), "");
  EXPECT_EQ(again.config().entries(GetParam().task), model.config().entries(GetParam().task));
  const Example inputs = golden_.inputs(model.input_names());
  EXPECT_EQ(again.predict_outputs(inputs), model.predict_outputs(inputs));
}

TEST_P(PretrainedTest, TrainingLowersTheLoss) {
  const PretrainedCase& one = GetParam();
  if (one.labels.empty()) return;
  set_seed(1);
  PretrainedModel model = this->model();
  model.compile({.optimizer = Adam{.learning_rate = 5e-3}});
  const data::Dataset batch = golden_.batch(model.input_names(), one.task, one.labels);
  const History history =
      model.fit(batch.repeat(), {.epochs = 2, .steps_per_epoch = 15, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), 0.8 * history.step_losses.front());
}

// Weights after steps with dropout, to the bit where ops are computed as they stand.
TEST_P(PretrainedTest, GradientCheckpointingChangesNothing) {
  const PretrainedCase& one = GetParam();
  if (one.labels.empty()) return;
  set_default_client(runtime::open_client({.backend = "interpreter"}));
  std::vector<Literal> weights[2];
  for (const bool again : {false, true}) {
    set_seed(1);
    PretrainedOptions options = one.options();
    options.gradient_checkpointing = again;
    PretrainedModel model =
        PretrainedModel::from_pretrained(golden_.folder(), one.task, options, {});
    model.compile({.optimizer = Adam{.learning_rate = 5e-3}});
    const data::Dataset batch = golden_.batch(model.input_names(), one.task, one.labels);
    model.fit(batch.repeat(), {.epochs = 1, .steps_per_epoch = 2, .verbose = 0});
    weights[again ? 1 : 0] = model.get_weights();
  }
  set_default_client(nullptr);
  EXPECT_TRUE(weights[1] == weights[0]);
}

INSTANTIATE_TEST_SUITE_P(All, PretrainedTest, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.model_type + std::string(class_suffix(info.param.task));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace systolic
