// How a language model continues a text, or writes one about another (transformers'
// GenerationConfig): what
// PretrainedModel::generate takes, and what a generation_config.json holds.
//
//   model.generate(ids, {.max_new_tokens = 50, .do_sample = true, .top_p = 0.9})
//
// Fields that are not set take the folder's value, and then transformers' default.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "systolic/text/tokenizer.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/generation/program/beam_stopping.h"

namespace systolic::inline v0 {

class PretrainedModel;
class Streamer;

// Tokens: .eos_token_id = 50256, .eos_token_id = {198, 50256}; {}: the default.
struct TokenIds {
  TokenIds() = default;
  template <std::integral Integer>
  TokenIds(Integer id) : ids{static_cast<int64_t>(id)} {}             // NOLINT
  TokenIds(std::initializer_list<int64_t> several) : ids(several) {}  // NOLINT
  explicit TokenIds(std::vector<int64_t> several) : ids(std::move(several)) {}
  std::vector<int64_t> ids;
};

// What scores are divided by before tokens are drawn from them: .temperature = 0.7. Whisper takes
// several, .temperature = {0, 0.2, 0.4}: the next one where a text fails a threshold. {}: the
// default.
struct Temperatures {
  Temperatures() = default;
  Temperatures(double one) : values{one} {}                                 // NOLINT
  Temperatures(std::initializer_list<double> several) : values(several) {}  // NOLINT
  // The first of them.
  double value_or(double otherwise) const { return values.empty() ? otherwise : values.front(); }
  std::vector<double> values;
};

struct GenerationConfig {
  // At most this many tokens after the prompt; or max_length tokens with it. Without either, 20, or
  // as many as there are positions for.
  std::optional<int64_t> max_new_tokens = {};
  std::optional<int64_t> max_length = {};
  // A text does not end before it has this many tokens after its prompt; or min_length with it.
  std::optional<int64_t> min_new_tokens = {};
  std::optional<int64_t> min_length = {};
  // The next token is drawn from the softmax of its scores; else it is the one with the largest.
  std::optional<bool> do_sample = {};
  // So many texts are continued at once, and those with the best sums of log-probabilities kept
  // (beam search); 1, which replaces a file's: one.
  std::optional<int64_t> num_beams = {};
  // So many texts for each prompt, the best first: at most num_beams, or any number that is drawn.
  std::optional<int64_t> num_return_sequences = {};
  // The sum of a finished text's log-probabilities is divided by this power of its length: above 0
  // longer texts are preferred, below 0 shorter ones. 1
  std::optional<double> length_penalty = {};
  // When a search by beams ends: true, false or "never" (generation/program/beam_stopping.h). false
  std::optional<BeamStopping> early_stopping = {};
  Temperatures temperature = {};      // scores are divided by it before they are drawn from. 1
  std::optional<int64_t> top_k = {};  // only the k largest scores are drawn from; 0: all. 50
  // Only the likeliest tokens are drawn from, as few as have this probability together. 1
  std::optional<double> top_p = {};
  // Only tokens at least this many times as likely as the likeliest are drawn from. 0
  std::optional<double> min_p = {};
  // Only tokens whose surprise is nearest to the one to be expected are drawn from, as few as have
  // this probability together (Meister et al. 2022, arXiv 2202.00666, section 4). 1
  std::optional<double> typical_p = {};
  // Positive scores of tokens that are in the text already are divided by it, negative ones
  // multiplied (Keskar et al. 2019, arXiv 1909.05858, section 4.1).
  std::optional<double> repetition_penalty = {};
  // No run of this many tokens stands in a text twice, its prompt included; 0: any may. Tokens that
  // pad are in no run.
  std::optional<int64_t> no_repeat_ngram_size = {};
  // Tokens of the model, or -1 for none; InvalidArgument for others.
  // The first token after a prompt of one token, such as the language to translate to; the last
  // one of a text that is as long as it may be.
  std::optional<int64_t> forced_bos_token_id = {};
  std::optional<int64_t> forced_eos_token_id = {};
  // Tokens that never come, and those that do not come first; -1, which is no token, replaces a
  // file's.
  TokenIds suppress_tokens = {}, begin_suppress_tokens = {};
  // Whisper: what is spoken, "en" or "english", else the model finds out; "transcribe", or
  // "translate", into English; and whether the text tells times, which it does wherever a sound is
  // longer than 30 seconds.
  std::optional<std::string> language = {}, task = {};
  std::optional<bool> return_timestamps = {};
  // Whisper: each 30 seconds of a long sound are read with what was written about those before.
  std::optional<bool> condition_on_prev_tokens = {};
  // Whisper: 30 seconds are written about again, at the next temperature, where the bytes of the
  // text's tokens are more than so many times as many as zlib makes of them, or where the mean
  // logarithm of the tokens' probabilities lies below that (Radford et al. 2022, arXiv 2212.04356,
  // section 4.5). At a temperature of 0, the first by default, the likeliest tokens are taken.
  std::optional<double> compression_ratio_threshold = {}, logprob_threshold = {};
  // Whisper: such a text is dropped where <|nospeech|> is likelier than this. With
  // logprob_threshold.
  std::optional<double> no_speech_threshold = {};
  // What the text of an encoder-decoder begins with.
  std::optional<int64_t> decoder_start_token_id = {};
  TokenIds eos_token_id = {};                // a text ends after any of them
  std::optional<int64_t> pad_token_id = {};  // after texts that have ended; the first eos_token_id
  std::optional<uint64_t> seed = {};         // of what is drawn; another one at each call
  // A text ends with the token in which one of these ends, its prompt's last tokens included:
  // .stop_strings = {"\n\n"}, .tokenizer = tokenizer. Not with several beams.
  std::vector<std::string> stop_strings = {};
  std::optional<Tokenizer> tokenizer = {};  // which made the prompts: for stop_strings
  // Is told of the prompt and of each token as it comes (text_streamer.h); one prompt, one beam. It
  // must outlive the call.
  Streamer* streamer = nullptr;
  // A smaller model of the same vocabulary. It drafts tokens, which this one then reads at once and
  // keeps as long as it would have written them itself (Leviathan et al. 2022, arXiv 2211.17192):
  // the same text in fewer steps of the large model or, where tokens are drawn, one of the same
  // distribution. One beam; models without a source. It must outlive the call.
  const PretrainedModel* assistant_model = nullptr;
  std::optional<int64_t> num_assistant_tokens = {};  // tokens of a draft. 5

  // Names the fields of the file. Unimplemented for those that would change the result and are not
  // implemented, such as penalty_alpha.
  void transfer(ConfigFields& fields);
  // These, and where they are not set those of `other`.
  GenerationConfig over(const GenerationConfig& other) const;
  // InvalidArgument for a value outside of its bounds.
  void check(SourceLocation location) const;
};

}  // namespace systolic::inline v0
