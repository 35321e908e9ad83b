// How well answers to the questions of SQuAD are (Rajpurkar et al. 2016, arXiv 1606.05250, section
// 6.1; 2018, arXiv 1806.03822), as the official programs evaluate-v1.1.py and evaluate-v2.0.py, and
// `evaluate.load("squad")` and "squad_v2", measure it.
//
//   squad_scores({{.id = "1", .text = "the boat"}}, {{.id = "1", .answers = {"boat", "a ship"}}})
//
// Texts are compared in lower case, without punctuation and without the words a, an and the; F1
// counts the words that both have. The nearest of several right answers is the
// one that counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/text/scores/named_scores.h"

namespace systolic::inline v0 {

// What a model answers: SquadPrediction{.id = "56be", .text = "Denver Broncos"}.
struct SquadPrediction {
  std::string id = {};    // of the question
  std::string text = {};  // empty: there is no answer
  // How sure it is that there is none: counts for SQuAD 2 only.
  double no_answer_probability = 0;
};

// A question's right answers: SquadReference{.id = "56be", .answers = {"Denver Broncos"}}.
struct SquadReference {
  std::string id = {};                    // of the question
  std::vector<std::string> answers = {};  // none: the question cannot be answered
};

// How well one answer fits, from 0 to 1.
double squad_exact_match(std::string_view prediction, std::string_view truth);
double squad_f1(std::string_view prediction, std::string_view truth);

// SQuAD 1: exact_match and f1 in percent. A question without a prediction counts as wrong.
// InvalidArgument for no questions, and for one without answers.
NamedScores squad_scores(const std::vector<SquadPrediction>& predictions,
                         const std::vector<SquadReference>& references,
                         SourceLocation location = SourceLocation::current());

// SQuAD 2: exact, f1 and total; those of the questions with answers (HasAns_exact, ...) and without
// (NoAns_exact, ...), where there are such; and the best that some threshold of
// no_answer_probability would reach (best_exact, best_exact_thresh, best_f1, best_f1_thresh). A
// prediction whose probability is above `no_answer_threshold` counts as none.
// InvalidArgument for no questions, and for one without a prediction.
NamedScores squad_v2_scores(const std::vector<SquadPrediction>& predictions,
                            const std::vector<SquadReference>& references,
                            double no_answer_threshold = 1,
                            SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
