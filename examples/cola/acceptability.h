// Sentences with labels, 1 for acceptable English: CoLA (Warstadt et al. 2019), or drawn ones.
#pragma once

#include <cstdint>
#include <string>

#include "examples/common/sentences.h"

namespace examples {

struct AcceptabilityData {
  LabelledTexts train, held_back;  // every tenth sentence is held back
  bool drawn = false;              // not CoLA
};

// The file that `path` names or, in a folder, its train.tsv: lines of a sentence, a tab and a
// label, or of GLUE's four columns. Without a path, `count` drawn sentences.
AcceptabilityData acceptability_data(const std::string& path, int64_t count, uint64_t seed);

}  // namespace examples
