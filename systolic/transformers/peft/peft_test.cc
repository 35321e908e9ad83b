// Adapters as peft saves them (golden/make_peft.py): read, run, trained, written, merged.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/ops/random.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/peft/peft_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

struct PeftCase {
  const char* name;
  const char* base;
  Task task;
};

void PrintTo(const PeftCase& row, std::ostream* out) { *out << row.name; }

class Peft : public testing::TestWithParam<PeftCase> {
 protected:
  std::string folder() const { return golden_folder("peft") + "/" + GetParam().name; }
  PretrainedModel base() const {
    return PretrainedModel::from_pretrained(
        golden_folder(GetParam().base), GetParam().task,
        {.config = without_dropout(), .ignore_mismatched_sizes = true}, SourceLocation::current());
  }
  PeftModel adapted(bool is_trainable = true) const {
    return PeftModel::from_pretrained(base(), folder(), PeftOptions{.is_trainable = is_trainable});
  }
  Example expected() const {
    return io::read_safetensors(folder() + "/expected.safetensors").tensors;
  }
  static Example named(const Example& all, const std::vector<std::string>& names) {
    Example result;
    for (const std::string& name : names) {
      if (all.contains(name)) result.set(name, all[name]);
    }
    return result;
  }
  static Literal logits(const PretrainedModel& model, const Example& all) {
    return model.predict(named(all, model.input_names()));
  }

 private:
  Config::Map without_dropout() const {
    const std::string base = GetParam().base;
    if (base == "gpt2") return {{"resid_pdrop", 0.0}, {"embd_pdrop", 0.0}, {"attn_pdrop", 0.0}};
    if (base == "distilbert")
      return {{"dropout", 0.0}, {"attention_dropout", 0.0}, {"seq_classif_dropout", 0.0}};
    if (base == "llama") return {{"attention_dropout", 0.0}};
    return {{"hidden_dropout_prob", 0.0}, {"attention_probs_dropout_prob", 0.0}};
  }
};

TEST_P(Peft, ComputesWhatPeftComputes) {
  const Example all = expected();
  EXPECT_LE(largest_difference(logits(adapted(), all), all["logits"]), output_tolerance);
}

TEST_P(Peft, MergedItComputesTheSame) {
  const Example all = expected();
  PeftModel model = adapted();
  const PretrainedModel merged = model.merge_and_unload();
  EXPECT_LE(largest_difference(logits(merged, all), all["logits"]), output_tolerance);
  const TemporaryFolder saved;
  merged.save_pretrained(saved / "");  // an ordinary model
  EXPECT_NE(error_of([&] { model.save_pretrained(saved / ""); }).find("unloaded"),
            std::string::npos);
}

TEST_P(Peft, UnloadedItIsTheModelThatItWas) {
  if (std::string(GetParam().name) == "lora" || GetParam().task == Task::causal_lm) {
    const Example all = expected();
    const PretrainedModel model = base();
    const Literal before = logits(model, all);
    PeftModel tuned = get_peft_model(model, {.r = 2, .target_modules = "all-linear"});
    EXPECT_LE(largest_difference(logits(tuned, all), before), output_tolerance);  // B is 0
    EXPECT_EQ(logits(tuned.unload(), all), before);
    EXPECT_EQ(model.trainable_variables().size(), model.network().weights().size());
  }
}

TEST_P(Peft, TrainsAsPeftTrains) {
  const Example all = expected();
  PeftModel model = adapted();
  model.compile({.optimizer = SGD{.learning_rate = 0.05}});
  std::vector<std::string> names = model.input_names();
  names.emplace_back("labels");
  const int64_t steps = all["losses"].size();
  const History history =
      model.fit(data::from_tensors(named(all, names)).repeat(steps), {.verbose = 0});
  ASSERT_EQ(static_cast<int64_t>(history.step_losses.size()), steps);
  for (int64_t i = 0; i < steps; ++i)
    EXPECT_NEAR(history.step_losses[static_cast<size_t>(i)], all["losses"].number_at(i), 2e-5) << i;
  const TemporaryFolder saved;
  model.save_pretrained(saved / "");
  const Example written = io::read_safetensors(saved / "adapter_model.safetensors").tensors;
  int64_t arrays = 0;
  for (const auto& [name, value] : all) {
    if (!name.starts_with("trained.")) continue;
    ++arrays;
    const std::string key = name.substr(std::string("trained.").size());
    ASSERT_TRUE(written.contains(key)) << key;
    EXPECT_LE(largest_difference(written[key], value), 1e-4) << key;
  }
  EXPECT_EQ(static_cast<int64_t>(written.size()), arrays);
}

TEST_P(Peft, SavesWhatItReads) {
  const TemporaryFolder saved;
  const PeftModel model = adapted(false);
  EXPECT_TRUE(model.trainable_variables().empty());
  model.save_pretrained(saved / "");
  const Example before = io::read_safetensors(folder() + "/adapter_model.safetensors").tensors;
  const Example after = io::read_safetensors(saved / "adapter_model.safetensors").tensors;
  EXPECT_EQ(after.size(), before.size());
  for (const auto& [name, value] : before) EXPECT_EQ(after[name], value) << name;
  const Config was = Config::parse(io::read_file(folder() + "/adapter_config.json"));
  const Config is = Config::parse(io::read_file(saved / "adapter_config.json"));
  for (const auto& [name, value] : is.map()) {
    const Config* old = was.find(name);
    ASSERT_NE(old, nullptr) << name;
    const bool same = *old == value || (old->is_number() && old->number() == value.number());
    EXPECT_TRUE(same) << name << ": " << value.text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Peft,
    testing::Values(PeftCase{"lora", "bert", Task::sequence_classification},
                    PeftCase{"rslora", "llama", Task::causal_lm},
                    PeftCase{"dora", "gpt2", Task::causal_lm},
                    PeftCase{"all_linear", "roberta", Task::sequence_classification},
                    PeftCase{"whole", "distilbert", Task::sequence_classification}),
    [](const auto& info) { return std::string(info.param.name); });

PretrainedModel small_llama() {
  return LlamaForCausalLM::from_config({.vocab_size = 30,
                                        .hidden_size = 8,
                                        .intermediate_size = 12,
                                        .num_hidden_layers = 2,
                                        .num_attention_heads = 2});
}

TEST(PeftModel, CountsParametersAsPeftDoes) {
  // peft 0.21 of the same LlamaForCausalLM: two layers, two projections, 2 * 8 * 8 numbers each.
  const PeftModel model = get_peft_model(small_llama());
  EXPECT_EQ(model.adapted_modules(),
            (std::vector<std::string>{
                "model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.v_proj",
                "model.layers.1.self_attn.q_proj", "model.layers.1.self_attn.v_proj"}));
  EXPECT_EQ(model.trainable_parameters(),
            "trainable params: 512 || all params: 2,120 || trainable%: 24.1509");
}

TEST(PeftModel, GeneratesWithItsAdapters) {
  set_seed(1);
  const PretrainedModel model = small_llama();
  const Literal prompt = Literal::of<int32_t>({{3, 4, 5}});
  const Literal before = model.generate(prompt, {.max_new_tokens = 8});
  PeftModel tuned = get_peft_model(
      model, {.lora_alpha = 4000, .target_modules = "all-linear", .init_lora_weights = false});
  EXPECT_NE(tuned.generate(prompt, {.max_new_tokens = 8}), before);
  EXPECT_EQ(tuned.unload().generate(prompt, {.max_new_tokens = 8}), before);
}

TEST(PeftModel, RefusesWhatItCannotDo) {
  const PretrainedModel model = small_llama();
  const struct {
    LoraConfig config;
    const char* said;
  } table[] = {
      {{.r = 0}, "field 'r', got 0"},
      {{.target_modules = {"query"}}, "no module for adapters"},
      {{.target_modules = "(["}, "(["},
      {{.lora_dropout = 2}, "lora_dropout"},
      {{.init_lora_weights = "pissa"}, "init_lora_weights"},
  };
  for (const auto& row : table) {
    const std::string error = error_of([&] { get_peft_model(model, row.config); });
    EXPECT_NE(error.find(row.said), std::string::npos) << error;
  }
  const PeftModel tuned = get_peft_model(model);
  const PretrainedModel& sliced = tuned;
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] { sliced.save_pretrained(folder / ""); }).find("with adapters"),
            std::string::npos);
  EXPECT_NE(error_of([&] { get_peft_model(model); }).find("that has some"), std::string::npos);
}

// What does not fit leaves the model as it was.
TEST(PeftModel, ReadsHostileFilesWithNamedErrors) {
  const std::string golden = golden_folder("peft") + "/lora";
  const struct {
    const char *from, *to, *said;
  } table[] = {
      {"\"r\": 4", "\"r\": 5", "do not fit; nothing was loaded"},
      {"\"r\": 4", "\"r\": 1e99", "field 'r'"},
      {"\"r\": 4", "\"r\": 2000000000", "field 'r'"},
      {"\"LORA\"", "\"IA3\"", "peft_type"},
      {"\"bias\": \"none\"", "\"bias\": \"all\"", "field 'bias'"},
      {"\"use_dora\": false", "\"use_dora\": true", "lora_magnitude_vector is missing"},
      {"\"rank_pattern\": {}", "\"rank_pattern\": {\"query\": -1}", "rank_pattern"},
      {"\"rank_pattern\": {}", "\"rank_pattern\": {\"(\": 4}", "("},
      {"\"target_parameters\": null", "\"target_parameters\": [\"x\"]", "target_parameters"},
  };
  for (const auto& row : table) {
    const TemporaryFolder folder;
    std::string config = io::read_file(golden + "/adapter_config.json");
    const size_t at = config.find(row.from);
    ASSERT_NE(at, std::string::npos) << row.from;
    config.replace(at, std::string(row.from).size(), row.to);
    io::write_file(folder / "adapter_config.json", config);
    io::write_file(folder / "adapter_model.safetensors",
                   io::read_file(golden + "/adapter_model.safetensors"));
    const PretrainedModel model = AutoModelForSequenceClassification::from_pretrained(
        golden_folder("bert"), {.ignore_mismatched_sizes = true});
    const std::vector<Literal> before = model.get_weights();
    const std::string error = error_of([&] { PeftModel::from_pretrained(model, folder / ""); });
    EXPECT_NE(error.find(row.said), std::string::npos) << row.to << ": " << error;
    EXPECT_EQ(model.get_weights(), before) << row.to;
  }
}

}  // namespace
}  // namespace systolic
