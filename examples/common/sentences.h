// Sentences that a small grammar of English makes, and the same words in an order that it forbids:
// what examples learn to tell apart where there is no CoLA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

struct LabelledTexts {
  std::vector<std::string> texts;
  std::vector<int32_t> labels;
};

// Half of them acceptable, label 1, the others, label 0, with words that changed places. All
// differ.
LabelledTexts draw_sentences(int64_t count, uint64_t seed);

}  // namespace examples
