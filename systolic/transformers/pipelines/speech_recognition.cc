#include "systolic/transformers/pipelines/speech_recognition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {
namespace {

// Waveforms f32 [samples], or [samples, 1]: some of the samples.
Literal samples_of(const Literal& waveform, int64_t begin, int64_t end) {
  return waveform.rows(begin, std::min(end, waveform.shape()[0]));
}

int64_t samples_in(double seconds, const WhisperFeatureExtractor& extractor) {
  return static_cast<int64_t>(
      std::nearbyint(seconds * static_cast<double>(extractor.sampling_rate)));
}

}  // namespace

SpeechRecognitionPipeline::SpeechRecognitionPipeline(const std::string& folder,
                                                     SourceLocation location)
    : model_(PretrainedModel::from_pretrained(folder, Task::seq2seq_lm, {}, location)),
      tokenizer_(AutoTokenizer::from_pretrained(folder, location)),
      extractor_(WhisperFeatureExtractor::from_pretrained(folder, location)),
      of_folder_(folder_settings(folder, location)) {}

SpeechRecognitionPipeline::SpeechRecognitionPipeline(PretrainedModel model, Tokenizer tokenizer,
                                                     WhisperFeatureExtractor extractor)
    : model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      extractor_(std::move(extractor)) {}

GenerationConfig SpeechRecognitionPipeline::settings(const GenerationConfig& generation,
                                                     bool by_words) const {
  GenerationConfig settings = generation.over(of_folder_);
  settings.temperature = generation.temperature;  // a folder's draws nothing
  if (by_words) settings.return_timestamps = true;
  GenerationConfig defaults{.num_beams = 5};
  if (!settings.max_new_tokens && !settings.max_length) defaults.max_new_tokens = 256;
  return settings.over(defaults);
}

HeardStretch SpeechRecognitionPipeline::heard(const Literal& waveform,
                                              const GenerationConfig& settings, bool by_words,
                                              bool is_whole, SourceLocation location) const {
  WhisperFeatureOptions options{.return_attention_mask = by_words};
  if (is_whole && waveform.size() > extractor_.chunk_length * extractor_.sampling_rate) {
    options.truncation = false;
    options.padding = "longest";
  }
  const Example inputs = extractor_({waveform}, options, location);
  HeardStretch result;
  const auto read = [&](const Literal& ids) {
    const auto numbers = ids.data<int32_t>();
    result.tokens.assign(numbers.begin(), numbers.end());
  };
  if (!by_words) {
    read(model_.generate(inputs, settings, location));
    return result;
  }
  const Example timed = model_.generate_with_times(inputs, settings, location);
  read(timed["sequences"]);
  for (const float time : timed["token_timestamps"].data<float>()) result.times.push_back(time);
  return result;
}

void SpeechRecognitionPipeline::check_chunks(const Literal& waveform,
                                             const SpeechRecognitionOptions& options,
                                             SourceLocation location) const {
  const auto fail = [&](const std::string& what, const std::string& wanted) {
    raise<InvalidArgument>({.what = "automatic-speech-recognition with " + what,
                            .wanted = wanted,
                            .location = location});
  };
  const double length = options.chunk_length_s;
  const auto most = static_cast<double>(extractor_.chunk_length);
  if (!(length >= 0 && length <= most))
    fail(str("chunk_length_s = ", length), str("0, which cuts nothing, to ", most, " seconds"));
  if (length == 0) return;
  double strides = 0;
  for (const double one : options.stride_length_s) strides += one >= 0 ? one : most;
  const bool is_one = options.stride_length_s.size() == 1;
  if (options.stride_length_s.size() > 2 || !((is_one ? 2 : 1) * strides < length))
    fail(str("stride_length_s = ", join(options.stride_length_s)),
         str("one number or two, 0 or more, together less than chunk_length_s = ", length));
  if (waveform.rank() == 0 || waveform.shape()[0] == 0)
    fail("chunk_length_s about a sound of 0 samples", "a sound");
}

std::vector<HeardStretch> SpeechRecognitionPipeline::heard_in_chunks(
    const Literal& waveform, const GenerationConfig& settings,
    const SpeechRecognitionOptions& options, SourceLocation location) const {
  constexpr double usual_part = 6;
  const std::vector<double>& strides = options.stride_length_s;
  const double otherwise = options.chunk_length_s / usual_part;
  const int64_t left = samples_in(strides.empty() ? otherwise : strides.front(), extractor_);
  const int64_t right = samples_in(strides.empty() ? otherwise : strides.back(), extractor_);
  const int64_t length = samples_in(options.chunk_length_s, extractor_);
  const int64_t step = std::max<int64_t>(length - left - right, 1), all = waveform.shape()[0];
  const auto rate = static_cast<double>(extractor_.sampling_rate);
  std::vector<HeardStretch> result;
  for (int64_t begin = 0; begin < all; begin += step) {
    const bool is_last = begin + length >= all;
    const int64_t before = begin == 0 ? 0 : left, after = is_last ? 0 : right;
    const Literal part = samples_of(waveform, begin, begin + length);
    const int64_t count = part.shape()[0];
    if (count > before) {
      result.push_back(heard(part, settings, options.word_timestamps, false, location));
      result.back().stride = SoundStride{.length = static_cast<double>(count) / rate,
                                         .left = static_cast<double>(before) / rate,
                                         .right = static_cast<double>(after) / rate};
    }
    if (is_last) break;
  }
  return result;
}

SpokenText SpeechRecognitionPipeline::operator()(const Literal& waveform,
                                                 const GenerationConfig& generation,
                                                 const SpeechRecognitionOptions& options,
                                                 SourceLocation location) const {
  check_chunks(waveform, options, location);
  const bool by_words = options.word_timestamps;
  const GenerationConfig settings = this->settings(generation, by_words);
  const bool is_cut = options.chunk_length_s > 0;
  const std::vector<HeardStretch> stretches =
      is_cut ? heard_in_chunks(waveform, settings, options, location)
             : std::vector{heard(waveform, settings, by_words, true, location)};
  SpokenText result = spoken_text(tokenizer_, stretches, by_words);
  if (!settings.return_timestamps.value_or(false)) result.chunks.clear();
  return result;
}

}  // namespace systolic::inline v0
