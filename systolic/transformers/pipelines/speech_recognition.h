// pipeline("automatic-speech-recognition"): what is said in sounds.
//
//   const SpeechRecognitionPipeline hear("whisper-tiny/");
//   const DecodedAudio sound = decode_wav(io::read_file("speech.wav"));   // 16000 samples a second
//   std::cout << hear(sound.samples).text << "\n";
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/pipelines/spoken_tokens.h"
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

// What a SpeechRecognitionPipeline's call makes of a sound: {.word_timestamps = true}.
struct SpeechRecognitionOptions {
  // Chunks are words, with the seconds when each was said (transformers' return_timestamps="word").
  // The folder's generation_config.json has to have alignment_heads.
  bool word_timestamps = false;
  // The sound is cut into stretches of so many seconds, at most 30, each of which is heard by
  // itself; 0: it is read from its beginning to its end, as Whisper's authors do.
  double chunk_length_s = 0;
  // Seconds at the left and the right end of a stretch that others have too: one number for both,
  // or two; {}: a sixth of chunk_length_s. Their texts are joined where their tokens agree.
  std::vector<double> stride_length_s = {};
};

// The texts of transformers' pipeline, of sounds of any length. What neither the call nor the
// folder's generation_config.json sets is as there: 256 tokens for each 30 seconds, and five beams.
// {.return_timestamps = true} gives chunks.
//   SpeechRecognitionPipeline hear("whisper-tiny/");
class SpeechRecognitionPipeline {
 public:
  // A Whisper, its tokenizer and its preprocessor_config.json, of one folder.
  explicit SpeechRecognitionPipeline(const std::string& folder,
                                     SourceLocation location = SourceLocation::current());
  SpeechRecognitionPipeline(PretrainedModel model, Tokenizer tokenizer,
                            WhisperFeatureExtractor extractor);

  // A waveform f32 [samples] of the extractor's sampling_rate. Errors are those of
  // WhisperFeatureExtractor and of PretrainedModel::generate, and an InvalidArgument for options
  // out of bounds.
  SpokenText operator()(const Literal& waveform, const GenerationConfig& generation = {},
                        const SpeechRecognitionOptions& options = {},
                        SourceLocation location = SourceLocation::current()) const;

 private:
  GenerationConfig settings(const GenerationConfig& generation, bool by_words) const;
  void check_chunks(const Literal& waveform, const SpeechRecognitionOptions& options,
                    SourceLocation location) const;
  // One that `is_whole` may be longer than the extractor's chunk_length.
  HeardStretch heard(const Literal& waveform, const GenerationConfig& settings, bool by_words,
                     bool is_whole, SourceLocation location) const;
  std::vector<HeardStretch> heard_in_chunks(const Literal& waveform,
                                            const GenerationConfig& settings,
                                            const SpeechRecognitionOptions& options,
                                            SourceLocation location) const;

  PretrainedModel model_;
  Tokenizer tokenizer_;
  WhisperFeatureExtractor extractor_;
  GenerationConfig of_folder_;
};

}  // namespace systolic::inline v0
