// What pipelines share: a model, its tokenizer, and texts that become what the model computes.
// Internal to transformers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

struct PipelineParts {
  PretrainedModel model;
  Tokenizer tokenizer;

  // Both from one folder.
  static PipelineParts from_pretrained(const std::string& folder, Task task,
                                       SourceLocation location);

  // A row for each text, with tokens and offsets; padded to few lengths, which share a program.
  BatchEncoding encode(std::span<const std::string> texts, SourceLocation location) const;
  // The model's only output for these rows, f32.
  Literal predict(const BatchEncoding& batch, SourceLocation location) const;
  // The labels' names, as many as the last axis of `scores` has.
  const std::vector<std::string>& labels() const { return model.config().labels().names; }
};

// What a folder's generation_config.json sets; nothing where there is none.
GenerationConfig folder_settings(const std::string& folder, SourceLocation location);

// The template for each label, which stands in the place of its first {}. InvalidArgument for no
// labels and for a template without {}.
std::vector<std::string> hypotheses_of(const std::vector<std::string>& labels,
                                       const std::string& pattern, SourceLocation location);

// exp(x - max) / sum, and 1 / (1 + exp(-x)), of a row.
std::vector<double> softmax_of(std::span<const float> scores);
std::vector<double> sigmoid_of(std::span<const float> scores);
// The places of the `count` largest, the largest first; 0: of all.
std::vector<size_t> places_of_largest(std::span<const double> values, int64_t count);

}  // namespace systolic::inline v0
