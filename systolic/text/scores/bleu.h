// BLEU (Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation"):
// how many runs of one to four tokens of translations stand in references, as `sacrebleu` counts
// them with its tokenizer 13a.
//
//   const BleuScore score = bleu({"the cat sat"}, {{"the cat sat down", "a cat sat"}});
//   std::cout << score.score;
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

struct BleuOptions {
  bool lowercase = false;  // compare without case
  // Only runs that there are count, for single short texts (sacrebleu's sentence_bleu).
  bool effective_order = false;
};

struct BleuScore {
  double score = 0;  // 0 to 100
  // For runs of 1 to 4 tokens: 100 times those that stand in a reference over all. One of them that
  // is 0 is taken for half of one run, the next for a quarter ... (smoothing "exp").
  std::array<double, 4> precisions = {};
  std::array<int64_t, 4> counts = {}, totals = {};
  double brevity_penalty = 1;  // for translations that are shorter than their references
  int64_t length = 0, reference_length = 0;  // tokens; of each reference that is nearest in length
};

// The score of all translations; each has one or more references. InvalidArgument for no
// translation, or one without a reference.
BleuScore bleu(const std::vector<std::string>& translations,
               const std::vector<std::vector<std::string>>& references,
               const BleuOptions& options = {},
               SourceLocation location = SourceLocation::current());

// Tokens of a text, as mteval-v13a.pl of NIST separates them.
std::vector<std::string> tokens_13a(std::string_view text);

}  // namespace systolic::inline v0
