#include "systolic/transformers/speech/speech_generation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/transformers/speech/compression_ratio.h"
#include "systolic/transformers/speech/sound_inputs.h"
#include "systolic/transformers/speech/sound_segments.h"
#include "systolic/transformers/speech/sound_tokens.h"
#include "systolic/transformers/speech/token_times.h"

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

// What was written about 30 seconds of a sound.
struct HeardText {
  WrittenTokens tokens;      // with the end, where it has one
  bool is_silence = false;   // of which nothing was said
  std::vector<float> times;  // of the tokens, where they are asked for
};

class Hearing {
 public:
  Hearing(Generation& generation, const Model& model, const Architecture& architecture,
          const Config& model_config, const ModelArrays& arrays, const GenerationConfig& options,
          bool tells_tokens, SourceLocation location)
      : generation_(generation),
        model_(model),
        architecture_(architecture),
        sizes_(*architecture.decoder()),
        location_(location),
        temperatures_(temperatures_of(options, location)),
        config_(settled_config(generation, architecture, model_config,
                               without_temperatures(options), location)),
        tokens_(SoundTokens::read(generation.entries, generation.file, model_config,
                                  sizes_.vocabulary, location)),
        sounds_(SoundInputs::of(arrays, *sizes_.source, location)) {
    check_streams();
    check_thresholds();
    settle_times(options);
    if (tells_tokens) settle_token_times(model_config);
    repeat_sounds();
    goes_on_.assign(sounds_.count(), config_.condition_on_prev_tokens.value_or(false));
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

  // Tokens are drawn where the caller says at which temperature, and nowhere else.
  static std::vector<double> temperatures_of(const GenerationConfig& options,
                                             SourceLocation location) {
    for (const double one : options.temperature.values) {
      if (one >= 0 && one <= std::numeric_limits<float>::max()) continue;
      raise<InvalidArgument>({.what = str("generate with temperature = ", one),
                              .wanted = "0, the likeliest token each time, or more",
                              .location = location});
    }
    return options.temperature.values.empty() ? std::vector<double>{0} : options.temperature.values;
  }

  static GenerationConfig without_temperatures(GenerationConfig options) {
    options.do_sample =
        std::ranges::any_of(options.temperature.values, [](double one) { return one > 0; });
    options.temperature = {};
    return options;
  }

  // Once tokens were drawn, there are no beams any more, as in transformers.
  void set_temperature(double temperature) {
    config_.do_sample = temperature > 0;
    config_.temperature = temperature > 0 ? Temperatures(temperature) : Temperatures();
    if (temperature > 0) config_.num_beams = 1;
  }

  void check_thresholds() const {
    if (!config_.no_speech_threshold) return;
    if (config_.logprob_threshold && tokens_.no_timestamps_token_id) return;
    raise<InvalidArgument>({.what = "generate with no_speech_threshold",
                            .wanted = tokens_.no_timestamps_token_id
                                          ? "a logprob_threshold with it: both must fail"
                                          : "a generation_config.json with no_timestamps_token_id",
                            .location = location_});
  }

  void settle_token_times(const Config& model_config) {
    request_.heads = tokens_.alignment_heads;
    if (request_.heads.empty()) {
      raise<InvalidArgument>({.what = "generate with times of tokens",
                              .wanted = "a generation_config.json with alignment_heads",
                              .location = location_});
    }
    if (const Config* width = model_config.find("median_filter_width")) {
      const bool is_odd = width->is_integer() && width->integer() % 2 == 1;
      if (!is_odd || width->integer() < 1 || width->integer() > sizes_.source->frames) {
        raise<InvalidArgument>({.what = str("median_filter_width = ", width->text().substr(0, 40)),
                                .wanted = str("an odd number up to ", sizes_.source->frames),
                                .location = location_});
      }
      median_width_ = width->integer();
    }
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
    const bool goes_on =
        !segments[0].empty() && std::find(goes_on_.begin(), goes_on_.end(), true) != goes_on_.end();
    std::vector<OpenSound> sounds;
    for (const size_t i : open) {
      OpenSound& one = sounds.emplace_back(OpenSound{.sound = i, .from = seek[i]});
      const std::vector<SoundSegment> nothing;
      one.prompt =
          goes_on ? with_text_before(begin[i], goes_on_[i] ? segments[i] : nothing) : begin[i];
      one.begins_at = one.prompt.size() - begin[i].size();
    }
    const std::vector<HeardText> texts = written_texts(sounds);
    for (size_t i = 0; i < open.size(); ++i) {
      const size_t sound = open[i];
      const int64_t frames = std::min(sounds_.frames(sound) - seek[sound], sizes_.source->frames);
      const HeardPart part{.tokens = without_end(texts[i].tokens),
                           .begin = seek[sound],
                           .frames = frames,
                           .times = texts[i].times,
                           .first_time = tokens_.first_time(sizes_.vocabulary)};
      seek[sound] += texts[i].is_silence ? frames : add_segments(part, segments[sound]);
    }
  }

  // A sound, from where on it is read, and what its text begins with, after what was written
  // before.
  struct OpenSound {
    size_t sound = 0;
    int64_t from = 0;
    WrittenTokens prompt = {};
    size_t begins_at = 0;  // in the prompt
  };

  // At the first temperature, and where a text fails a threshold at the next.
  std::vector<HeardText> written_texts(const std::vector<OpenSound>& sounds) {
    lengthen(sounds);
    std::vector<HeardText> texts(sounds.size());
    std::vector<size_t> left(sounds.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = i;
    for (const double temperature : temperatures_) {
      set_temperature(temperature);
      std::vector<size_t> again;
      write(sounds, left, texts, again);
      for (const size_t i : left) goes_on_[sounds[i].sound] = may_go_on(temperature);
      left = std::move(again);
      if (left.empty()) break;
    }
    return texts;
  }

  // What was drawn at random is nothing to go on from.
  bool may_go_on(double temperature) const {
    return config_.condition_on_prev_tokens.value_or(false) && temperature < 0.5;
  }

  // Writes about those that are left; `again` are those whose texts fail.
  void write(const std::vector<OpenSound>& sounds, const std::vector<size_t>& left,
             std::vector<HeardText>& texts, std::vector<size_t>& again) const {
    std::vector<WrittenTokens> prompts;
    std::vector<size_t> which;
    std::vector<int64_t> from;
    for (const size_t i : left) {
      prompts.push_back(sounds[i].prompt);
      which.push_back(sounds[i].sound);
      from.push_back(sounds[i].from);
    }
    GenerationPlan plan = plan_of(config_, sounds_.part(which, from, sizes_.source->frames),
                                  prompt_of_rows(prompts, padding()));
    if (config_.return_timestamps.value_or(false)) plan.times = times();
    const int64_t given = plan.prompt.tokens();
    const Literal ids = run_plan(plan);
    const std::optional<PlanReading> reading = reading_of(plan, ids, sounds[left[0]]);
    for (size_t k = 0; k < left.size(); ++k) {
      HeardText& text = texts[left[k]];
      const auto row = static_cast<int64_t>(k);
      text.tokens = written(ids.row(row), given);
      if (!reading) continue;
      if (fails(text, reading->reading, row)) again.push_back(left[k]);
      if (!request_.heads.empty())
        text.times = times_of_tokens(text, *reading, row, given, sounds[left[k]]);
    }
  }

  std::optional<PlanReading> reading_of(const GenerationPlan& plan, const Literal& ids,
                                        const OpenSound& one) const {
    if (!config_.logprob_threshold && !config_.no_speech_threshold && request_.heads.empty() &&
        !config_.compression_ratio_threshold)
      return std::nullopt;
    ReadingRequest request = request_;
    const auto own = static_cast<int64_t>(one.prompt.size() - one.begins_at);
    request.place = plan.prompt.tokens() - own;
    request.token = tokens_.no_timestamps_token_id.value_or(1) - 1;
    return read_plan(generation_, model_, architecture_, plan, ids, request, location_);
  }

  // Whether it is to be written again. One that is dropped is not.
  bool fails(HeardText& text, const TextReading& reading, int64_t row) const {
    const auto count = static_cast<double>(text.tokens.size());
    const double mean = reading.likelihoods.number_at(row) / count;
    const bool is_unlikely = config_.logprob_threshold && mean < *config_.logprob_threshold;
    text.is_silence = is_unlikely && config_.no_speech_threshold &&
                      reading.probabilities.number_at(row) > *config_.no_speech_threshold;
    if (text.is_silence) return false;
    return is_unlikely || (config_.compression_ratio_threshold &&
                           compression_ratio(text.tokens, sizes_.vocabulary) >
                               *config_.compression_ratio_threshold);
  }

  // Beyond the sound's end a number below 0 counts from the window's end, twice, as in
  // transformers.
  static int64_t counted_moments(int64_t frames, int64_t moments) {
    constexpr int64_t frames_of_moment = 2;
    const int64_t count = (frames - (frames < 0 ? frames_of_moment - 1 : 0)) / frames_of_moment;
    return std::clamp<int64_t>(count < 0 ? moments + 2 * count : count, 0, moments);
  }

  // The last token, which nobody read, has the time of the one before.
  std::vector<float> times_of_tokens(const HeardText& text, const PlanReading& reading, int64_t row,
                                     int64_t given, const OpenSound& one) const {
    const Literal& all = reading.reading.attention;  // [rows, heads, slots, moments]
    const int64_t heads = all.shape()[1], slots = all.shape()[2], moments = all.shape()[3];
    const size_t size = static_cast<size_t>(heads * slots * moments);
    TokenAttention attention{
        .values = all.data<float>().subspan(static_cast<size_t>(row) * size, size),
        .heads = heads,
        .first_token = given + reading.first_slot,
        .tokens = static_cast<int64_t>(text.tokens.size()) - 1,
        .moments = moments,
        .stride_of_tokens = slots,
        .stride_of_moments = moments};
    if (const std::optional<int64_t> heard = sounds_.heard(one.sound))
      attention.moments = counted_moments(*heard - one.from, moments);
    std::vector<float> result = token_times(attention, median_width_);
    result.push_back(result.empty() ? 0 : result.back());
    return result;
  }

  // As transformers does, a length that counts what is given grows by that with each part.
  void lengthen(const std::vector<OpenSound>& sounds) {
    size_t longest = 0;
    for (const OpenSound& one : sounds) longest = std::max(longest, one.prompt.size());
    const int64_t positions = most_positions(architecture_), given = static_cast<int64_t>(longest);
    if (config_.max_length && !config_.max_new_tokens)
      config_.max_length =
          std::min(*config_.max_length + std::min(positions / 2 - 1, given), positions);
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

  // What was written after `given` tokens, without what pads.
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
    return tokens;
  }

  WrittenTokens without_end(WrittenTokens tokens) const {
    const std::vector<int64_t>& ends = config_.eos_token_id.ids;
    if (!tokens.empty() && !ends.empty() && tokens.back() == ends.front()) tokens.pop_back();
    return tokens;
  }

  Generation& generation_;
  const Model& model_;
  const Architecture& architecture_;
  const GenerationSpec sizes_;
  SourceLocation location_;
  std::vector<double> temperatures_;
  GenerationConfig config_;
  SoundTokens tokens_;
  SoundInputs sounds_;
  std::vector<bool> goes_on_;  // whether a sound's next text is written with those before
  ReadingRequest request_;  // with the heads that tell when a token was said, where that is asked
  int64_t median_width_ = 7;
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

Literal HeardSounds::times() const {
  const Shape shape = ids().shape();
  Literal result = Literal::zeros(DType::f32, shape);
  for (size_t row = 0; row < segments.size(); ++row) {
    const auto to = result.mutable_data<float>().subspan(row * static_cast<size_t>(shape[1]),
                                                         static_cast<size_t>(shape[1]));
    size_t at = 0;
    for (const SoundSegment& segment : segments[row])
      for (const float time : segment.times) to[at++] = time;
    for (; at > 0 && at < to.size(); ++at) to[at] = to[at - 1];
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
                                  bool tells_tokens, SourceLocation location) {
  return Hearing(generation, model, architecture, model_config, arrays, options, tells_tokens,
                 location)
      .run();
}

}  // namespace systolic::inline v0
