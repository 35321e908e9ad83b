#include "systolic/transformers/pipelines/speech_recognition.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {
namespace {

constexpr double seconds_of_token = 0.02, seconds_of_part = 30;

// Reads tokens one by one: words, and when they were said. Times of a sound of several parts begin
// anew with each.
class SpokenTokens {
 public:
  SpokenTokens(const Tokenizer& tokenizer, int64_t first_time)
      : tokenizer_(tokenizer), special_(tokenizer.all_special_ids()), first_time_(first_time) {}

  void read(const std::vector<int32_t>& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (std::binary_search(special_.begin(), special_.end(), ids[i])) continue;
      if (ids[i] < first_time_) {
        words_.push_back(ids[i]);
      } else {
        read_time(ids, i);
      }
    }
    if (!words_.empty()) end_chunk();
  }
  std::vector<SpokenChunk> chunks() && { return std::move(chunks_); }

 private:
  double time_of(int32_t id) const {
    return static_cast<double>(id - first_time_) * seconds_of_token;
  }

  void read_time(const std::vector<int32_t>& ids, size_t i) {
    const double time = time_of(ids[i]);
    if (time < latest_) {
      const bool after_pair = i < 2 || (ids[i - 1] >= first_time_ && ids[i - 2] >= first_time_);
      if (after_pair) latest_ = before_latest_;
      parts_before_ += after_pair ? before_latest_ : seconds_of_part;
    }
    before_latest_ = std::exchange(latest_, time);
    const double second = std::round((time + parts_before_) * 100) / 100;
    if (!chunk_.begin) {
      chunk_.begin = second;
    } else if (second != *chunk_.begin) {
      chunk_.end = second;
      end_chunk();
    }
  }

  void end_chunk() {
    chunk_.text = tokenizer_.decode(std::exchange(words_, {}), false);
    chunks_.push_back(std::exchange(chunk_, {}));
  }

  const Tokenizer& tokenizer_;
  const std::vector<int32_t> special_;
  const int64_t first_time_;
  double latest_ = 0, before_latest_ = 0, parts_before_ = 0;
  SpokenChunk chunk_;
  std::vector<int32_t> words_;
  std::vector<SpokenChunk> chunks_;
};

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

SpokenText SpeechRecognitionPipeline::text_of(const std::vector<int32_t>& ids,
                                              bool with_chunks) const {
  const std::optional<int32_t> none = tokenizer_.token_to_id("<|notimestamps|>");
  SpokenTokens tokens(tokenizer_, none ? *none + 1 : tokenizer_.vocab_size());
  tokens.read(ids);
  SpokenText result;
  std::vector<SpokenChunk> chunks = std::move(tokens).chunks();
  for (const SpokenChunk& chunk : chunks) result.text += chunk.text;
  if (with_chunks) result.chunks = std::move(chunks);
  return result;
}

SpokenText SpeechRecognitionPipeline::operator()(const Literal& waveform,
                                                 const GenerationConfig& generation,
                                                 SourceLocation location) const {
  const int64_t samples = extractor_.chunk_length * extractor_.sampling_rate;
  const Example inputs =
      waveform.size() > samples
          ? extractor_({waveform}, {.truncation = false, .padding = "longest"}, location)
          : extractor_({waveform}, location);
  GenerationConfig settings = generation.over(of_folder_);
  GenerationConfig defaults{.num_beams = 5};
  if (!settings.max_new_tokens && !settings.max_length) defaults.max_new_tokens = 256;
  const bool with_chunks = settings.return_timestamps.value_or(false);
  const Literal ids = model_.generate(inputs, settings.over(defaults), location);
  const auto numbers = ids.data<int32_t>();
  return text_of({numbers.begin(), numbers.end()}, with_chunks);
}

}  // namespace systolic::inline v0
