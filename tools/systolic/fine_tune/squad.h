// systolic squad: answers that stand in a text (run_qa.py of transformers).
#pragma once

#include <iosfwd>

#include "systolic/transformers/questions/postprocess_qa_predictions.h"
#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

struct SquadSettings {
  systolic::QaAnswerOptions answers;
  int64_t doc_stride = 128;
  // Rows to learn from are as long as max_seq_length, as run_qa.py has them: a model for question
  // answering may answer with a token that pads, which its loss counts. False: no longer than need
  // be, which is faster, and the loss is another.
  bool pad_to_max_length = true;
};

int squad(const Settings& settings, const SquadSettings& squad, std::ostream& out);

}  // namespace tool::fine_tune
