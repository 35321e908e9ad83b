// Tokens that tell when something was said, as Whisper writes them: <|0.00|>, <|0.02|>, ... Which
// of them may come next (Radford et al. 2022, arXiv 2212.04356, section 3.4; transformers'
// WhisperTimeStampLogitsProcessor). Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Tokens from `begin` on tell times.
struct TimeTokens {
  int64_t begin = 0;
  int64_t last_first = 0;  // the latest that a text may begin with
  int64_t none = 0;        // says that there are none: never comes
  int64_t end = 0;         // of the text
};

// The texts so far: ids i32 [rows, slots], of which those in slots from `prompt` on were written,
// `step` i32 of them.
struct TimedTexts {
  Tensor ids;
  int64_t prompt = 0;
  Tensor step;
};

// scores f32 [rows, vocabulary], with what may not come at -infinity. Times come in pairs, where
// one part ends and the next begins, and at the end; they do not fall; the first token is one; and
// one comes where all together are likelier than each other token. `begin`, `last_first`, `none`
// and `end` are i32.
struct TimeRules {
  Tensor begin, last_first, none, end;

  Tensor operator()(const Tensor& scores, const TimedTexts& texts) const;
};

}  // namespace systolic::inline v0
