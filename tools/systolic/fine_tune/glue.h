// systolic glue: texts or pairs of texts and their classes (run_glue.py of transformers).
#pragma once

#include <string>

#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

struct GlueSettings {
  std::string task;      // of glue_tasks.h; "": files of one's own
  std::string data_dir;  // with train.tsv, dev.tsv and test.tsv of GLUE, or MRPC/ with these
  bool no_train = false, do_predict = false;
};

int glue(const Settings& settings, const GlueSettings& glue, std::ostream& out);

}  // namespace tool::fine_tune
