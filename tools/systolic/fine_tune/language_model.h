// systolic clm and systolic mlm: the next token of texts, or tokens that masks hide (run_clm.py and
// run_mlm.py of transformers).
#pragma once

#include <iosfwd>
#include <string>

#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

struct LanguageModelSettings {
  bool causal = true;
  // Tokens of a row, into which all texts are cut after they were joined; 0: what the tokenizer
  // allows, and at most 1024.
  int64_t block_size = 0;
  double mlm_probability = 0.15;
  std::string text_column;  // "": "text", or the first
};

int language_model(const Settings& settings, const LanguageModelSettings& options,
                   std::ostream& out);

}  // namespace tool::fine_tune
