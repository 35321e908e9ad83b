// pipeline("token-classification"): the tokens, words or names that a text has.
//
//   const TokenClassificationPipeline find("bert-ner/");
//   for (const Entity& one : find("Émile lives in Paris", {.aggregation_strategy = "simple"}))
//     std::cout << one.entity << " " << one.word << "\n";  // PER Émile, LOC Paris
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// A token of a class or, grouped, a run of such tokens: {"LOC", 0.99, 4, "Paris", 15, 20}.
struct Entity {
  std::string entity;  // the class; without "B-" and "I-" where it is a group
  double score = 0;    // its probability; the mean of a group's
  int64_t index = -1;  // of the token in its row, special tokens counted; -1 for a group
  std::string word;    // the token, or the group's text
  int64_t start = 0;   // the character of the text at which it begins
  int64_t end = 0;     // and the one before which it ends
};

// How tokens are grouped: "none", "simple", "first", "average" or "max".
//   const AggregationStrategy words = "first";
class AggregationStrategy {
 public:
  enum Kind { none, simple, first, average, max };
  template <size_t n>
  consteval AggregationStrategy(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr AggregationStrategy(Kind kind) : kind_(kind) {}                                // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "none") return none;
    if (name == "simple") return simple;
    if (name == "first") return first;
    if (name == "average") return average;
    if (name == "max") return max;
    throw "aggregation_strategy is \"none\", \"simple\", \"first\", \"average\" or \"max\"";
  }
  Kind kind_;
};

// Settings of a TokenClassificationPipeline's call.
//   find("Paris", TokenClassificationOptions{.aggregation_strategy = "simple"});
struct TokenClassificationOptions {
  // "none": each token. "simple": neighbours of one class, by "B-" and "I-". The others first give
  // all tokens of a word one class: that of its "first", the one with the largest "average"
  // probability, or that of the token that is surest of its own ("max").
  AggregationStrategy aggregation_strategy = "none";
  std::vector<std::string> ignore_labels = {"O"};  // classes that are left out
};

// Entities are those of transformers' pipeline.
//   TokenClassificationPipeline find("bert-ner/");
class TokenClassificationPipeline {
 public:
  // A model for token classification, and its tokenizer, of one folder.
  explicit TokenClassificationPipeline(const std::string& folder,
                                       SourceLocation location = SourceLocation::current());
  TokenClassificationPipeline(PretrainedModel model, Tokenizer tokenizer);

  std::vector<Entity> operator()(const std::string& text,
                                 const TokenClassificationOptions& options = {},
                                 SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
  bool has_word_pieces_;  // a token shows that it goes on with a word: "##s"
};

}  // namespace systolic::inline v0
