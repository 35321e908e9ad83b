// The tokens by which Whisper is told what to write, and tells times, as a generation_config.json
// has them. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/generation/generation_config.h"

namespace systolic::inline v0 {

struct SoundTokens {
  using Named = std::vector<std::pair<std::string, int64_t>>;

  Named lang_to_id;  // "<|en|>"
  Named task_to_id;  // "transcribe", "translate"
  std::optional<bool> is_multilingual = {};
  std::optional<int64_t> no_timestamps_token_id = {};
  std::optional<int64_t> max_initial_timestamp_index = {};
  std::optional<int64_t> prev_sot_token_id = {};  // before what was written about sounds before
  // {layer, head} of the decoder whose attention shows when a word was said; none: nobody knows.
  std::vector<std::pair<int64_t, int64_t>> alignment_heads = {};
  // In older files, tokens after the first, in their order; nothing for one that is to be found.
  std::vector<std::optional<int64_t>> forced_decoder_ids = {};

  // From a file's entries; where it lacks forced_decoder_ids, these from config.json's.
  static SoundTokens read(const Config& entries, const std::string& file,
                          const Config& model_config, int64_t vocabulary, SourceLocation location);

  // The first token that tells a time; one that never comes where there are none.
  int64_t first_time(int64_t vocabulary) const {
    return no_timestamps_token_id ? *no_timestamps_token_id + 1 : vocabulary + 1;
  }
};

// What the text about each sound begins with. A language that nobody gave is `nothing` at place 1
// where the model has tokens of languages, and is to be found; InvalidArgument for a language or a
// task that the model does not have.
std::vector<std::optional<int64_t>> tokens_to_begin(const SoundTokens& tokens,
                                                    const GenerationConfig& config, int64_t start,
                                                    SourceLocation location);

}  // namespace systolic::inline v0
