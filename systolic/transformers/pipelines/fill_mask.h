// pipeline("fill-mask"): what may stand in the place of a mask.
//
//   const FillMaskPipeline fill("bert-base-uncased/");
//   for (const FilledMask& one : fill("The boat [MASK] to the island."))
//     std::cout << one.token_str << " " << one.score << "\n";
#pragma once

#include <string>
#include <vector>

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// A token for a mask.
//   FilledMask{0.41, 12612, "sails", "the boat sails to the island."}
struct FilledMask {
  double score = 0;       // its probability among all tokens
  int32_t token = 0;      // its id
  std::string token_str;  // its text
  std::string sequence;   // the whole text with it
};

// Settings of a FillMaskPipeline's call.
//   fill("The boat [MASK].", FillMaskOptions{.top_k = 3});
struct FillMaskOptions {
  int64_t top_k = 5;  // this many tokens for each mask, the likeliest first
};

// Tokens and scores are those of transformers' pipeline.
//   FillMaskPipeline fill("bert-base-uncased/");
class FillMaskPipeline {
 public:
  // A masked language model, and its tokenizer, of one folder.
  explicit FillMaskPipeline(const std::string& folder,
                            SourceLocation location = SourceLocation::current());
  FillMaskPipeline(PretrainedModel model, Tokenizer tokenizer);

  // For a text with one mask, the tokenizer's mask_token. InvalidArgument for none or several.
  std::vector<FilledMask> operator()(const std::string& text, const FillMaskOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  // A list for each mask of the text; the others stay in its sequences.
  std::vector<std::vector<FilledMask>> each_mask(
      const std::string& text, const FillMaskOptions& options = {},
      SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
};

}  // namespace systolic::inline v0
