// The scores of GLUE's nine tasks (Wang et al. 2018, arXiv 1804.07461, section 3), as
// `evaluate.load("glue", task).compute` gives them.
//
//   const NamedScores scores = glue_scores("mrpc", {1, 0, 1}, {1, 0, 0});
//   std::cout << scores[0].first << " " << scores[0].second;   // accuracy 0.666667
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/text/scores/named_scores.h"

namespace systolic::inline v0 {

// Predictions and references, one number a row: classes, or for "stsb" how similar the texts are.
//   "cola"                               matthews_correlation; 0 where all are of one class
//   "stsb"                               pearson, spearmanr; NaN where all are equal
//   "mrpc", "qqp"                        accuracy, and f1 of class 1; 0 where no row has it
//   "sst2", "mnli", "qnli", "rte", "wnli"  accuracy
// InvalidArgument for another task, for no rows and for different numbers of them.
NamedScores glue_scores(std::string_view task, const std::vector<double>& predictions,
                        const std::vector<double>& references,
                        SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
