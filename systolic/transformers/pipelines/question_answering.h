// pipeline("question-answering"): the part of a text that answers a question.
//
//   const QuestionAnsweringPipeline answer("distilbert-base-cased-distilled-squad/");
//   std::cout << answer("What sails?", "The boat sails to the island.")[0].answer << "\n";
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// A part of a text that may be the answer.
//   QuestionAnswer{.score = 0.93, .start = 4, .end = 8, .answer = "boat"}
struct QuestionAnswer {
  double score = 0;            // how likely it is
  int64_t start = 0, end = 0;  // characters of the context, as Python counts them
  std::string answer = {};     // what stands there; empty: there is no answer
};

// Settings of a QuestionAnsweringPipeline's call.
//   answer(question, context, QuestionAnsweringOptions{.top_k = 3});
struct QuestionAnsweringOptions {
  int64_t top_k = 1;  // this many answers at most, the likeliest first
  // Tokens of a row: a longer text becomes several. 384, or what the tokenizer allows.
  std::optional<int64_t> max_seq_len = {};
  std::optional<int64_t> doc_stride = {};  // tokens that rows share; 128, or half of a row
  int64_t max_answer_len = 15;             // tokens of an answer
  bool handle_impossible_answer = false;   // that there is none is an answer, too
  bool align_to_words = true;              // answers begin and end with whole words
};

// Answers and scores are those of transformers 4's pipeline; answers that differ in their place or
// in upper and lower case alone are one, and their scores are added. What cannot be an answer is
// none, even where fewer than top_k are left.
//   QuestionAnsweringPipeline answer("distilbert-base-cased-distilled-squad/");
class QuestionAnsweringPipeline {
 public:
  // A model for question answering, and its tokenizer, of one folder.
  explicit QuestionAnsweringPipeline(const std::string& folder,
                                     SourceLocation location = SourceLocation::current());
  QuestionAnsweringPipeline(PretrainedModel model, Tokenizer tokenizer);

  // InvalidArgument for an empty question or context, and for options out of bounds.
  std::vector<QuestionAnswer> operator()(const std::string& question, const std::string& context,
                                         const QuestionAnsweringOptions& options = {},
                                         SourceLocation location = SourceLocation::current()) const;

 private:
  PipelineParts parts_;
};

}  // namespace systolic::inline v0
