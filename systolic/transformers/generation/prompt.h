// The texts that generate() continues, checked. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/train/options/model_arrays.h"

namespace systolic::inline v0 {

struct PromptRules {
  int64_t vocabulary = 0;
  // Stands for no token in front of a text, where no attention_mask says so.
  std::optional<int64_t> padding = {};
  SourceLocation location = {};
};

struct Prompt {
  Literal ids;                  // i32 [rows, tokens], padded in front
  std::vector<int64_t> starts;  // of each row, where its text begins

  int64_t rows() const { return ids.shape()[0]; }
  int64_t tokens() const { return ids.shape()[1]; }
  int64_t longest() const;  // tokens of a text
};

// The texts that an encoder reads, or the sounds.
struct Source {
  Literal ids;   // i32 [rows, tokens]; of sounds their features, f32 [rows, bins, frames]
  Literal mask;  // i32, 1 where they are tokens and not padding, which may stand anywhere; of
                 // sounds [rows, 1]
};

// {input_ids, attention_mask}, or by their names, "decoder_input_ids" with them: see
// written_prompt(). InvalidArgument for no tokens, and ids that the model does not know.
Source source_of(const ModelArrays& arrays, const PromptRules& rules);
// What is written already about that many sources: `start` alone, or the "decoder_input_ids" among
// the arrays.
Prompt written_prompt(const ModelArrays& arrays, int64_t start, int64_t rows,
                      const PromptRules& rules);

// {input_ids, attention_mask}, or by their names, token_type_ids of 0 with them; all but the ids
// may be left out. InvalidArgument for no tokens, padding after a text or within it, and ids that
// the model does not know.
Prompt prompt_of(const ModelArrays& arrays, const PromptRules& rules);

}  // namespace systolic::inline v0
