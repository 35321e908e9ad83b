// Comments as on a talk page, drawn from templates: label 1 for insults, 0 for others. What the
// example learns from where no data set is given.
#pragma once

#include <cstdint>

#include "examples/common/sentences.h"

namespace examples {

// Half of each, in random order. Words of both kinds are in both: "you are not a fool" is none.
LabelledTexts draw_comments(int64_t count, uint64_t seed);

}  // namespace examples
