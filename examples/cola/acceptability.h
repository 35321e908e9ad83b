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

// "glue/cola", which datasets::load_dataset finds or downloads; or a train.tsv, or the folder with
// it: lines of a sentence, a tab and a label, or of GLUE's four columns. "": `count` drawn
// sentences.
AcceptabilityData acceptability_data(const std::string& source, int64_t count, uint64_t seed);

}  // namespace examples
