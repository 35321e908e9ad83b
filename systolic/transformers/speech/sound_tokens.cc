#include "systolic/transformers/speech/sound_tokens.h"

#include <algorithm>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/transformers/speech/language_codes.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t most_named = 10'000, most_forced = 100;

// An object of tokens.
SoundTokens::Named read_named(ConfigFields& fields, const char* name, int64_t vocabulary) {
  const std::string wanted = str("an object of tokens, 0 to ", vocabulary - 1);
  SoundTokens::Named result;
  const Config* entry = fields.entries().find(name);
  if (entry == nullptr || entry->is_null()) return result;
  if (!entry->is_map() || static_cast<int64_t>(entry->map().size()) > most_named)
    fields.fail(name, entry->text().substr(0, 40), wanted);
  for (const auto& [key, token] : entry->map()) {
    const bool fits = token.is_integer() && token.integer() >= 0 && token.integer() < vocabulary;
    if (!fits) fields.fail(name, str(key.substr(0, 40), ": ", token.text().substr(0, 40)), wanted);
    result.emplace_back(key, token.integer());
  }
  return result;
}

// [[1, 50259], [2, null], ...]: places from 1 on, one after the other.
std::vector<std::optional<int64_t>> read_forced(const Config* entry, const ConfigFields& fields,
                                                int64_t vocabulary) {
  std::vector<std::optional<int64_t>> result;
  if (entry == nullptr || entry->is_null()) return result;
  const auto fail = [&] {
    fields.fail("forced_decoder_ids", entry->text().substr(0, 80),
                "a list [[1, token], [2, token], ...] without gaps");
  };
  if (!entry->is_list() || static_cast<int64_t>(entry->list().size()) > most_forced) fail();
  for (const Config& pair : entry->list()) {
    const bool is_pair = pair.is_list() && pair.list().size() == 2 && pair.list()[0].is_integer() &&
                         pair.list()[0].integer() == static_cast<int64_t>(result.size()) + 1;
    if (!is_pair) fail();
    const Config& token = pair.list()[1];
    const bool fits = token.is_null() ||
                      (token.is_integer() && token.integer() >= 0 && token.integer() < vocabulary);
    if (!fits) fail();
    result.push_back(token.is_null() ? std::nullopt : std::optional(token.integer()));
  }
  return result;
}

// [[layer, head], ...] of the decoder.
std::vector<std::pair<int64_t, int64_t>> read_heads(ConfigFields& fields,
                                                    const Config& model_config) {
  std::vector<std::pair<int64_t, int64_t>> result;
  const Config* entry = fields.entries().find("alignment_heads");
  if (entry == nullptr || entry->is_null()) return result;
  const auto most = [&](const char* name, int64_t otherwise) {
    const Config* found = model_config.find(name);
    return found != nullptr && found->is_integer() ? found->integer() : otherwise;
  };
  const int64_t layers = most("decoder_layers", 4), heads = most("decoder_attention_heads", 6);
  const auto fail = [&] {
    fields.fail("alignment_heads", entry->text().substr(0, 80),
                str("a list [[layer, head], ...] of the decoder's ", layers, " layers of ", heads,
                    " heads"));
  };
  if (!entry->is_list() || static_cast<int64_t>(entry->list().size()) > layers * heads) fail();
  for (const Config& pair : entry->list()) {
    if (!pair.is_list() || pair.list().size() != 2) fail();
    const Config &layer = pair.list()[0], &head = pair.list()[1];
    const bool fits = layer.is_integer() && head.is_integer() && layer.integer() >= 0 &&
                      layer.integer() < layers && head.integer() >= 0 && head.integer() < heads;
    if (!fits) fail();
    result.emplace_back(layer.integer(), head.integer());
  }
  return result;
}

const int64_t* named_token(const SoundTokens::Named& named, std::string_view name) {
  const auto found =
      std::find_if(named.begin(), named.end(), [&](const auto& one) { return one.first == name; });
  return found == named.end() ? nullptr : &found->second;
}

std::string names_in(const SoundTokens::Named& named) {
  std::vector<std::string> names;
  for (const auto& one : named) names.push_back(one.first);
  return names.empty() ? "none: its generation_config.json names none" : join(names);
}

int64_t language_token(const SoundTokens& tokens, const std::string& language,
                       SourceLocation location) {
  std::string name;
  for (const char letter : language.substr(0, 80)) name += ascii_lower(letter);
  const std::optional<std::string> code = language_code(name);
  for (const std::string& one : {name, str("<|", code.value_or(name), "|>")}) {
    if (const int64_t* token = named_token(tokens.lang_to_id, one)) return *token;
  }
  raise<InvalidArgument>({.what = str("generate with language = \"", name, "\""),
                          .wanted = str("one of ", names_in(tokens.lang_to_id)),
                          .location = location});
}

int64_t task_token(const SoundTokens& tokens, const std::string& task, SourceLocation location) {
  if (const int64_t* token = named_token(tokens.task_to_id, task)) return *token;
  raise<InvalidArgument>({.what = str("generate with task = \"", task.substr(0, 80), "\""),
                          .wanted = str("one of ", names_in(tokens.task_to_id)),
                          .location = location});
}

using OpenTokens = std::vector<std::optional<int64_t>>;

bool names_task(const OpenTokens& begin, const SoundTokens& tokens) {
  return std::any_of(begin.begin(), begin.end(), [&](const std::optional<int64_t>& token) {
    return std::any_of(tokens.task_to_id.begin(), tokens.task_to_id.end(),
                       [&](const auto& one) { return one.second == token; });
  });
}

void check_is_multilingual(const SoundTokens& tokens, const GenerationConfig& config,
                           SourceLocation location) {
  if (tokens.is_multilingual.value_or(true) || (!config.language && !config.task)) return;
  raise<InvalidArgument>({.what = "generate with a language or a task",
                          .wanted = "neither: the model writes English about English alone",
                          .location = location});
}

}  // namespace

SoundTokens SoundTokens::read(const Config& entries, const std::string& file,
                              const Config& model_config, int64_t vocabulary,
                              SourceLocation location) {
  ConfigFields fields(entries, file, location);
  SoundTokens result;
  result.lang_to_id = read_named(fields, "lang_to_id", vocabulary);
  result.task_to_id = read_named(fields, "task_to_id", vocabulary);
  fields.boolean("is_multilingual", result.is_multilingual);
  fields.integer("no_timestamps_token_id", result.no_timestamps_token_id, 0, vocabulary - 2);
  fields.integer("max_initial_timestamp_index", result.max_initial_timestamp_index, 0, vocabulary);
  fields.integer("prev_sot_token_id", result.prev_sot_token_id, 0, vocabulary - 1);
  result.alignment_heads = read_heads(fields, model_config);
  const Config* forced = entries.find("forced_decoder_ids");
  if (forced == nullptr || forced->is_null()) forced = model_config.find("forced_decoder_ids");
  result.forced_decoder_ids = read_forced(forced, fields, vocabulary);
  return result;
}

OpenTokens tokens_to_begin(const SoundTokens& tokens, const GenerationConfig& config, int64_t start,
                           SourceLocation location) {
  check_is_multilingual(tokens, config, location);
  OpenTokens begin{start};
  if (!config.language && !config.task)
    begin.insert(begin.end(), tokens.forced_decoder_ids.begin(), tokens.forced_decoder_ids.end());
  const bool is_open = begin.size() < 2 || !begin[1];
  if (begin.size() > 2)
    begin.erase(std::remove(begin.begin() + 2, begin.end(), std::nullopt), begin.end());
  if (config.language || (is_open && !tokens.lang_to_id.empty())) {
    begin.resize(std::max<size_t>(begin.size(), 2));
    begin[1].reset();
    if (config.language) begin[1] = language_token(tokens, *config.language, location);
  } else if (is_open && begin.size() > 1) {
    begin.erase(begin.begin() + 1);
  }
  if (config.task) {
    begin.emplace_back(task_token(tokens, *config.task, location));
  } else if (config.language && !names_task(begin, tokens)) {
    if (const int64_t* task = named_token(tokens.task_to_id, "transcribe"))
      begin.emplace_back(*task);
  }
  const std::optional<int64_t>& none = tokens.no_timestamps_token_id;
  const bool says_none = none && begin.back() == none;
  if (config.return_timestamps.value_or(false)) {
    if (says_none) begin.pop_back();
  } else if (none && !says_none) {
    begin.emplace_back(*none);
  }
  return begin;
}

}  // namespace systolic::inline v0
