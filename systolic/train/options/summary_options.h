// What Model::summary takes (keras.Model.summary).
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace systolic::inline v0 {

struct SummaryOptions {
  int width = 0;                // in columns; 0: the terminal's, or 88
  bool expand_nested = false;   // the layers of models inside, under theirs
  bool show_trainable = false;  // a column of Y and N
  // From the first to the last layer of these names; a regular expression matches the first, or the
  // last, that it finds. One that no layer matches is an InvalidArgument.
  std::optional<std::pair<std::string, std::string>> layer_range = {};
};

}  // namespace systolic::inline v0
