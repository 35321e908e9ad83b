// pipeline("text-classification"): the classes of texts, the likeliest first.
//
//   const TextClassificationPipeline classify("distilbert-sst-2/");
//   for (const ClassScore& one : classify("a fine story", {.top_k = 2}))
//     std::cout << one.label << " " << one.score << "\n";
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// A class and how likely it is: {"POSITIVE", 0.998}.
struct ClassScore {
  std::string label;  // by the model's id2label
  double score = 0;
};

// What makes scores out of logits: "softmax", "sigmoid" or "none".
//   const ScoreFunction function_to_apply = "sigmoid";
class ScoreFunction {
 public:
  enum Kind { softmax, sigmoid, none, left_out };
  constexpr ScoreFunction() = default;
  template <size_t n>
  consteval ScoreFunction(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr ScoreFunction(Kind kind) : kind_(kind) {}                                // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "softmax") return softmax;
    if (name == "sigmoid") return sigmoid;
    if (name == "none") return none;
    throw "function_to_apply is \"softmax\", \"sigmoid\" or \"none\"";
  }
  Kind kind_ = left_out;
};

// Settings of a TextClassificationPipeline's call: {.top_k = 0}.
struct TextClassificationOptions {
  int64_t top_k = 1;  // so many classes, the likeliest first; 0: all
  // Left out: by the model's problem_type: "none" for regression, "sigmoid" for several labels at
  // once and for a single label, "softmax" for one of several.
  ScoreFunction function_to_apply = {};
};

// Labels and scores are those of transformers' pipeline.
//   TextClassificationPipeline classify("distilbert-sst-2/");
class TextClassificationPipeline {
 public:
  // A model for sequence classification, and its tokenizer, of one folder.
  explicit TextClassificationPipeline(const std::string& folder,
                                      SourceLocation location = SourceLocation::current());
  TextClassificationPipeline(PretrainedModel model, Tokenizer tokenizer);

  std::vector<ClassScore> operator()(const std::string& text,
                                     const TextClassificationOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  // A list for each text.
  std::vector<std::vector<ClassScore>> operator()(
      std::span<const std::string> texts, const TextClassificationOptions& options = {},
      SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
};

}  // namespace systolic::inline v0
