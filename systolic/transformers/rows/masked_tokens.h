// The tokens that a masked language model is to predict (BERT, section 3.1; `transformers`'
// DataCollatorForLanguageModeling). Internal to prepare_dataset.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

struct MaskedTokensOptions {
  double probability = 0.15;
  std::string mask_token = {};  // empty: "[MASK]" or "<mask>", whichever there is
  int64_t vocabulary = 0;       // of the model, where that is known
};

class MaskedTokens {
 public:
  // NotFound for a vocabulary without the mask token.
  MaskedTokens(const Tokenizer& tokenizer, const MaskedTokensOptions& options,
               SourceLocation location);

  int32_t mask() const { return mask_; }
  // Masks a batch: "input_ids" [rows, length] with some exchanged, and "labels" of the same shape,
  // which are ignored for all others. Special tokens and padding stay.
  void apply(Example& batch, uint64_t key) const;

 private:
  double probability_;
  int32_t mask_ = 0;
  uint64_t vocabulary_;
  std::vector<bool> stays_;  // by id
};

}  // namespace systolic::inline v0
