// pipeline("text-classification"): the classes of texts, the likeliest first.
//
//   const TextClassificationPipeline classify("distilbert-sst-2/");
//   for (const ClassScore& one : classify("a fine story", {.top_k = 2}))
//     std::cout << one.label << " " << one.score << "\n";
#pragma once

#include <span>
#include <string>
#include <vector>

#include "systolic/transformers/pipelines/class_scores.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// Settings of a TextClassificationPipeline's call: {.top_k = 0}.
struct TextClassificationOptions {
  int64_t top_k = 1;  // this many classes, the likeliest first; 0: all
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
