#include "systolic/transformers/generation/generation_checks.h"

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* drawn_only =
    " without effect: tokens are drawn only where .do_sample = true.";

}  // namespace

void check_generation_tokens(const GenerationConfig& options, const GenerationConfig& config,
                             const GenerationSpec& sizes, SourceLocation location) {
  const auto is_unknown = [&](int64_t id) { return id < -1 || id >= sizes.vocabulary; };
  const std::string tokens = str("0 to ", sizes.vocabulary - 1);
  const auto check = [&](const char* name, int64_t id, bool is_given, const char* otherwise) {
    if (!is_unknown(id)) return;
    if (is_given) {
      raise<InvalidArgument>({.what = str("generate with ", name, " = ", id),
                              .wanted = str("a token, ", tokens, "; -1 is none"),
                              .location = location});
    }
    if (id == sizes.eos_token_id) return;
    log_once(LogLevel::warning, str("generate: the model's ", name, " is ", id,
                                    ", no token of its own (", tokens, "): ", otherwise));
  };
  for (const int64_t id : config.eos_token_id.ids)
    check("eos_token_id", id, !options.eos_token_id.ids.empty(), "no text ends by it");
  const auto check_used = [&](const char* name, std::optional<int64_t> id) {
    if (!id || !is_unknown(*id)) return;
    raise<InvalidArgument>({.what = str("generate with ", name, " = ", *id),
                            .wanted = str("a token, ", tokens, "; -1 is none"),
                            .location = location});
  };
  check_used("forced_bos_token_id", config.forced_bos_token_id);
  check_used("forced_eos_token_id", config.forced_eos_token_id);
  if (sizes.source) check_used("decoder_start_token_id", config.decoder_start_token_id);
  if (config.pad_token_id)
    check("pad_token_id", *config.pad_token_id, options.pad_token_id.has_value(),
          "texts that have ended are padded with it all the same");
}

void check_generation_rounds(const GenerationConfig& config, SourceLocation location) {
  if (!config.stop_strings.empty() && !config.tokenizer)
    raise<InvalidArgument>({.what = "generate with stop_strings, and without a tokenizer",
                            .wanted = "the one that made the prompts, to know what tokens say",
                            .hint = ".stop_strings = {...}, .tokenizer = tokenizer",
                            .location = location});
  if (config.num_beams.value_or(1) == 1) return;
  const char* name = config.streamer != nullptr ? "a streamer" : "stop_strings";
  if (config.streamer != nullptr || !config.stop_strings.empty())
    raise<Unimplemented>(
        {.what = str("generate with ", name, " and num_beams = ", *config.num_beams),
         .wanted = "num_beams = 1: what beams write changes until they end",
         .location = location});
}

void check_no_speech_options(const GenerationConfig& options, SourceLocation location) {
  const char* name = options.language                      ? "language"
                     : options.task                        ? "task"
                     : options.return_timestamps           ? "return_timestamps"
                     : options.condition_on_prev_tokens    ? "condition_on_prev_tokens"
                     : options.compression_ratio_threshold ? "compression_ratio_threshold"
                     : options.logprob_threshold           ? "logprob_threshold"
                     : options.no_speech_threshold         ? "no_speech_threshold"
                                                           : nullptr;
  if (name == nullptr) return;
  raise<InvalidArgument>({.what = str("generate of a model of texts with ", name),
                          .wanted = "a model of sound, such as Whisper",
                          .location = location});
}

void warn_of_unused(const GenerationConfig& options, const GenerationConfig& config) {
  if (config.num_beams.value_or(1) == 1 && (options.length_penalty || options.early_stopping))
    log_warning("generate: length_penalty and early_stopping without effect: num_beams is 1.");
  if (config.do_sample.value_or(false)) return;
  std::vector<std::string> names;
  if (!options.temperature.values.empty()) names.emplace_back("temperature");
  if (options.top_k) names.emplace_back("top_k");
  if (options.top_p) names.emplace_back("top_p");
  if (options.min_p) names.emplace_back("min_p");
  if (options.typical_p) names.emplace_back("typical_p");
  if (options.seed) names.emplace_back("seed");
  if (!names.empty()) log_warning(str("generate: ", join(names), drawn_only));
}

}  // namespace systolic::inline v0
