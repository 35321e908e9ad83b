// GLUE's tasks (Wang et al. 2018, arXiv 1804.07461), one a line of a table: columns, classes,
// files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tool::fine_tune {

struct GlueTask {
  std::string_view name;    // "mrpc"
  std::string_view folder;  // of GLUE's own files: "MRPC"
  // Names of its columns: those of the datasets package, then those of GLUE's own files.
  std::vector<std::string> text, pair, label;
  std::vector<std::string> classes;  // by number; empty: labels are numbers, from 0 to 5
};

const std::vector<GlueTask>& glue_tasks();
// InvalidArgument that lists them, for another name.
const GlueTask& glue_task(std::string_view name);

}  // namespace tool::fine_tune
