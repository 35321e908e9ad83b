// pipeline("feature-extraction"): the model's vectors of a text's tokens.
//
//   const FeatureExtractionPipeline extract("bert-base-uncased/");
//   const Literal vectors = extract("The boat sails.");  // f32 [tokens, width]
#pragma once

#include <string>

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// The last hidden states, as transformers' pipeline gives them.
//   FeatureExtractionPipeline extract("bert-base-uncased/");
class FeatureExtractionPipeline {
 public:
  // A model without a head, and its tokenizer, of one folder.
  explicit FeatureExtractionPipeline(const std::string& folder,
                                     SourceLocation location = SourceLocation::current());
  FeatureExtractionPipeline(PretrainedModel model, Tokenizer tokenizer);

  // f32 [tokens, width], special tokens included.
  Literal operator()(const std::string& text,
                     SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
};

}  // namespace systolic::inline v0
