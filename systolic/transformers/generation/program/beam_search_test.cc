// generate() of encoder-decoders, and by beams, against transformers: golden/make_beams.py.
#include <gtest/gtest.h>

#include <set>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t new_tokens = 10;  // of the recipe

class BeamSearchTest : public testing::TestWithParam<std::string> {
 protected:
  BeamSearchTest() {
    if (is_decoder()) write_untied_model("gpt2", folder_ / "");
  }
  bool is_decoder() const { return GetParam() == "gpt2"; }
  PretrainedModel model() const {
    if (is_decoder())
      return AutoModelForCausalLM::from_pretrained(folder_ / "",
                                                   {.config = {{"tie_word_embeddings", false}}});
    return AutoModelForSeq2SeqLM::from_pretrained(golden_folder(GetParam()));
  }
  Literal wanted(const std::string& name) const { return values_[name].convert(DType::i32); }
  Example inputs() const {
    const std::string file = is_decoder() ? "/generated.safetensors" : "/expected.safetensors";
    const Example all = io::read_safetensors(golden_folder(GetParam()) + file).tensors;
    return {{"input_ids", all["input_ids"]}, {"attention_mask", all["attention_mask"]}};
  }
  GenerationConfig with_lengths(GenerationConfig options) const {
    options.max_new_tokens = new_tokens;
    options.eos_token_id = values_["eos_token_id"].integer_at(0);
    if (is_decoder()) options.pad_token_id = 0;
    return options;
  }

  Example values_ = io::read_safetensors(golden_folder(GetParam()) + "/beams.safetensors").tensors;
  TemporaryFolder folder_;
  CaughtLog log_;
};

TEST_P(BeamSearchTest, GivesTheIdsOfTransformers) {
  const PretrainedModel model = this->model();
  const struct {
    const char* name;
    GenerationConfig options;
  } table[] = {
      {"greedy", {}},
      {"penalized", {.min_new_tokens = 6, .repetition_penalty = 1.5}},
      {"beams", {.num_beams = 4}},
      {"three", {.num_beams = 4, .num_return_sequences = 3, .length_penalty = 2}},
      {"shorter", {.num_beams = 3, .length_penalty = -1}},
      {"stops", {.num_beams = 3, .early_stopping = true}},
      {"never", {.num_beams = 3, .length_penalty = 0.5, .early_stopping = "never"}},
      {"no_pairs", {.min_length = 6, .num_beams = 3, .no_repeat_ngram_size = 2}},
      {"forced", {.num_beams = 2, .forced_bos_token_id = 9, .forced_eos_token_id = 7}},
      {"penalized_beams", {.num_beams = 3, .repetition_penalty = 1.5}},
  };
  for (const auto& row : table)
    EXPECT_EQ(model.generate(inputs(), with_lengths(row.options)), wanted(row.name)) << row.name;
}

TEST_P(BeamSearchTest, DrawnTextsDiffer) {
  const PretrainedModel model = this->model();
  const GenerationConfig alone =
      with_lengths({.do_sample = true, .num_return_sequences = 4, .temperature = 3, .seed = 3});
  GenerationConfig by_beams = alone;
  by_beams.num_beams = 4;
  for (const GenerationConfig& options : {alone, by_beams}) {
    const Literal ids = model.generate(inputs(), options);
    EXPECT_EQ(ids.shape()[0], 12);
    EXPECT_EQ(ids, model.generate(inputs(), options));
    std::set<std::vector<int32_t>> texts;
    const int64_t length = ids.shape()[1];
    for (int64_t row = 0; row < 4; ++row) {
      const auto all = ids.data<int32_t>();
      texts.emplace(all.begin() + row * length, all.begin() + (row + 1) * length);
    }
    EXPECT_GT(texts.size(), 1);
  }
}

// A row by itself, and rows over cores, which others fill up.
TEST_P(BeamSearchTest, RowsDoNotTouchEachOther) {
  const GenerationConfig options = with_lengths({.num_beams = 3, .early_stopping = true});
  const Example given = inputs();
  const Literal all_rows = wanted("stops");
  const PretrainedModel alone = model();
  const auto check = [&](const PretrainedModel& model, int64_t begin, int64_t end) {
    const Literal ids =
        model.generate(Example{{"input_ids", given["input_ids"].rows(begin, end)},
                               {"attention_mask", given["attention_mask"].rows(begin, end)}},
                       options);
    for (int64_t row = begin; row < end; ++row) {
      const Literal one = ids.row(row - begin), other = all_rows.row(row);
      for (int64_t i = 0; i < std::min(one.size(), other.size()); ++i)
        EXPECT_EQ(one.integer_at(i), other.integer_at(i)) << row << " " << i;
    }
  };
  check(alone, 1, 2);
  check(alone, 2, 3);
  const TPUStrategy strategy(TPUClusterResolver("local"));
  check(strategy.scope([&] { return model(); }), 0, 3);
}

INSTANTIATE_TEST_SUITE_P(All, BeamSearchTest,
                         testing::Values("t5", "mt5", "bart", "marian", "marian_separate", "gpt2"),
                         [](const auto& info) { return info.param; });

class WritingTest : public testing::Test {
 protected:
  Golden golden_{"bart"};
  PretrainedModel model_ = AutoModelForSeq2SeqLM::from_pretrained(golden_.folder());
  Example inputs_ = golden_.inputs({"input_ids", "attention_mask"});
  CaughtLog log_;
};

TEST_F(WritingTest, GoesOnWithWhatIsWritten) {
  for (const std::string model_type : {"t5", "mt5", "bart", "marian", "marian_separate"}) {
    const PretrainedModel model = AutoModelForSeq2SeqLM::from_pretrained(golden_folder(model_type));
    const Example values =
        io::read_safetensors(golden_folder(model_type) + "/beams.safetensors").tensors;
    const Literal wanted = values["written"].convert(DType::i32);
    Example given = Golden(model_type).inputs({"input_ids", "attention_mask"});
    Literal written(DType::i32, {3, 3});
    for (int64_t i = 0; i < 9; ++i)
      written.mutable_data<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(wanted.integer_at(i / 3 * wanted.shape()[1] + i % 3));
    given.set("decoder_input_ids", written);
    EXPECT_EQ(model.generate(given, {.max_new_tokens = new_tokens,
                                     .num_beams = 3,
                                     .eos_token_id = values["eos_token_id"].integer_at(0)}),
              wanted)
        << model_type;
  }
}

TEST_F(WritingTest, MaskAndPaddingSayTheSame) {
  const Literal with_mask = model_.generate(inputs_, {.max_new_tokens = 6});
  EXPECT_EQ(model_.generate(inputs_["input_ids"], {.max_new_tokens = 6}), with_mask);
}

TEST_F(WritingTest, WhatCannotBeIsNamed) {
  const struct {
    GenerationConfig options;
    std::vector<std::string> parts;
  } table[] = {
      {{.num_beams = 0}, {"num_beams = 0"}},
      {{.num_beams = 2, .num_return_sequences = 3}, {"num_return_sequences = 3", "num_beams"}},
      {{.num_return_sequences = 2}, {"num_return_sequences = 2", ".do_sample = true"}},
      {{.num_beams = 2, .length_penalty = HUGE_VAL}, {"length_penalty"}},
      {{.forced_bos_token_id = 60}, {"forced_bos_token_id = 60", "0 to 59"}},
      {{.forced_eos_token_id = -2}, {"forced_eos_token_id = -2"}},
      {{.decoder_start_token_id = 99}, {"decoder_start_token_id = 99"}},
  };
  for (const auto& row : table) {
    const std::string message = message_of<Error>([&] { model_.generate(inputs_, row.options); });
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
  const std::string never = message_of<InvalidArgument>([] { BeamStopping("sometimes"); });
  EXPECT_NE(never.find("\"never\""), std::string::npos) << never;
  const std::string longer = message_of<InvalidArgument>([&] {
    model_.generate(Literal::filled(DType::i32, {1, 25}, 7));
  });
  EXPECT_NE(longer.find("at most 24"), std::string::npos) << longer;
}

TEST_F(WritingTest, AFileMaySearchByBeamsAndTheCallOverrides) {
  const TemporaryFolder folder;
  model_.save_pretrained(folder / "");
  put_file(folder / "generation_config.json",
           R"({"num_beams": 3, "early_stopping": "never", "length_penalty": 0.5, "eos_token_id": 1,
               "pad_token_id": 1, "decoder_start_token_id": 2, "max_new_tokens": 10})");
  const PretrainedModel model = AutoModelForSeq2SeqLM::from_pretrained(folder / "");
  GenerationConfig same{.max_new_tokens = 10,
                        .num_beams = 3,
                        .length_penalty = 0.5,
                        .early_stopping = "never",
                        .eos_token_id = 1};
  EXPECT_EQ(model.generate(inputs_), model_.generate(inputs_, same));
  same = {.max_new_tokens = 10, .eos_token_id = 1};
  EXPECT_EQ(model.generate(inputs_, {.num_beams = 1}), model_.generate(inputs_, same));
}

}  // namespace
}  // namespace systolic
