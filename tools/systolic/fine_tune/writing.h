// systolic summarization and systolic translation: one text is written about another
// (run_summarization.py and run_translation.py of transformers).
#pragma once

#include <iosfwd>
#include <string>

#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

struct WritingSettings {
  bool translates = false;                 // BLEU is measured; else ROUGE
  std::string text_column, target_column;  // "": the first two
  std::string source_lang, target_lang;    // of {"translation": {"en": ..., "de": ...}}
  std::string source_prefix;               // before each text: "summarize: "
  int64_t max_source_length = 1024, max_target_length = 128;
  int64_t num_beams = 0;  // of evaluation; 0: as the model's generation_config.json says
};

int writing(const Settings& settings, const WritingSettings& options, std::ostream& out);

}  // namespace tool::fine_tune
