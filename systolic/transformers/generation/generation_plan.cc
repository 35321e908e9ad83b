#include "systolic/transformers/generation/generation_plan.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t default_new_tokens = 20;
constexpr const char* no_more_positions = "as many positions as the model has";

int64_t tokens_to_generate(const GenerationConfig& config, const Prompt& prompt, int64_t positions,
                           SourceLocation location) {
  const int64_t given = prompt.longest();
  const std::string text = str("generate: a prompt of ", given, given == 1 ? " token" : " tokens");
  const bool says_length = config.max_new_tokens || config.max_length;
  // The last token is not read, and needs no position. A text as long as the model has positions
  // is the longest by default.
  const int64_t most = positions - given + (says_length ? 1 : 0);
  if (most < 1) {
    raise<InvalidArgument>(
        {.what = text,
         .wanted =
             str(says_length ? "at most " : "fewer than ", positions, ", ", no_more_positions),
         .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", positions - 1, "})"),
         .location = location});
  }
  if (config.max_new_tokens) {
    if (*config.max_new_tokens <= most) return *config.max_new_tokens;
    raise<InvalidArgument>({.what = str(text, " and max_new_tokens = ", *config.max_new_tokens),
                            .wanted = str("at most ", positions + 1, " together: ", positions,
                                          " positions, and a last token that takes none"),
                            .hint = str(".max_new_tokens = ", most, ", or a shorter prompt"),
                            .location = location});
  }
  if (!config.max_length) return std::min(default_new_tokens, most);
  const int64_t room = std::min(*config.max_length - prompt.tokens(), most);
  if (room >= 1) return room;
  raise<InvalidArgument>(
      {.what = str("generate: prompts of ", prompt.tokens(),
                   " tokens, padding with them, and max_length = ", *config.max_length),
       .wanted = "a max_length above that: it counts the prompt too",
       .hint = "max_new_tokens counts what is generated",
       .location = location});
}

// Several texts that are drawn one by one: as many equal prompts.
void repeat_prompts(GenerationPlan& plan) {
  const int64_t times = plan.beams() > 1 ? 1 : plan.returned();
  if (times == 1) return;
  const auto repeated = [&](const Literal& rows) {
    const int64_t count = rows.shape()[0];
    const size_t bytes = rows.byte_size() / static_cast<size_t>(count);
    Shape shape = rows.shape();
    shape.set(0, count * times);
    Literal result(rows.dtype(), shape);
    std::byte* to = result.mutable_raw();
    for (int64_t i = 0; i < count * times; ++i, to += bytes)
      std::memcpy(to, rows.raw() + static_cast<size_t>(i / times) * bytes, bytes);
    return result;
  };
  std::vector<int64_t> starts;
  for (const int64_t start : plan.prompt.starts)
    starts.insert(starts.end(), static_cast<size_t>(times), start);
  plan.prompt = Prompt{.ids = repeated(plan.prompt.ids), .starts = std::move(starts)};
  if (plan.source) plan.source = Source{repeated(plan.source->ids), repeated(plan.source->mask)};
}

// What `transformers` has after texts that ended, by beams: 0 is no token there.
int64_t beam_padding(const std::vector<int64_t>& ends, std::optional<int64_t> padding) {
  return padding && *padding != 0 ? *padding : ends.front();
}

// What the encoder reads, and what is written already; or what there is of a text.
std::pair<std::optional<Source>, Prompt> read_prompts(const GenerationConfig& config,
                                                      const GenerationSpec& sizes,
                                                      const ModelArrays& given,
                                                      const PromptRules& rules) {
  if (!sizes.source) return {std::nullopt, prompt_of(given, rules)};
  PromptRules rules_of_source = rules;
  if (sizes.source->vocabulary > 0) rules_of_source.vocabulary = sizes.source->vocabulary;
  Source source = source_of(given, rules_of_source);
  const int64_t tokens = source.ids.shape()[1], most = sizes.source->positions;
  if (most > 0 && tokens > most)
    raise<InvalidArgument>(
        {.what = str("generate: texts of ", tokens, " tokens to read"),
         .wanted = str("at most ", most, ", ", no_more_positions),
         .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", most, "})"),
         .location = rules.location});
  const int64_t start = config.decoder_start_token_id.value_or(sizes.source->start_token_id);
  Prompt prompt = written_prompt(given, start, source.ids.shape()[0], rules);
  return {std::move(source), std::move(prompt)};
}

std::optional<int64_t> padding_of(const GenerationConfig& config) {
  return config.pad_token_id && *config.pad_token_id >= 0 ? config.pad_token_id : std::nullopt;
}

// Those that the model knows.
std::vector<int64_t> ends_of(const GenerationConfig& config, const GenerationSpec& sizes) {
  std::vector<int64_t> ends;
  for (const int64_t id : config.eos_token_id.ids) {
    if (id >= 0 && id < sizes.vocabulary) ends.push_back(id);
  }
  return ends;
}

}  // namespace

int64_t GenerationPlan::least_tokens() const {
  const int64_t whole = config.min_length.value_or(0) - prompt.tokens();
  return std::max(config.min_new_tokens.value_or(0), whole);
}

int64_t GenerationPlan::forced_begin() const {
  return prompt.tokens() == 1 ? config.forced_bos_token_id.value_or(-1) : -1;
}
int64_t GenerationPlan::forced_end() const { return config.forced_eos_token_id.value_or(-1); }

GenerationPlan make_generation_plan(const GenerationConfig& config, const GenerationSpec& sizes,
                                    int64_t positions, std::optional<Source> source, Prompt prompt,
                                    SourceLocation location) {
  GenerationPlan plan{.source = std::move(source),
                      .prompt = std::move(prompt),
                      .config = config,
                      .ends = ends_of(config, sizes)};
  plan.count = tokens_to_generate(config, plan.prompt, positions, location);
  if (plan.ends.empty()) plan.ends.push_back(-1);
  const std::optional<int64_t> padding = padding_of(config);
  plan.padding =
      plan.beams() > 1 ? beam_padding(plan.ends, padding) : padding.value_or(plan.ends.front());
  repeat_prompts(plan);
  return plan;
}

GenerationPlan make_generation_plan(const GenerationConfig& config, const GenerationSpec& sizes,
                                    int64_t positions, const ModelArrays& prompts,
                                    SourceLocation location) {
  const std::vector<int64_t> ends = ends_of(config, sizes);
  const std::optional<int64_t> padding = padding_of(config);
  const bool ends_too = padding && std::find(ends.begin(), ends.end(), *padding) != ends.end();
  auto [source, prompt] = read_prompts(config, sizes, prompts,
                                       {.vocabulary = sizes.vocabulary,
                                        .padding = ends_too ? std::nullopt : padding,
                                        .location = location});
  return make_generation_plan(config, sizes, positions, std::move(source), std::move(prompt),
                              location);
}

}  // namespace systolic::inline v0
