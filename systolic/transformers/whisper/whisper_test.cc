// Whisper's features of sounds against `transformers`: golden/make_whisper.py. What its model
// computes stands in ../seq2seq_test.cc.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"
#include "systolic/transformers/whisper/whisper_feature_extractor.h"

namespace systolic {
namespace {

// PyTorch's transform is of f32 there: its own authors compare it with f64 within 1e-5, for what is
// as loud as the loudest; what is 80 dB below loses four of seven digits, and stands at the floor.
constexpr double feature_tolerance = 1e-4;

TEST(WhisperFeatures, AreThoseOfTransformers) {
  const Example golden =
      io::read_safetensors(golden_folder("whisper") + "/features.safetensors").tensors;
  const std::vector<Literal> sounds{golden["waveform.0"], golden["waveform.1"]};
  const std::pair<const char*, WhisperFeatureExtractor> table[] = {
      {"one_second", {.chunk_length = 1}},
      {"many_bins", WhisperFeatureExtractor::from_pretrained(golden_folder("whisper"))},
      {"other",
       {.feature_size = 20,
        .sampling_rate = 8000,
        .hop_length = 100,
        .chunk_length = 1,
        .n_fft = 250}}};
  for (const auto& [name, extractor] : table) {
    const Literal features = extractor(sounds)["input_features"];
    EXPECT_LT(largest_difference(features, golden[name]), feature_tolerance) << name;
  }
}

TEST(WhisperFeatures, AreAsLongAsTheSoundsWhereAsked) {
  const WhisperFeatureExtractor extractor{.feature_size = 8, .chunk_length = 1};
  const Literal sound = Literal::zeros(DType::f32, {24080}), brief = sound.rows(0, 8000);
  const struct {
    WhisperFeatureOptions options;
    int64_t frames;
  } table[] = {{{}, 100},
               {{.truncation = false}, 150},
               {{.truncation = false, .padding = "longest"}, 150},
               {{.padding = "longest"}, 100}};
  for (const auto& row : table) {
    WhisperFeatureOptions options = row.options;
    options.return_attention_mask = true;
    const Example made = extractor({sound, brief}, options);
    EXPECT_EQ(made["input_features"].shape(), (Shape{2, 8, row.frames}));
    EXPECT_EQ(made["attention_mask"].shape(), (Shape{2, row.frames}));
    int64_t counted = 0;
    for (int64_t i = 0; i < row.frames; ++i) counted += made["attention_mask"].row(1).integer_at(i);
    EXPECT_EQ(counted, 50);
  }
  EXPECT_EQ(extractor({brief}, {.padding = "longest"})["input_features"].shape(),
            (Shape{1, 8, 50}));
  expect_parts(message_of([&] { extractor({brief}, {.padding = "none"}); }), {"padding", "none"});
}

TEST(WhisperFeatures, WhatIsNoSoundIsNamed) {
  const WhisperFeatureExtractor extractor{.chunk_length = 1};
  for (const Literal& wrong :
       {Literal::zeros(DType::f32, {100, 2}), Literal::zeros(DType::i16, {100})}) {
    expect_parts(message_of([&] { extractor({wrong}); }), {"waveform 0", "one channel"});
  }
  EXPECT_EQ(extractor({Literal::zeros(DType::f32, {100, 1})})["input_features"].shape(),
            (Shape{1, 80, 100}));
  const WhisperFeatureExtractor none{.hop_length = 0};
  expect_parts(message_of([&] { none({}); }), {"every 0 samples"});
  const TemporaryFolder folder;
  put_file(folder / "preprocessor_config.json", R"({"n_fft": 70000})");
  expect_parts(message_of([&] { WhisperFeatureExtractor::from_pretrained(folder / ""); }),
               {"'n_fft'", "70000"});
  put_file(folder / "preprocessor_config.json", R"({"dither": 0.1})");
  expect_parts(message_of([&] { WhisperFeatureExtractor::from_pretrained(folder / ""); }),
               {"'dither'"});
}

TEST(Whisper, OtherLengthsAreNamed) {
  const PretrainedModel model =
      WhisperForConditionalGeneration::from_pretrained(golden_folder("whisper"));
  expect_parts(message_of([&] {
                 model.predict(Example{{"input_features", Literal::zeros(DType::f32, {1, 8, 30})},
                                       {"decoder_input_ids", Literal::of<int32_t>({{3, 4}})}});
               }),
               {"input_features", "20"});
  EXPECT_EQ(WhisperConfig{}.max_source_positions, 1500);
  EXPECT_EQ(AutoModelForSpeechSeq2Seq::from_pretrained(golden_folder("whisper")).class_name(),
            "WhisperForConditionalGeneration");
  EXPECT_EQ(WhisperModel::from_pretrained(golden_folder("whisper")).class_name(), "WhisperModel");
}

}  // namespace
}  // namespace systolic
