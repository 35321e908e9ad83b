// Comments as on a talk page, drawn from templates: label 1 for insults, 0 for others. What the
// example learns from where no data set is given.
#pragma once

#include <cstdint>

#include "examples/common/sentences.h"

namespace examples {

// Half of each, in random order. Three of five say both in the same words, in another order: "you
// are a fool , not a patient reader". One label of fifty is the wrong one, as people misjudge, so
// that the best AUC of all is 0.98.
LabelledTexts draw_comments(int64_t count, uint64_t seed);

}  // namespace examples
