// What Whisper writes about sounds, against transformers' generate() and its pipeline:
// golden/make_heard.py.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/pipelines/pipeline.h"
#include "systolic/transformers/speech/language_codes.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class HeardTest : public testing::Test {
 protected:
  Example sounds(const std::string& kind) const {
    Example result{{"input_features", all_sounds_[kind + ".input_features"]}};
    if (all_sounds_.contains(kind + ".attention_mask"))
      result.set("attention_mask", all_sounds_[kind + ".attention_mask"]);
    return result;
  }
  PretrainedModel model() const {
    return WhisperForConditionalGeneration::from_pretrained(folder_);
  }

  const std::string folder_ = golden_folder("whisper_heard");
  const Config golden_ = read_config_file(folder_ + "/heard.json", {});
  const Example all_sounds_ = io::read_safetensors(folder_ + "/sounds.safetensors").tensors;
};

// The settings of a call, by their names.
GenerationConfig settings_of(const Config& call) {
  GenerationConfig settings;
  ConfigFields fields(call, "a call", {});
  settings.transfer(fields);
  return settings;
}

std::string ids_text(const Literal& ids) {
  std::string text = "[";
  for (int64_t row = 0; row < ids.shape()[0]; ++row) {
    std::vector<std::string> numbers;
    for (int64_t i = 0; i < ids.shape()[1]; ++i) numbers.push_back(str(ids.row(row).integer_at(i)));
    text += str(row > 0 ? "," : "", "[", join(numbers, ","), "]");
  }
  return text + "]";
}

TEST_F(HeardTest, WritesTheIdsOfTransformers) {
  const PretrainedModel model = this->model();
  for (const Config& call : golden_["calls"].list()) {
    const Literal ids = model.generate(sounds(call["sounds"].text_value()), settings_of(call));
    std::string wanted = call["ids"].text();
    wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
    EXPECT_EQ(ids_text(ids), wanted) << call.text().substr(0, 200);
  }
}

TEST_F(HeardTest, EightCoresWriteTheSame) {
  const auto written = [&](int cores) {
    const PretrainedModel model =
        TPUStrategy(TPUClusterResolver("v3-8", {.cores = cores})).scope([&] {
          return this->model();
        });
    std::vector<Literal> ids;
    for (const GenerationConfig& settings :
         {GenerationConfig{.language = "en"}, GenerationConfig{.num_beams = 2, .language = "en"}}) {
      for (const char* kind : {"short", "several"})
        ids.push_back(model.generate(sounds(kind), settings));
    }
    return ids;
  };
  const std::vector<Literal> wanted = written(1);
  EXPECT_EQ(written(8), wanted);
}

TEST_F(HeardTest, ThePipelineAnswersAsTransformersDoes) {
  const SpeechRecognitionPipeline hear = pipeline<"automatic-speech-recognition">(folder_);
  for (const Config& row : golden_["answers"].list()) {
    GenerationConfig settings{.language = "en"};
    if (row["times"].boolean()) settings.return_timestamps = true;
    const SpokenText got =
        hear(all_sounds_["waveform"].rows(0, row["samples"].integer()), settings);
    const Config& wanted = row["answer"];
    EXPECT_EQ(got.text, wanted["text"].text_value());
    if (!row["times"].boolean()) continue;
    const Config::List& chunks = wanted["chunks"].list();
    ASSERT_EQ(got.chunks.size(), chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
      const SpokenChunk& chunk = got.chunks[i];
      EXPECT_EQ(chunk.text, chunks[i]["text"].text_value());
      const Config::List& times = chunks[i]["timestamp"].list();
      for (const auto& [time, second] :
           {std::pair(times[0], chunk.begin), std::pair(times[1], chunk.end)}) {
        ASSERT_EQ(second.has_value(), !time.is_null());
        if (second.has_value()) {
          EXPECT_NEAR(*second, time.number(), 1e-9);
        }
      }
    }
  }
}

TEST_F(HeardTest, WhatCannotBeHeardIsNamed) {
  const PretrainedModel model = this->model();
  const struct {
    const char* what;
    GenerationConfig settings;
    std::vector<std::string> message;
  } table[] = {
      {"language", {.language = "klingon"}, {"\"klingon\"", "<|en|>"}},
      {"a language of other models", {.language = "italian"}, {"\"italian\"", "<|de|>"}},
      {"task", {.task = "sing"}, {"\"sing\"", "translate"}},
      {"length", {.max_new_tokens = 60}, {"60", "positions"}},
      {"stop strings",
       {.stop_strings = {"x"}, .tokenizer = AutoTokenizer::from_pretrained(folder_)},
       {"stop_strings", "parts"}},
  };
  for (const auto& row : table)
    expect_parts(message_of([&] { model.generate(sounds("short"), row.settings); }), row.message);
  expect_parts(message_of([&] { model.generate(sounds("long"), {.return_timestamps = false}); }),
               {"330", "return_timestamps"});
  expect_parts(message_of([&] { model.generate(sounds("several")["input_features"]); }),
               {"3 sounds", "attention_mask"});
  expect_parts(message_of([&] {
                 model.generate(Literal::zeros(DType::f32, {1, 9, 100}));
               }),
               {"(1, 9, 100)", "8, moments"});
  expect_parts(message_of([&] {
                 GPT2LMHeadModel::from_pretrained(golden_folder("gpt2"))
                     .generate(Literal::of<int32_t>({{3, 4}}), {.language = "en"});
               }),
               {"language", "Whisper"});
}

TEST_F(HeardTest, FilesThatCannotBeAreNamed) {
  const struct {
    const char *name, *json;
    std::vector<std::string> message;
  } table[] = {
      {"lang_to_id", R"({"<|en|>": 99999})", {"'lang_to_id'", "99999"}},
      {"task_to_id", R"([1])", {"'task_to_id'", "[1]"}},
      {"forced_decoder_ids", R"([[2, 5]])", {"'forced_decoder_ids'", "without gaps"}},
      {"forced_decoder_ids", R"([[1, -5]])", {"'forced_decoder_ids'"}},
      {"no_timestamps_token_id", "-4", {"'no_timestamps_token_id'", "-4"}},
      {"language", "[1]", {"'language'"}},
      {"no_speech_threshold", "0.6", {"no_speech_threshold", "no_timestamps_token_id"}},
      {"alignment_heads", "[[0, 2]]", {"'alignment_heads'", "2 heads"}},
      {"alignment_heads", "[[0]]", {"'alignment_heads'", "[[0]]"}},
  };
  const TemporaryFolder folder;
  model().save_pretrained(folder / "");
  for (const auto& row : table) {
    put_file(folder / "generation_config.json", str("{\"", row.name, "\": ", row.json, "}"));
    const PretrainedModel model = WhisperForConditionalGeneration::from_pretrained(folder / "");
    expect_parts(message_of([&] { model.generate(sounds("short")); }), row.message);
  }
}

TEST(LanguageCodes, OfNamesAndCodes) {
  EXPECT_EQ(language_code("german"), "de");
  EXPECT_EQ(language_code("yue"), "yue");
  EXPECT_EQ(language_code("mandarin"), "zh");
  EXPECT_EQ(language_code("German"), std::nullopt);
  EXPECT_EQ(language_code(""), std::nullopt);
}

}  // namespace
}  // namespace systolic
