#include "systolic/transformers/speech/speech_generation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/transformers/speech/sound_inputs.h"
#include "systolic/transformers/speech/sound_segments.h"
#include "systolic/transformers/speech/sound_tokens.h"

namespace systolic::inline v0 {
namespace {

using WrittenTokens = std::vector<int64_t>;

// Rows of tokens, shorter ones padded in front.
Prompt prompt_of_rows(const std::vector<WrittenTokens>& rows, int64_t padding) {
  size_t longest = 0;
  for (const WrittenTokens& row : rows) longest = std::max(longest, row.size());
  Prompt prompt{.ids = Literal::filled(
                    DType::i32, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)},
                    static_cast<double>(padding)),
                .starts = {}};
  auto to = prompt.ids.mutable_data<int32_t>().begin();
  for (const WrittenTokens& row : rows) {
    prompt.starts.push_back(static_cast<int64_t>(longest - row.size()));
    to = std::copy(row.begin(), row.end(), to + prompt.starts.back());
  }
  return prompt;
}

class Hearing {
 public:
  Hearing(Generation& generation, const Model& model, const Architecture& architecture,
          const Config& model_config, const ModelArrays& arrays, const GenerationConfig& options,
          SourceLocation location)
      : generation_(generation),
        model_(model),
        architecture_(architecture),
        sizes_(*architecture.decoder()),
        location_(location),
        config_(settled_config(generation, architecture, model_config, drawn(options), location)),
        tokens_(SoundTokens::read(generation.entries, generation.file, model_config,
                                  sizes_.vocabulary, location)),
        sounds_(SoundInputs::of(arrays, *sizes_.source, location)) {
    check_streams();
    settle_times(options);
    repeat_sounds();
    if (!config_.max_new_tokens && !config_.max_length) config_.max_length = default_tokens;
  }

  HeardSounds run() {
    const std::vector<WrittenTokens> begin = begin_tokens();
    HeardSounds result{.segments = std::vector<std::vector<SoundSegment>>(sounds_.count()),
                       .padding = padding(),
                       .first_time = tokens_.first_time(sizes_.vocabulary)};
    std::vector<int64_t> seek(sounds_.count(), 0);
    for (;;) {
      std::vector<size_t> open;
      for (size_t i = 0; i < sounds_.count(); ++i)
        if (seek[i] < sounds_.frames(i)) open.push_back(i);
      if (open.empty()) return result;
      hear(open, begin, seek, result.segments);
    }
  }

 private:
  static constexpr int64_t default_tokens = 20;

  // WrittenTokens are drawn where the caller says at which temperature, and nowhere else.
  static GenerationConfig drawn(GenerationConfig options) {
    options.do_sample = options.temperature.has_value();
    if (options.temperature) options.num_beams = 1;
    return options;
  }

  void check_streams() const {
    if (config_.streamer == nullptr && config_.stop_strings.empty()) return;
    raise<Unimplemented>({.what = "generate about sounds with a streamer or stop_strings",
                          .wanted = "neither: long sounds are read in parts",
                          .location = location_});
  }

  void settle_times(const GenerationConfig& options) {
    const bool is_long = sounds_.longest() > sizes_.source->frames;
    if (is_long && options.return_timestamps == false) {
      raise<InvalidArgument>({.what = str("generate about a sound of ", sounds_.longest(),
                                          " moments, with return_timestamps = false"),
                              .wanted = str("at most ", sizes_.source->frames, ", 30 seconds"),
                              .hint = "times say where to go on: leave return_timestamps out",
                              .location = location_});
    }
    if (is_long) config_.return_timestamps = true;
    if (!config_.return_timestamps.value_or(false) || tokens_.no_timestamps_token_id) return;
    raise<InvalidArgument>({.what = is_long ? "generate about a sound of more than 30 seconds"
                                            : "generate with return_timestamps",
                            .wanted = "a generation_config.json with no_timestamps_token_id",
                            .location = location_});
  }

  void repeat_sounds() {
    const int64_t times = config_.num_return_sequences.value_or(1);
    if (times == 1) return;
    sounds_ = sounds_.repeated(times);
    config_.num_return_sequences = 1;
  }

  int64_t padding() const {
    if (config_.pad_token_id && *config_.pad_token_id >= 0) return *config_.pad_token_id;
    return config_.eos_token_id.ids.empty() ? 0 : config_.eos_token_id.ids.front();
  }

  int64_t start() const {
    return config_.decoder_start_token_id.value_or(sizes_.source->start_token_id);
  }

  GenerationPlan plan_of(const GenerationConfig& config, Literal features, Prompt prompt) const {
    const int64_t rows = features.shape()[0];
    Source source{.ids = std::move(features), .mask = Literal::filled(DType::i32, {rows, 1}, 1)};
    return make_generation_plan(config, sizes_, most_positions(architecture_), std::move(source),
                                std::move(prompt), location_);
  }

  Literal run_plan(const GenerationPlan& plan) const {
    return systolic::run_plan(generation_, model_, architecture_, plan, location_);
  }

  // The likeliest language of each sound's beginning.
  WrittenTokens found_languages() const {
    GenerationConfig config{.max_new_tokens = 1, .eos_token_id = -1};
    config.suppress_tokens.ids.clear();
    std::vector<bool> is_language(static_cast<size_t>(sizes_.vocabulary));
    for (const auto& one : tokens_.lang_to_id) is_language[static_cast<size_t>(one.second)] = true;
    for (int64_t id = 0; id < sizes_.vocabulary; ++id)
      if (!is_language[static_cast<size_t>(id)]) config.suppress_tokens.ids.push_back(id);
    std::vector<size_t> all(sounds_.count());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<int64_t> begin(all.size(), 0);
    const Literal ids = run_plan(plan_of(
        config, sounds_.part(all, begin, sizes_.source->frames),
        prompt_of_rows(std::vector<WrittenTokens>(all.size(), WrittenTokens{start()}), padding())));
    WrittenTokens languages;
    for (int64_t row = 0; row < ids.shape()[0]; ++row)
      languages.push_back(ids.row(row).integer_at(1));
    return languages;
  }

  std::vector<WrittenTokens> begin_tokens() const {
    const auto wanted = tokens_to_begin(tokens_, config_, start(), location_);
    const bool finds = std::find(wanted.begin(), wanted.end(), std::nullopt) != wanted.end();
    const WrittenTokens languages = finds ? found_languages() : WrittenTokens(sounds_.count());
    std::vector<WrittenTokens> result;
    for (const int64_t language : languages) {
      WrittenTokens& row = result.emplace_back();
      for (const std::optional<int64_t>& token : wanted) row.push_back(token.value_or(language));
    }
    return result;
  }

  // What was written about a sound so far, before what its text begins with: of the last tokens, as
  // many as leave half of the positions.
  WrittenTokens with_text_before(const WrittenTokens& begin,
                                 const std::vector<SoundSegment>& before) const {
    const size_t most = static_cast<size_t>(most_positions(architecture_) / 2 - 1);
    WrittenTokens text = text_of(before, tokens_.first_time(sizes_.vocabulary));
    if (text.size() > most)
      text.erase(text.begin(), text.end() - static_cast<std::ptrdiff_t>(most));
    if (const std::optional<int64_t> token = token_before_text()) text.insert(text.begin(), *token);
    text.insert(text.end(), begin.begin(), begin.end());
    return text;
  }

  std::optional<int64_t> token_before_text() const {
    if (tokens_.prev_sot_token_id) return tokens_.prev_sot_token_id;
    const std::vector<int64_t>& never = config_.suppress_tokens.ids;
    return never.size() >= 2 ? std::optional(never[never.size() - 2]) : std::nullopt;
  }

  // Writes about the next part of each open sound.
  void hear(const std::vector<size_t>& open, const std::vector<WrittenTokens>& begin,
            std::vector<int64_t>& seek, std::vector<std::vector<SoundSegment>>& segments) {
    // What was drawn at random is nothing to go on from.
    const bool goes_on = config_.condition_on_prev_tokens.value_or(false) && !segments[0].empty() &&
                         config_.temperature.value_or(0) < 0.5;
    std::vector<WrittenTokens> prompts;
    std::vector<int64_t> from;
    for (const size_t i : open) {
      prompts.push_back(goes_on ? with_text_before(begin[i], segments[i]) : begin[i]);
      from.push_back(seek[i]);
    }
    GenerationPlan plan =
        plan_of(config_for(prompts), sounds_.part(open, from, sizes_.source->frames),
                prompt_of_rows(prompts, padding()));
    if (config_.return_timestamps.value_or(false)) plan.times = times();
    const int64_t given = plan.prompt.tokens();
    const Literal ids = run_plan(plan);
    for (size_t i = 0; i < open.size(); ++i) {
      const size_t sound = open[i];
      const int64_t frames = std::min(sounds_.frames(sound) - seek[sound], sizes_.source->frames);
      const HeardPart part{.tokens = written(ids.row(static_cast<int64_t>(i)), given),
                           .begin = seek[sound],
                           .frames = frames,
                           .first_time = tokens_.first_time(sizes_.vocabulary)};
      seek[sound] += add_segments(part, segments[sound]);
    }
  }

  // As transformers does, a length that counts what is given grows by that with each part.
  GenerationConfig config_for(const std::vector<WrittenTokens>& prompts) {
    size_t longest = 0;
    for (const WrittenTokens& prompt : prompts) longest = std::max(longest, prompt.size());
    const int64_t positions = most_positions(architecture_), given = static_cast<int64_t>(longest);
    if (config_.max_length && !config_.max_new_tokens)
      config_.max_length =
          std::min(*config_.max_length + std::min(positions / 2 - 1, given), positions);
    return config_;
  }

  TimeTokens times() const {
    const int64_t first = tokens_.first_time(sizes_.vocabulary);
    const int64_t end = config_.eos_token_id.ids.empty() ? 0 : config_.eos_token_id.ids.front();
    return {.begin = first,
            .last_first = tokens_.max_initial_timestamp_index
                              ? first + *tokens_.max_initial_timestamp_index
                              : std::numeric_limits<int32_t>::max(),
            .none = first - 1,
            .end = end};
  }

  // What was written after `given` tokens, without what pads and without the end.
  WrittenTokens written(const Literal& row, int64_t given) const {
    WrittenTokens tokens;
    for (int64_t i = given; i < row.size(); ++i) tokens.push_back(row.integer_at(i));
    const int64_t pad = padding();
    const std::vector<int64_t>& ends = config_.eos_token_id.ids;
    const bool ends_too = !ends.empty() && ends.front() == pad;
    if (!tokens.empty() && tokens.back() == pad) {
      // All that pad count, wherever they stand, as transformers has it.
      auto count = std::count(tokens.begin(), tokens.end(), pad) - (ends_too ? 1 : 0);
      tokens.resize(tokens.size() - static_cast<size_t>(count));
    }
    if (!tokens.empty() && !ends.empty() && tokens.back() == ends.front()) tokens.pop_back();
    return tokens;
  }

  Generation& generation_;
  const Model& model_;
  const Architecture& architecture_;
  const GenerationSpec sizes_;
  SourceLocation location_;
  GenerationConfig config_;
  SoundTokens tokens_;
  SoundInputs sounds_;
};

}  // namespace

Literal HeardSounds::ids() const {
  std::vector<WrittenTokens> rows;
  size_t longest = 0;
  for (const std::vector<SoundSegment>& one : segments) {
    WrittenTokens& row = rows.emplace_back();
    for (const SoundSegment& segment : one)
      row.insert(row.end(), segment.tokens.begin(), segment.tokens.end());
    longest = std::max(longest, row.size());
  }
  const Shape shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)};
  Literal result = Literal::filled(DType::i32, shape, static_cast<double>(padding));
  auto to = result.mutable_data<int32_t>().begin();
  for (const WrittenTokens& row : rows) {
    std::copy(row.begin(), row.end(), to);
    to += static_cast<std::ptrdiff_t>(longest);
  }
  return result;
}

bool hears(const Architecture& architecture) {
  const std::optional<GenerationSpec> sizes = architecture.decoder();
  return sizes && sizes->source && sizes->source->bins > 0;
}

HeardSounds run_speech_generation(Generation& generation, const Model& model,
                                  const Architecture& architecture, const Config& model_config,
                                  const ModelArrays& arrays, const GenerationConfig& options,
                                  SourceLocation location) {
  return Hearing(generation, model, architecture, model_config, arrays, options, location).run();
}

}  // namespace systolic::inline v0
