#include "systolic/transformers/pipelines/token_classification.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/characters.h"
#include "systolic/transformers/pipelines/entity_groups.h"

namespace systolic::inline v0 {
namespace {

bool marks_word_pieces(const Tokenizer& tokenizer) {
  const std::string json = tokenizer.to_json();
  constexpr std::string_view name = "\"continuing_subword_prefix\":";
  const size_t at = json.find(name);
  if (at == std::string::npos) return false;
  const size_t value = json.find_first_not_of(" \n", at + name.size());
  return json.compare(value, 2, "\"\"") != 0 && json[value] == '"';
}

uint32_t count_of(const std::string& text) { return character_of(text, text.size()); }

}  // namespace

TokenClassificationPipeline::TokenClassificationPipeline(const std::string& folder,
                                                         SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::token_classification, location)),
      has_word_pieces_(marks_word_pieces(parts_.tokenizer)) {}

TokenClassificationPipeline::TokenClassificationPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)},
      has_word_pieces_(marks_word_pieces(parts_.tokenizer)) {}

std::vector<Entity> TokenClassificationPipeline::operator()(
    const std::string& text, const TokenClassificationOptions& options,
    SourceLocation location) const {
  const BatchEncoding batch = parts_.encode(std::span(&text, 1), location);
  const Literal logits = parts_.predict(batch, location);  // [1, tokens, classes]
  const Encoding& row = batch.encodings[0];
  const size_t classes = parts_.labels().size();
  const auto unknown = parts_.tokenizer.special_token_id("unk_token", location);
  std::vector<ScoredToken> tokens;
  int64_t index = -1;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row.attention_mask[i] != 0) ++index;
    if (row.special_tokens_mask[i] != 0) continue;
    const Offsets range = row.offsets[i];
    const std::string part = characters(text, range);
    ScoredToken token{.id = row.ids[i],
                      .word = row.tokens[i],
                      .scores = softmax_of(logits.data<float>().subspan(i * classes, classes)),
                      .index = index,
                      .range = range};
    const std::string around =
        range.begin > 0 ? characters(text, {range.begin - 1, range.begin + 1}) : " ";
    token.is_subword = has_word_pieces_ ? count_of(token.word) != count_of(part)
                                        : around.find(' ') == std::string::npos;
    if (unknown && token.id == *unknown) token.word = part, token.is_subword = false;
    tokens.push_back(std::move(token));
  }
  std::vector<Entity> entities =
      entities_of(tokens, options.aggregation_strategy, parts_.labels(), parts_.tokenizer);
  std::erase_if(entities, [&](const Entity& one) {
    return std::ranges::count(options.ignore_labels, one.entity) > 0;
  });
  return entities;
}

}  // namespace systolic::inline v0
