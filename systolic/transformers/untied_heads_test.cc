// Language models whose head is not the table of the tokens' vectors, against `transformers`:
// untied.safetensors of golden/make_models.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class UntiedHeadTest : public testing::TestWithParam<std::string> {
 protected:
  bool is_causal() const { return GetParam() == "gpt2" || GetParam() == "xlnet"; }
  Task task() const { return is_causal() ? Task::causal_lm : Task::masked_lm; }
  PretrainedModel load(const std::string& folder, const Config::Map& fields = {}) const {
    return PretrainedModel::from_pretrained(folder, task(), {.config = fields}, {});
  }
  PretrainedModel untied() const { return load(folder_ / "", {{"tie_word_embeddings", false}}); }
  Example inputs(const PretrainedModel& model) const { return golden_.inputs(model.input_names()); }
  double difference(const PretrainedModel& model) const {
    return largest_difference(model.predict(inputs(model)), untied_["logits"]);
  }

  Golden golden_{GetParam()};
  TemporaryFolder folder_;
  Example untied_ = write_untied_model(GetParam(), folder_ / "");
  CaughtLog log_;
};

TEST_P(UntiedHeadTest, LogitsAndLossAreThoseOfTransformers) {
  PretrainedModel model = untied();
  EXPECT_LT(difference(model), output_tolerance);
  EXPECT_GT(difference(load(golden_.folder())), 0.1);  // of the head that is tied
  model.compile({.optimizer = Adam{.learning_rate = 5e-3}});
  const data::Dataset batch = golden_.batch(model.input_names(), task(), {"labels"});
  EXPECT_NEAR(model.evaluate(batch, {.verbose = 0})["loss"], untied_["loss"].item<float>(),
              loss_tolerance);
  const History history =
      model.fit(batch.repeat(), {.epochs = 2, .steps_per_epoch = 15, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), 0.8 * history.step_losses.front());
}

TEST_P(UntiedHeadTest, WhatIsSavedHasAllThatTransformersReads) {
  const PretrainedModel model = untied();
  model.save_pretrained(folder_ / "saved");
  const Example saved = io::read_safetensors(folder_ / "saved/model.safetensors").tensors;
  const Example read = io::read_safetensors(folder_ / "model.safetensors").tensors;
  for (const auto& [name, value] : saved) {
    ASSERT_TRUE(read.contains(name)) << name;
    EXPECT_EQ(value, read[name].convert(DType::f32)) << name;
  }
  for (const std::string& name : untied_.names()) {
    EXPECT_TRUE(saved.contains(name) || name == "logits" || name == "loss") << name;
  }
  const CaughtLog log;
  const PretrainedModel again = load(folder_ / "saved");
  EXPECT_EQ(log.lines(), "");
  EXPECT_FALSE(again.config().ties_word_embeddings());
  EXPECT_EQ(again.predict(inputs(again)), model.predict(inputs(model)));
}

TEST_P(UntiedHeadTest, WeightsThatDifferAreNotTiedWhateverTheFileSays) {
  const PretrainedModel model = load(folder_ / "");
  EXPECT_NE(log_.lines().find("not tied"), std::string::npos) << log_.lines();
  EXPECT_FALSE(model.config().ties_word_embeddings());
  EXPECT_LT(difference(model), output_tolerance);
}

TEST_P(UntiedHeadTest, ATiedHeadMayStandForTheWords) {
  Example tensors;  // the table under the head's name alone
  const auto is_table = [](const std::string& name) {
    return name.ends_with("word_embeddings.weight") || name.ends_with("word_embedding.weight") ||
           name.ends_with("wte.weight");
  };
  const auto is_head = [](const auto& one) {
    return one.name.ends_with(".weight") && one.value.rank() == 2;
  };
  const auto head = std::find_if(untied_.begin(), untied_.end(), is_head);
  for (const auto& [name, value] :
       io::read_safetensors(golden_.folder() + "/model.safetensors").tensors)
    tensors.set(is_table(name) ? head->name : name, value);
  io::write_safetensors(folder_ / "model.safetensors", tensors);
  const PretrainedModel model = load(folder_ / ""), whole = load(golden_.folder());
  EXPECT_EQ(model.predict(inputs(model)), whole.predict(inputs(whole)));
}

INSTANTIATE_TEST_SUITE_P(All, UntiedHeadTest,
                         testing::Values("albert", "bert", "big_bird", "distilbert", "electra",
                                         "gpt2", "roberta", "xlm-roberta", "camembert", "xlnet",
                                         "mpnet", "deberta_v2"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace systolic
