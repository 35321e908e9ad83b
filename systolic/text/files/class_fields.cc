#include "systolic/text/files/class_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "systolic/text/files/class_parts.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Json = nlohmann::ordered_json;

Json parts_of(const Component* component) {
  return component == nullptr ? Json() : Json::parse(component->config);
}

bool set_normalizer(Tokenizer::State& state, const Json& present, const Json& json) {
  if (json == present) return false;
  const auto file = JsonFile::parse(json.dump(), "the tokenizer's normalizer");
  state.normalizer = make_normalizer(file->root());
  return true;
}

// null where the file has none: then it follows do_lower_case.
Json optional_boolean(const JsonView& config, const char* name) {
  return config.has(name) ? Json(config.at(name).boolean()) : Json();
}

bool apply_to_bert(Tokenizer::State& state, const JsonView& config) {
  const Json present = parts_of(state.normalizer.get());
  if (!present.is_object() || present.value("type", "") != "BertNormalizer") return false;
  Json wanted = present;
  wanted["handle_chinese_chars"] = config.boolean_or("tokenize_chinese_chars", true);
  wanted["strip_accents"] = optional_boolean(config, "strip_accents");
  wanted["lowercase"] = config.boolean_or("do_lower_case", true);
  return set_normalizer(state, present, wanted);
}

size_t place_of(const Json& steps, std::string_view type) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Json& step) {
    return step.is_object() && step.value("type", "") == type;
  });
  return static_cast<size_t>(found - steps.begin());
}

// Removes the step, or inserts it after `before` others where it is missing.
void set_step(Json& steps, const char* type, bool wanted, size_t before) {
  const size_t at = place_of(steps, type);
  const bool is_there = at < steps.size();
  if (is_there == wanted) return;
  const auto place = static_cast<std::ptrdiff_t>(std::min(is_there ? at : before, steps.size()));
  if (wanted) {
    steps.insert(steps.begin() + place, Json{{"type", type}});
  } else {
    steps.erase(steps.begin() + place);
  }
}

// A sequence of two replacements, NFKD, StripAccents, Lowercase, and a map of characters.
bool apply_to_sentence_piece(Tokenizer::State& state, const JsonView& config, bool is_albert) {
  constexpr size_t replacements = 2;
  const Json present = parts_of(state.normalizer.get());
  if (!present.is_object() || present.value("type", "") != "Sequence") return false;
  Json wanted = present;
  Json& steps = wanted["normalizers"];
  if (place_of(steps, "Replace") != 0) return false;
  const bool strips = !(is_albert && config.boolean_or("keep_accents", false));
  set_step(steps, "NFKD", strips, replacements);
  set_step(steps, "StripAccents", strips, replacements + 1);
  set_step(steps, "Lowercase", config.boolean_or("do_lower_case", is_albert),
           replacements + (strips ? 2 : 0));
  return set_normalizer(state, present, wanted);
}

// For ByteLevel or Metaspace, alone or in a sequence.
bool set_prefix_space(Json& step, bool wanted) {
  if (!step.is_object()) return false;
  const std::string type = step.value("type", "");
  if (type == "Sequence") {
    bool changed = false;
    for (Json& inner : step["pretokenizers"]) changed = set_prefix_space(inner, wanted) || changed;
    return changed;
  }
  const Json before = step;
  if (type == "ByteLevel") step["add_prefix_space"] = wanted;
  if (type == "Metaspace") {
    step.erase("add_prefix_space");  // what earlier files called it
    step["prepend_scheme"] = wanted ? "always" : "never";
  }
  return step != before;
}

bool apply_prefix_space(Tokenizer::State& state, bool wanted) {
  Json json = parts_of(state.pre_tokenizer.get());
  if (!set_prefix_space(json, wanted)) return false;
  const auto file = JsonFile::parse(json.dump(), "the tokenizer's pre-tokenizer");
  state.pre_tokenizer = make_pre_tokenizer(file->root());
  return true;
}

// What the class puts around texts; "" where it leaves that to tokenizer.json.
std::string processor_json(const SpecialTokens& tokens, const UsualTokens& usual,
                           const OlderFolder& folder) {
  if (usual.single != nullptr) return tokens.template_json(usual.single, usual.pair);
  const bool is_roberta =
      folder.tokenizer_class == "RobertaTokenizer" || folder.tokenizer_class == "MPNetTokenizer";
  return is_roberta ? tokens.roberta_json(folder.config) : "";
}

// XLNet's, where the files name none.
std::vector<AddedToken> additional_of(const OlderFolder& folder) {
  if (folder.tokenizer_class != "XLNetTokenizer") return {};
  return {{.content = "<eop>", .special = true}, {.content = "<eod>", .special = true}};
}

}  // namespace

bool apply_class_fields(Tokenizer::State& state, const OlderFolder& folder) {
  const std::string& name = folder.tokenizer_class;
  const std::string_view model = usual_tokens(folder).model;
  if (model.empty()) return false;
  if (is_rebuilt(name)) return model == state.model->type() && apply_class_parts(state, folder);
  if (model == "WordPiece") return apply_to_bert(state, folder.config);
  if (name == "XLNetTokenizer") return apply_to_sentence_piece(state, folder.config, false);
  const bool is_albert = name == "AlbertTokenizer";
  const bool changed = is_albert && apply_to_sentence_piece(state, folder.config, true);
  const bool prefix = folder.config.boolean_or("add_prefix_space", model == "Unigram");
  return apply_prefix_space(state, prefix) || changed;
}

bool apply_special_tokens(Tokenizer::State& state, const OlderFolder& folder) {
  UsualTokens usual = usual_tokens(folder);
  const bool of_class = usual.model == state.model->type();
  if (!of_class) usual = {};
  SpecialTokens tokens(folder, usual, state.added);
  const std::vector<AddedToken> more = of_class ? additional_of(folder) : std::vector<AddedToken>();
  bool changed = tokens.add_to(state.model->vocabulary(), more, state.normalizer.get()) > 0;
  state.added = tokens.added();
  const std::string processor = of_class ? processor_json(tokens, usual, folder) : "";
  if (!processor.empty()) {
    const auto file = JsonFile::parse(processor, "the tokenizer's post-processor");
    state.post_processor = make_post_processor(file->root());
    changed = true;
  }
  PaddingParameters& padding = state.call_padding;
  if (!tokens["pad_token"].empty()) padding.token = tokens["pad_token"];
  if (padding.token.empty()) return changed;
  const AddedToken pads{.content = padding.token, .special = true};
  if (!state.added.id_of(padding.token)) {
    state.added.add({pads}, state.model->vocabulary(), state.normalizer.get());
    changed = true;
  }
  padding.id = *state.added.id_of(padding.token);
  return changed;
}

}  // namespace text
}  // namespace systolic::inline v0
