#include "systolic/transformers/generation/generation_config.h"

#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/transformers/config/limits.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t most_tokens = limits::positions, most_beams = 1 << 16;
constexpr double largest = std::numeric_limits<float>::max();

// What is not implemented, with what it is where it changes nothing.
void refuse_others(ConfigFields& fields) {
  fields.only("num_beam_groups", 1);
  for (const char* name :
       {"top_h", "bad_words_ids", "sequence_bias", "exponential_decay_length_penalty",
        "watermarking_config", "force_words_ids"}) {
    fields.only(name, Config());
  }
  fields.only("guidance_scale", 1.0);
  fields.only("encoder_no_repeat_ngram_size", 0);
  fields.only("encoder_repetition_penalty", 1.0);
  for (const char* name : {"epsilon_cutoff", "eta_cutoff", "penalty_alpha"}) fields.only(name, 0.0);
}

void transfer_early_stopping(ConfigFields& fields, std::optional<BeamStopping>& value) {
  const Config* entry = fields.entries().find("early_stopping");
  if (entry == nullptr || !entry->is_text()) {
    std::optional<bool> at_enough;
    fields.boolean("early_stopping", at_enough);
    if (at_enough) value = BeamStopping(*at_enough);
    return;
  }
  std::string text = "never";
  fields.choice("early_stopping", text, {"never"});
  value = BeamStopping(text.c_str());
}

// A text, or a list of them.
void transfer_stop_strings(ConfigFields& fields, std::vector<std::string>& values) {
  Config entry;
  fields.json("stop_strings", entry);
  if (!fields.reads() || entry == Config()) return;
  values.clear();
  const auto add = [&](const Config& one) {
    if (!one.is_text() || one.text_value().empty())
      fields.fail("stop_strings", entry.text(), "a text, or a list of texts");
    values.push_back(one.text_value());
  };
  if (!entry.is_list()) return add(entry);
  for (const Config& one : entry.list()) add(one);
}

void transfer_text(ConfigFields& fields, const char* name, std::optional<std::string>& value) {
  Config entry;
  fields.json(name, entry);
  if (!fields.reads() || entry == Config()) return;
  if (!entry.is_text()) fields.fail(name, entry.text().substr(0, 40), "a text");
  value = entry.text_value();
}

template <class T>
std::optional<T> first(const std::optional<T>& a, const std::optional<T>& b) {
  return a ? a : b;
}

void check_setting(bool holds, const char* name, double value, const char* wanted, const char* hint,
                   SourceLocation location) {
  if (holds) return;
  raise<InvalidArgument>({.what = str("generate with ", name, " = ", value),
                          .wanted = wanted,
                          .hint = hint,
                          .location = location});
}

}  // namespace

void GenerationConfig::transfer(ConfigFields& fields) {
  fields.integer("max_new_tokens", max_new_tokens, 1, most_tokens);
  fields.integer("max_length", max_length, 1, most_tokens);
  fields.boolean("do_sample", do_sample);
  fields.numbers("temperature", temperature.values, 0, largest);
  fields.integer("top_k", top_k, 0, limits::vocabulary);
  fields.number("top_p", top_p, 0, 1);
  fields.number("min_p", min_p, 0, 1);
  fields.number("typical_p", typical_p, 0, 1);
  fields.number("repetition_penalty", repetition_penalty, 0, largest);
  fields.integer("no_repeat_ngram_size", no_repeat_ngram_size, 0, most_tokens);
  fields.integer("min_new_tokens", min_new_tokens, 0, most_tokens);
  fields.integer("min_length", min_length, 0, most_tokens);
  fields.integer("num_beams", num_beams, 1, most_beams);
  fields.integer("num_return_sequences", num_return_sequences, 1, most_beams);
  fields.number("length_penalty", length_penalty, -largest, largest);
  transfer_early_stopping(fields, early_stopping);
  for (const auto& [name, id] : {std::pair("forced_bos_token_id", &forced_bos_token_id),
                                 std::pair("forced_eos_token_id", &forced_eos_token_id),
                                 std::pair("decoder_start_token_id", &decoder_start_token_id)}) {
    fields.integer(name, *id, -1, limits::vocabulary);
  }
  for (const auto& [name, tokens] :
       {std::pair("eos_token_id", &eos_token_id), std::pair("suppress_tokens", &suppress_tokens),
        std::pair("begin_suppress_tokens", &begin_suppress_tokens)}) {
    std::vector<int64_t> ids;
    fields.integers(name, ids, -1, limits::vocabulary);
    if (!ids.empty()) *tokens = TokenIds(std::move(ids));
  }
  transfer_text(fields, "language", language);
  transfer_text(fields, "task", task);
  fields.boolean("return_timestamps", return_timestamps);
  fields.boolean("condition_on_prev_tokens", condition_on_prev_tokens);
  fields.number("compression_ratio_threshold", compression_ratio_threshold, -largest, largest);
  fields.number("logprob_threshold", logprob_threshold, -largest, largest);
  fields.number("no_speech_threshold", no_speech_threshold, -largest, largest);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  transfer_stop_strings(fields, stop_strings);
  refuse_others(fields);
}

GenerationConfig GenerationConfig::over(const GenerationConfig& other) const {
  GenerationConfig result;
  result.max_new_tokens = first(max_new_tokens, max_length ? std::nullopt : other.max_new_tokens);
  result.max_length = first(max_length, other.max_length);
  result.do_sample = first(do_sample, other.do_sample);
  result.temperature = temperature.values.empty() ? other.temperature : temperature;
  result.top_k = first(top_k, other.top_k);
  result.top_p = first(top_p, other.top_p);
  result.min_p = first(min_p, other.min_p);
  result.typical_p = first(typical_p, other.typical_p);
  result.repetition_penalty = first(repetition_penalty, other.repetition_penalty);
  result.no_repeat_ngram_size = first(no_repeat_ngram_size, other.no_repeat_ngram_size);
  result.min_new_tokens = first(min_new_tokens, min_length ? std::nullopt : other.min_new_tokens);
  result.min_length = first(min_length, other.min_length);
  result.num_beams = first(num_beams, other.num_beams);
  result.num_return_sequences = first(num_return_sequences, other.num_return_sequences);
  result.length_penalty = first(length_penalty, other.length_penalty);
  result.early_stopping = first(early_stopping, other.early_stopping);
  result.forced_bos_token_id = first(forced_bos_token_id, other.forced_bos_token_id);
  result.forced_eos_token_id = first(forced_eos_token_id, other.forced_eos_token_id);
  result.decoder_start_token_id = first(decoder_start_token_id, other.decoder_start_token_id);
  result.eos_token_id = eos_token_id.ids.empty() ? other.eos_token_id : eos_token_id;
  result.suppress_tokens = suppress_tokens.ids.empty() ? other.suppress_tokens : suppress_tokens;
  result.begin_suppress_tokens =
      begin_suppress_tokens.ids.empty() ? other.begin_suppress_tokens : begin_suppress_tokens;
  result.language = first(language, other.language);
  result.task = first(task, other.task);
  result.return_timestamps = first(return_timestamps, other.return_timestamps);
  result.condition_on_prev_tokens = first(condition_on_prev_tokens, other.condition_on_prev_tokens);
  result.compression_ratio_threshold =
      first(compression_ratio_threshold, other.compression_ratio_threshold);
  result.logprob_threshold = first(logprob_threshold, other.logprob_threshold);
  result.no_speech_threshold = first(no_speech_threshold, other.no_speech_threshold);
  result.pad_token_id = first(pad_token_id, other.pad_token_id);
  result.seed = first(seed, other.seed);
  result.stop_strings = stop_strings.empty() ? other.stop_strings : stop_strings;
  result.tokenizer = first(tokenizer, other.tokenizer);
  result.streamer = streamer != nullptr ? streamer : other.streamer;
  result.assistant_model = assistant_model != nullptr ? assistant_model : other.assistant_model;
  result.num_assistant_tokens = first(num_assistant_tokens, other.num_assistant_tokens);
  return result;
}

namespace {

void check_counts(const GenerationConfig& config, SourceLocation location) {
  for (const auto& [name, value] : {std::pair("no_repeat_ngram_size", config.no_repeat_ngram_size),
                                    std::pair("min_new_tokens", config.min_new_tokens),
                                    std::pair("min_length", config.min_length)}) {
    const int64_t count = value.value_or(0);
    check_setting(count >= 0 && count <= most_tokens, name, static_cast<double>(count),
                  "0, which changes nothing, or more", "", location);
  }
  const int64_t beams = config.num_beams.value_or(1);
  const int64_t texts = config.num_return_sequences.value_or(1);
  constexpr int64_t most_drafts = 64;
  const int64_t drafts = config.num_assistant_tokens.value_or(1);
  check_setting(drafts >= 1 && drafts <= most_drafts, "num_assistant_tokens",
                static_cast<double>(drafts), "1 to 64", "", location);
  check_setting(beams >= 1 && beams <= most_beams, "num_beams", static_cast<double>(beams),
                "1, which is no search, or more", "", location);
  const bool draws_alone = config.do_sample.value_or(false) && beams == 1;
  check_setting(texts >= 1 && texts <= (draws_alone ? most_beams : beams), "num_return_sequences",
                static_cast<double>(texts), "1 to num_beams, or any number with .do_sample = true",
                "the likeliest token each time makes one text alone", location);
}

}  // namespace

void GenerationConfig::check(SourceLocation location) const {
  check_counts(*this, location);
  const auto lengths = {std::pair("max_new_tokens", max_new_tokens),
                        std::pair("max_length", max_length)};
  for (const auto& [name, value] : lengths) {
    if (value) {
      check_setting(*value >= 1 && *value <= most_tokens, name, static_cast<double>(*value),
                    "at least 1, and no more than the model has positions for", "", location);
    }
  }
  const double heat = temperature.value_or(1), p = top_p.value_or(1);
  check_setting(temperature.values.size() <= 1, "temperatures",
                static_cast<double>(temperature.values.size()), "one: Whisper alone tries several",
                "", location);
  check_setting(heat > 0 && heat <= largest, "temperature", heat, "above 0",
                "the likeliest token each time: .do_sample = false", location);
  check_setting(top_k.value_or(0) >= 0, "top_k", static_cast<double>(top_k.value_or(0)),
                "0 or more; 0 draws from all tokens", "", location);
  check_setting(p > 0 && p <= 1, "top_p", p, "above 0, at most 1", "", location);
  const double least = min_p.value_or(0), typical = typical_p.value_or(1);
  check_setting(least >= 0 && least <= 1, "min_p", least, "0 to 1", "", location);
  check_setting(typical > 0 && typical <= 1, "typical_p", typical, "above 0, at most 1", "",
                location);
  const double penalty = repetition_penalty.value_or(1);
  check_setting(penalty > 0 && penalty <= largest, "repetition_penalty", penalty,
                "above 0; 1 changes nothing, 1.2 repeats less", "", location);
  const double power = length_penalty.value_or(1);
  check_setting(std::isfinite(power), "length_penalty", power, "a finite power", "", location);
  for (const std::string& one : stop_strings) {
    if (one.empty())
      raise<InvalidArgument>({.what = "generate with an empty text among stop_strings",
                              .wanted = "texts of a character or more",
                              .location = location});
  }
  const int64_t padding = pad_token_id.value_or(-1);
  check_setting(padding >= -1 && padding <= limits::vocabulary, "pad_token_id",
                static_cast<double>(padding), "a token; -1 is none", "", location);
}

}  // namespace systolic::inline v0
