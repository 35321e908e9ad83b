// pipeline("automatic-speech-recognition"): what is said in sounds.
//
//   const SpeechRecognitionPipeline hear("whisper-tiny/");
//   const DecodedAudio sound = decode_wav(io::read_file("speech.wav"));   // 16000 samples a second
//   std::cout << hear(sound.samples).text << "\n";
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/pretrained_model.h"
#include "systolic/transformers/whisper/whisper_feature_extractor.h"

namespace systolic::inline v0 {

// A part of a sound, and what is said there.
struct SpokenChunk {
  std::optional<double> begin = {}, end = {};  // seconds; where the model told them
  std::string text;
};

// What is said in a sound. `chunks` are there where times were asked for.
struct SpokenText {
  std::string text;
  std::vector<SpokenChunk> chunks = {};
};

// The texts of transformers' pipeline, of sounds of any length without its chunk_length_s. What
// neither the call nor the folder's generation_config.json sets is as there: 256 tokens for each 30
// seconds, and five beams. {.return_timestamps = true} gives chunks; times of words are not
// implemented.
//   SpeechRecognitionPipeline hear("whisper-tiny/");
class SpeechRecognitionPipeline {
 public:
  // A Whisper, its tokenizer and its preprocessor_config.json, of one folder.
  explicit SpeechRecognitionPipeline(const std::string& folder,
                                     SourceLocation location = SourceLocation::current());
  SpeechRecognitionPipeline(PretrainedModel model, Tokenizer tokenizer,
                            WhisperFeatureExtractor extractor);

  // A waveform f32 [samples] of the extractor's sampling_rate. Errors are those of
  // WhisperFeatureExtractor and of PretrainedModel::generate.
  SpokenText operator()(const Literal& waveform, const GenerationConfig& generation = {},
                        SourceLocation location = SourceLocation::current()) const;

 private:
  SpokenText text_of(const std::vector<int32_t>& ids, bool with_chunks) const;

  PretrainedModel model_;
  Tokenizer tokenizer_;
  WhisperFeatureExtractor extractor_;
  GenerationConfig of_folder_;
};

}  // namespace systolic::inline v0
