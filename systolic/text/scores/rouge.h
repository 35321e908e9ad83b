// ROUGE (Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries"): how much of a
// reference a summary says, as the package `rouge_score` counts it.
//
//   const RougeScores scores = rouge("the boat sails home", "a boat sails back home");
//   std::cout << scores.rougeL.fmeasure;
//
// Tokens are runs of the letters a to z and of digits, in lower case; all else separates them. With
// a stemmer, words of more than three letters are replaced by their stems: run_summarization.py of
// transformers counts so.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// The part of the prediction's tokens, and of the reference's, that both have, and the harmonic
// mean of the two. From 0 to 1.
struct RougeScore {
  double precision = 0, recall = 0, fmeasure = 0;
};

struct RougeScores {
  RougeScore rouge1, rouge2;  // by tokens, and by pairs of them that follow each other
  RougeScore rougeL;          // by the longest sequence of tokens that both have in one order
  RougeScore rougeLsum;       // the same by lines, which are sentences; write one a line
};

// How tokens are made: rouge(prediction, reference, RougeOptions{.use_stemmer = true}).
struct RougeOptions {
  bool use_stemmer =
      false;  // Porter's, as the package nltk has it: "sails" and "sailing" are equal
};

// InvalidArgument for texts whose longest sequence would take too much memory: 2^28 pairs of
// tokens.
RougeScores rouge(std::string_view prediction, std::string_view reference,
                  const RougeOptions& options = {},
                  SourceLocation location = SourceLocation::current());
// The means over pairs. InvalidArgument for none, and for different numbers of both.
RougeScores rouge(std::span<const std::string> predictions, std::span<const std::string> references,
                  const RougeOptions& options = {},
                  SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
