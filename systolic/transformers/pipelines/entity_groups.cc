#include "systolic/transformers/pipelines/entity_groups.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace {

// A token or a word, with the tokens that it has.
struct Labelled {
  std::string label;
  double score = 0;
  std::vector<const ScoredToken*> tokens = {};
};

size_t place_of_most(const std::vector<double>& scores) {
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

// The text of tokens, in which those that are unknown stand as in the text.
std::string text_of(const std::vector<const ScoredToken*>& tokens, const Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  for (const ScoredToken* one : tokens) ids.push_back(one->id);
  std::string text = tokenizer.decode(ids, false);
  const auto unknown = tokenizer.special_token("unk_token");
  const auto id = tokenizer.special_token_id("unk_token");
  size_t at = 0;
  for (const ScoredToken* one : tokens) {
    if (!id || one->id != *id) continue;
    at = text.find(*unknown, at);
    if (at == std::string::npos) break;
    text.replace(at, unknown->size(), one->word);
    at += one->word.size();
  }
  return text;
}

std::vector<double> mean_scores(const std::vector<const ScoredToken*>& tokens) {
  std::vector<double> sums(tokens[0]->scores.size());
  for (const ScoredToken* one : tokens) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += one->scores[i];
  }
  for (double& sum : sums) sum /= static_cast<double>(tokens.size());
  return sums;
}

// One class for a word.
Labelled labelled_word(std::vector<const ScoredToken*> tokens, AggregationStrategy strategy,
                       const std::vector<std::string>& labels) {
  std::vector<double> scores = tokens[0]->scores;
  if (strategy.kind() == AggregationStrategy::average) scores = mean_scores(tokens);
  if (strategy.kind() == AggregationStrategy::max) {
    scores = (*std::ranges::max_element(tokens, {}, [](const ScoredToken* one) {
               return *std::ranges::max_element(one->scores);
             }))->scores;
  }
  const size_t place = place_of_most(scores);
  return {labels[place], scores[place], std::move(tokens)};
}

std::vector<Labelled> labelled(const std::vector<ScoredToken>& tokens, AggregationStrategy strategy,
                               const std::vector<std::string>& labels) {
  const bool by_words = strategy.kind() != AggregationStrategy::none &&
                        strategy.kind() != AggregationStrategy::simple;
  std::vector<Labelled> result;
  std::vector<const ScoredToken*> word;
  for (size_t i = 0; i < tokens.size(); ++i) {
    word.push_back(&tokens[i]);
    if (by_words && i + 1 < tokens.size() && tokens[i + 1].is_subword) continue;
    result.push_back(labelled_word(std::exchange(word, {}), strategy, labels));
  }
  return result;
}

// "I-PER" is {false, "PER"}; a label without either goes on.
std::pair<bool, std::string> tag_of(const std::string& label) {
  const bool begins = label.starts_with("B-");
  return {begins, begins || label.starts_with("I-") ? label.substr(2) : label};
}

Entity group_of(const std::vector<Labelled>& parts, const Tokenizer& tokenizer) {
  Entity group;
  const std::string& label = parts[0].label;
  const size_t dash = label.find('-');
  group.entity = dash == std::string::npos ? label : label.substr(dash + 1);
  std::vector<const ScoredToken*> tokens;
  for (const Labelled& part : parts) {
    group.score += part.score / static_cast<double>(parts.size());
    tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
  }
  group.word = text_of(tokens, tokenizer);
  group.start = tokens.front()->range.begin;
  group.end = tokens.back()->range.end;
  return group;
}

}  // namespace

std::vector<Entity> entities_of(const std::vector<ScoredToken>& tokens,
                                AggregationStrategy strategy,
                                const std::vector<std::string>& labels,
                                const Tokenizer& tokenizer) {
  std::vector<Entity> result;
  std::vector<Labelled> group;
  for (Labelled& one : labelled(tokens, strategy, labels)) {
    if (strategy.kind() == AggregationStrategy::none) {
      const ScoredToken& token = *one.tokens[0];
      result.push_back(
          {one.label, one.score, token.index, token.word, token.range.begin, token.range.end});
      continue;
    }
    const auto [begins, tag] = tag_of(one.label);
    if (!group.empty() && (begins || tag != tag_of(group.back().label).second))
      result.push_back(group_of(std::exchange(group, {}), tokenizer));
    group.push_back(std::move(one));
  }
  if (!group.empty()) result.push_back(group_of(group, tokenizer));
  return result;
}

}  // namespace systolic::inline v0
