// systolic ner: a class for each word of a sentence (run_ner.py of transformers).
#pragma once

#include <iosfwd>

#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

struct NerSettings {
  bool label_all_tokens = false;             // all tokens of a word, not the first alone
  bool return_entity_level_metrics = false;  // of each type, too
};

int ner(const Settings& settings, const NerSettings& ner, std::ostream& out);

}  // namespace tool::fine_tune
