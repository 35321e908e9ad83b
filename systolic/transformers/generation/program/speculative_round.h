// A round of generate() in which a draft model writes some tokens and the model reads them at once
// (Leviathan et al. 2022, arXiv 2211.17192, algorithm 1). Internal to transformers.
#pragma once

#include "systolic/transformers/generation/program/text_scores.h"

namespace systolic::inline v0 {

// The texts so far.
struct WrittenTexts {
  Tensor ids;       // i32 [rows, prompt + room]
  Tensor finished;  // pred [rows]
  Tensor seen;      // pred [rows, vocabulary], or [rows, 1] where nobody asks
};

// What a round leaves: `step` tokens were generated, and the first of `texts` are so many.
struct SpeculativeResult {
  Tensor step;
  WrittenTexts texts;
};

// Appends 1 to shape.drafts + 1 tokens to all texts, as many as the model agrees with in each of
// them that has not ended, and one more. Both models' caches hold all tokens but the last; what
// they hold of tokens that were not kept comes after those that were, where the next round writes.
class SpeculativeRound {
 public:
  // All must outlive this.
  SpeculativeRound(const TextScores& target, const TextScores& draft, const GenerateShape& shape,
                   const Tensors& given)
      : target_(target), draft_(draft), shape_(shape), given_(given) {}

  SpeculativeResult operator()(const Tensor& step, const WrittenTexts& texts, Tensors& caches,
                               Tensors& draft_caches) const;

 private:
  struct Draft {
    std::vector<Tensor> tokens = {};  // i32 [rows] each
    std::vector<Tensor> scores = {};  // that they were drawn by, f32 [rows, vocabulary]
    std::vector<Tensor> seen = {};    // before each, and after the last
    Tensor ids;                       // with them
  };
  // What the model says to a draft's tokens: those that it would have, or that take their place.
  struct Answer {
    std::vector<Tensor> tokens;  // one more than the draft has
    std::vector<Tensor> agrees;  // pred [rows], for each token of the draft
  };

  Draft draft(const Tensor& step, const WrittenTexts& texts, Tensors& caches) const;
  Answer answer(const Tensor& step, const Draft& draft, const Tensor& scores) const;
  Tensor chosen(const Tensor& scores, const NextTokenOptions& options) const;
  NextTokenOptions options(const TextScores& scores, const Tensor& ids, const Tensor& seen,
                           const Tensor& step, int64_t purpose) const;

  const TextScores &target_, &draft_;
  const GenerateShape& shape_;
  const Tensors& given_;
};

}  // namespace systolic::inline v0
