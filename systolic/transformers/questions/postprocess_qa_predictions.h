// From scores of where an answer begins and ends to answers in the words of the text, as
// postprocess_qa_predictions of transformers' examples (utils_qa.py) makes them.
//
//   const std::vector<QaFeature> rows = qa_features(tokenizer, examples);
//   const Example scores = model.predict_outputs(...);          // f32 [rows, tokens] each
//   for (const QaPrediction& one : postprocess_qa_predictions(examples, rows,
//   scores["start_logits"],
//                                                             scores["end_logits"]))
//     std::cout << one.text << "\n";
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/transformers/questions/qa_features.h"

namespace systolic::inline v0 {

// Which answers count.
//   QaAnswerOptions{.version_2_with_negative = true, .null_score_diff_threshold = -1}
struct QaAnswerOptions {
  bool version_2_with_negative = false;  // a question may have no answer
  int64_t n_best_size = 20;        // answers that are kept, and starts and ends that are tried
  int64_t max_answer_length = 30;  // tokens of an answer
  // "No answer" wins where its score is above that of the best answer by more than this.
  double null_score_diff_threshold = 0;
  bool pads_in_front = false;  // rows of scores that are longer than their tokens are so in front
};

// A possible answer: QaAnswer{.text = "the boat", .probability = 0.93}.
struct QaAnswer {
  std::string text = {};   // of the context; empty: there is none
  double probability = 0;  // among those that are kept
  double start_logit = 0, end_logit = 0;
};

// The answer to one question.
struct QaPrediction {
  std::string text = {};              // the best, or nothing where there is no answer
  std::vector<QaAnswer> n_best = {};  // the likeliest first
  // The score of "no answer" less that of the best answer; 0 where each question has an answer.
  double score_diff = 0;
};

// One for each example. start_logits and end_logits are [rows, tokens], of any float type: row i
// belongs to features[i]; what it has besides the row's own tokens is padding, in which no answer
// stands. InvalidArgument for other shapes, and for an example without a row.
std::vector<QaPrediction> postprocess_qa_predictions(
    const std::vector<QaExample>& examples, const std::vector<QaFeature>& features,
    const Literal& start_logits, const Literal& end_logits, const QaAnswerOptions& options = {},
    SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
