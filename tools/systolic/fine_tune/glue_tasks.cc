#include "tools/systolic/fine_tune/glue_tasks.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "tools/systolic/commands.h"

namespace tool::fine_tune {

using namespace systolic;

const std::vector<GlueTask>& glue_tasks() {
  using Names = std::vector<std::string>;
  const Names follows{"entailment", "not_entailment"};
  static const std::vector<GlueTask> tasks{
      {"cola", "CoLA", {"sentence"}, {}, {"label"}, Names{"unacceptable", "acceptable"}},
      {"sst2", "SST-2", {"sentence"}, {}, {"label"}, Names{"negative", "positive"}},
      {"mrpc",
       "MRPC",
       {"sentence1", "#1 String"},
       {"sentence2", "#2 String"},
       {"label", "Quality"},
       Names{"not_equivalent", "equivalent"}},
      {"qqp",
       "QQP",
       {"question1"},
       {"question2"},
       {"label", "is_duplicate"},
       Names{"not_duplicate", "duplicate"}},
      {"stsb", "STS-B", {"sentence1"}, {"sentence2"}, {"label", "score"}, {}},
      {"mnli",
       "MNLI",
       {"premise", "sentence1"},
       {"hypothesis", "sentence2"},
       {"label", "gold_label"},
       Names{"entailment", "neutral", "contradiction"}},
      {"qnli", "QNLI", {"question"}, {"sentence"}, {"label"}, follows},
      {"rte", "RTE", {"sentence1"}, {"sentence2"}, {"label"}, follows},
      {"wnli",
       "WNLI",
       {"sentence1"},
       {"sentence2"},
       {"label"},
       Names{"not_entailment", "entailment"}},
  };
  return tasks;
}

const GlueTask& glue_task(std::string_view name) {
  for (const GlueTask& task : glue_tasks()) {
    if (task.name == name) return task;
  }
  std::vector<std::string> names;
  for (const GlueTask& task : glue_tasks()) names.emplace_back(task.name);
  raise<WrongUsage>({.what = str("there is no task '", name, "'"), .wanted = join(names, ", ")});
}

}  // namespace tool::fine_tune
