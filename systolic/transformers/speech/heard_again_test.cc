// Thresholds, several temperatures, times of tokens and of words, and sounds that are cut, against
// transformers: golden/make_heard_again.py.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/pipelines/merged_stretches.h"
#include "systolic/transformers/pipelines/pipeline.h"
#include "systolic/transformers/pipelines/spoken_tokens.h"
#include "systolic/transformers/speech/compression_ratio.h"
#include "systolic/transformers/speech/token_times.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr double close_times = 1e-5;

// The folder of HeardTest, with alignment_heads.
class HeardAgainTest : public testing::Test {
 protected:
  HeardAgainTest() {
    const std::string from = golden_folder("whisper_heard");
    golden_ = read_config_file(from + "/heard_again.json", {});
    all_sounds_ = io::read_safetensors(from + "/sounds.safetensors").tensors;
    for (const char* name : {"config.json", "model.safetensors", "preprocessor_config.json",
                             "tokenizer.json", "tokenizer_config.json"})
      put_file(folder_ / name, io::read_file(from + "/" + name));
    Config settings = read_config_file(from + "/generation_config.json", {});
    settings.set("alignment_heads", golden_["alignment_heads"]);
    put_file(folder_ / "generation_config.json", settings.text());
  }
  PretrainedModel whisper() const {
    return WhisperForConditionalGeneration::from_pretrained(folder_ / "");
  }
  Example sounds_of(const Config& call) const {
    const Config* kind = call.find("sounds");
    Literal features = all_sounds_[(kind ? kind->text_value() : "short") + ".input_features"];
    Example result{{"input_features", features}};
    const Config* frames = call.find("frames");
    if (frames == nullptr) return result;
    Literal mask = Literal::zeros(DType::i32, {1, features.shape()[2]});
    std::fill_n(mask.mutable_data<int32_t>().begin(), frames->integer(), 1);
    result.set("attention_mask", mask);
    return result;
  }

  const TemporaryFolder folder_;
  Config golden_;
  Example all_sounds_;
};

GenerationConfig settings_of_call(const Config& call) {
  GenerationConfig settings;
  ConfigFields fields(call, "a call", {});
  settings.transfer(fields);
  return settings;
}

void expect_ids(const Literal& got, const Config& wanted, const std::string& what) {
  ASSERT_EQ(got.shape()[0], static_cast<int64_t>(wanted.list().size())) << what;
  for (int64_t row = 0; row < got.shape()[0]; ++row) {
    const Config::List& ids = wanted.list()[static_cast<size_t>(row)].list();
    ASSERT_EQ(got.shape()[1], static_cast<int64_t>(ids.size())) << what;
    for (size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(got.row(row).integer_at(static_cast<int64_t>(i)), ids[i].integer()) << what << i;
  }
}

TEST_F(HeardAgainTest, WritesAgainWhereTransformersDoes) {
  const PretrainedModel model = whisper();
  for (const Config& call : golden_["calls"].list()) {
    if (call.find("times") != nullptr) continue;
    const std::string what = call.text().substr(0, 160);
    expect_ids(model.generate(sounds_of(call), settings_of_call(call)), call["ids"], what);
  }
}

TEST_F(HeardAgainTest, TokensHaveTheTimesOfTransformers) {
  const PretrainedModel model = whisper();
  for (const Config& call : golden_["calls"].list()) {
    if (call.find("times") == nullptr) continue;
    const std::string what = call.text().substr(0, 160);
    const Example got = model.generate_with_times(sounds_of(call), settings_of_call(call));
    expect_ids(got["sequences"], call["ids"], what);
    const Config::List& wanted = call["token_timestamps"].list()[0].list();
    ASSERT_EQ(got["token_timestamps"].size(), static_cast<int64_t>(wanted.size())) << what;
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(got["token_timestamps"].number_at(static_cast<int64_t>(i)), wanted[i].number(),
                  close_times)
          << what << " token " << i;
  }
}

TEST_F(HeardAgainTest, EightCoresHearTheSame) {
  const GenerationConfig settings{.language = "en", .logprob_threshold = -100.0};
  const auto heard = [&](int cores) {
    return TPUStrategy(TPUClusterResolver("v3-8", {.cores = cores})).scope([&] {
      return whisper().generate_with_times(all_sounds_["short.input_features"], settings);
    });
  };
  const Example one = heard(1), eight = heard(8);
  EXPECT_EQ(one["sequences"], eight["sequences"]);
  EXPECT_EQ(one["token_timestamps"], eight["token_timestamps"]);
}

void expect_chunks(const SpokenText& got, const Config& wanted, const std::string& what) {
  EXPECT_EQ(got.text, wanted["text"].text_value()) << what;
  const Config* chunks = wanted.find("chunks");
  ASSERT_EQ(got.chunks.size(), chunks == nullptr ? 0 : chunks->list().size()) << what;
  for (size_t i = 0; i < got.chunks.size(); ++i) {
    const Config& chunk = chunks->list()[i];
    EXPECT_EQ(got.chunks[i].text, chunk["text"].text_value()) << what << i;
    const Config::List& times = chunk["timestamp"].list();
    for (const auto& [second, time] :
         {std::pair(got.chunks[i].begin, times[0]), std::pair(got.chunks[i].end, times[1])}) {
      ASSERT_EQ(second.has_value(), !time.is_null()) << what << i;
      if (second) {
        EXPECT_NEAR(*second, time.number(), close_times) << what << i;
      }
    }
  }
}

TEST_F(HeardAgainTest, ThePipelineCutsSoundsAndTimesWordsAsTransformersDoes) {
  const auto hear = pipeline<"automatic-speech-recognition">(folder_ / "");
  for (const Config& row : golden_["answers"].list()) {
    GenerationConfig settings{.language = "en"};
    SpeechRecognitionOptions options;
    if (const Config* beams = row.find("num_beams")) settings.num_beams = beams->integer();
    if (row.find("times") != nullptr) settings.return_timestamps = true;
    if (row.find("words") != nullptr) options.word_timestamps = true;
    if (const Config* length = row.find("chunk")) options.chunk_length_s = length->number();
    if (const Config* stride = row.find("stride")) {
      if (stride->is_list()) {
        for (const Config& one : stride->list()) options.stride_length_s.push_back(one.number());
      } else {
        options.stride_length_s = {stride->number()};
      }
    }
    const Literal sound = all_sounds_["waveform"].rows(0, row["samples"].integer());
    expect_chunks(hear(sound, settings, options), row["answer"], row.text().substr(0, 80));
  }
}

TEST_F(HeardAgainTest, TokensOfStretchesBecomeTheChunksOfTransformers) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_ / "");
  size_t number = 0;
  for (const Config& row : golden_["decoded"].list()) {
    std::vector<HeardStretch> stretches;
    for (const Config& one : row["stretches"].list()) {
      HeardStretch& stretch = stretches.emplace_back();
      for (const Config& id : one["tokens"].list())
        stretch.tokens.push_back(static_cast<int32_t>(id.integer()));
      for (const Config& time : one["times"].list()) stretch.times.push_back(time.number());
      if (const Config* stride = one.find("stride"))
        stretch.stride = SoundStride{.length = stride->list()[0].number(),
                                     .left = stride->list()[1].number(),
                                     .right = stride->list()[2].number()};
    }
    expect_chunks(spoken_text(tokenizer, stretches, row["words"].boolean()), row,
                  str("case ", number++, ": "));
  }
}

TEST_F(HeardAgainTest, WhatCannotBeIsNamed) {
  const PretrainedModel model = whisper();
  const Example sound = sounds_of(Config(Config::Map{}));
  const struct {
    GenerationConfig settings;
    std::vector<std::string> message;
  } table[] = {
      {{.temperature = {0, -0.5}}, {"temperature = -0.5"}},
      {{.temperature = NAN}, {"temperature"}},
      {{.no_speech_threshold = 0.6}, {"no_speech_threshold", "logprob_threshold"}},
  };
  for (const auto& row : table)
    expect_parts(message_of([&] { model.generate(sound, row.settings); }), row.message);
  const PretrainedModel writer = GPT2LMHeadModel::from_pretrained(golden_folder("gpt2"));
  const Literal text = Literal::of<int32_t>({{3, 4}});
  expect_parts(message_of([&] { writer.generate(text, {.logprob_threshold = -1.0}); }),
               {"logprob_threshold", "Whisper"});
  expect_parts(message_of([&] {
                 writer.generate(text, {.do_sample = true, .temperature = {0.5, 1.0}});
               }),
               {"temperatures = 2", "Whisper"});
  expect_parts(message_of([&] { writer.generate_with_times(text); }), {"GPT2LMHeadModel", "sound"});
  const auto without_heads =
      WhisperForConditionalGeneration::from_pretrained(golden_folder("whisper_heard"));
  expect_parts(message_of([&] { without_heads.generate_with_times(sound); }), {"alignment_heads"});
}

TEST_F(HeardAgainTest, ChunksThatCannotBeAreNamed) {
  const auto hear = pipeline<"automatic-speech-recognition">(folder_ / "");
  const Literal sound = Literal::zeros(DType::f32, {4000});
  const struct {
    SpeechRecognitionOptions options;
    std::vector<std::string> message;
  } table[] = {
      {{.chunk_length_s = -1}, {"chunk_length_s = -1", "0, which"}},
      {{.chunk_length_s = NAN}, {"chunk_length_s", "0, which"}},
      {{.chunk_length_s = 1.5}, {"chunk_length_s = 1.5", "1 seconds"}},
      {{.chunk_length_s = 1, .stride_length_s = {0.5}}, {"stride_length_s = 0.5", "less than"}},
      {{.chunk_length_s = 1, .stride_length_s = {0.1, -0.1}}, {"stride_length_s"}},
      {{.chunk_length_s = 1, .stride_length_s = {0.1, 0.1, 0.1}}, {"stride_length_s"}},
  };
  for (const auto& row : table)
    expect_parts(message_of([&] { hear(sound, {}, row.options); }), row.message);
  expect_parts(
      message_of([&] { hear(Literal::zeros(DType::f32, {0}), {}, {.chunk_length_s = 1}); }),
      {"0 samples"});
}

// Python's zlib.compress of 2 bytes a token.
TEST(CompressionRatio, CountsTheBytesOfTokens) {
  EXPECT_NEAR(compression_ratio(std::vector<int64_t>(50, 7), 51865), 100.0 / 13, 1e-9);
  EXPECT_NEAR(compression_ratio({1, 2, 3}, 256), 6.0 / 14, 1e-9);
  EXPECT_NEAR(compression_ratio({1, 2, 3}, 255), 3.0 / 11, 1e-9);
}

TEST(TokenTimes, FollowTheLargestAttention) {
  // Two heads, one slot before the three tokens, four of five moments that count.
  const std::vector<float> one = {9, 9, 9, 9, 9, 8, 3, 1, 1, 7, 1, 1, 8, 1, 7, 1, 2, 1, 8, 7};
  std::vector<float> values = one;
  values.insert(values.end(), one.begin(), one.end());
  TokenAttention attention{.values = values,
                           .heads = 2,
                           .first_token = 1,
                           .tokens = 3,
                           .moments = 4,
                           .stride_of_tokens = 4,
                           .stride_of_moments = 5};
  EXPECT_EQ(token_times(attention, 1), (std::vector<float>{0, 0.04f, 0.06f}));
  attention.moments = 0;
  EXPECT_EQ(token_times(attention, 1), (std::vector<float>(3, -0.02f)));
  attention.tokens = 0;
  EXPECT_TRUE(token_times(attention, 7).empty());
}

}  // namespace
}  // namespace systolic
