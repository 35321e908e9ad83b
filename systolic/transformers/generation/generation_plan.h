// One call of generate(), with everything decided. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/train/options/model_arrays.h"
#include "systolic/transformers/config/generation_spec.h"
#include "systolic/transformers/generation/generation_config.h"
#include "systolic/transformers/generation/program/time_rules.h"
#include "systolic/transformers/generation/prompt.h"

namespace systolic::inline v0 {

struct GenerationPlan {
  std::optional<Source> source;  // what an encoder reads
  Prompt prompt;
  int64_t count = 0;  // tokens to generate, at most
  GenerationConfig config;
  std::vector<int64_t> ends;
  int64_t padding = 0;
  std::optional<TimeTokens> times = {};  // of a text that tells them

  int64_t beams() const { return config.num_beams.value_or(1); }
  int64_t returned() const { return config.num_return_sequences.value_or(1); }
  // How many tokens a text gets before it may end.
  int64_t least_tokens() const;
  // Tokens that a text must begin with, if only one token is given, and end with; -1: any.
  int64_t forced_begin() const;
  int64_t forced_end() const;
};

// For a source that was read and checked, and what is written about it so far.
GenerationPlan make_generation_plan(const GenerationConfig& config, const GenerationSpec& sizes,
                                    int64_t positions, std::optional<Source> source, Prompt prompt,
                                    SourceLocation location);
// InvalidArgument for prompts that are empty or leave too few positions after them.
GenerationPlan make_generation_plan(const GenerationConfig& config, const GenerationSpec& sizes,
                                    int64_t positions, const ModelArrays& prompts,
                                    SourceLocation location);

}  // namespace systolic::inline v0
