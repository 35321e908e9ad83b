// pipeline("zero-shot-classification"): classes that are named in the call, by a model that knows
// which sentence follows from which (Yin et al. 2019, arXiv 1909.00161).
//
//   const ZeroShotClassificationPipeline classify("bart-large-mnli/");
//   for (const ClassScore& one : classify("the boat leaks", {"sailing", "cooking"}))
//     std::cout << one.label << " " << one.score << "\n";
#pragma once

#include <string>
#include <vector>

#include "systolic/transformers/pipelines/class_scores.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// Settings of a ZeroShotClassificationPipeline's call: {.multi_label = true}.
struct ZeroShotOptions {
  // What is asked of each class, whose name stands in the place of {}.
  std::string hypothesis_template = "This example is {}.";
  // Each class by itself, entailed or contradicted; else one of them, their scores summing to 1.
  bool multi_label = false;
};

// Labels and scores are those of transformers' pipeline, the likeliest first. The text is cut off
// where it is too long together with a hypothesis.
//   ZeroShotClassificationPipeline classify("deberta-v3-mnli/");
class ZeroShotClassificationPipeline {
 public:
  // A model for sequence classification, and its tokenizer, of one folder. Its label that begins
  // with "entail", in letters of either case, is what counts; without one a warning says that the
  // last label does, as in transformers.
  explicit ZeroShotClassificationPipeline(const std::string& folder,
                                          SourceLocation location = SourceLocation::current());
  ZeroShotClassificationPipeline(PretrainedModel model, Tokenizer tokenizer);

  // InvalidArgument for no labels, for a template without {}, and for a model of one class.
  std::vector<ClassScore> operator()(const std::string& text,
                                     const std::vector<std::string>& candidate_labels,
                                     const ZeroShotOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
  size_t entailment_ = 0;
};

}  // namespace systolic::inline v0
