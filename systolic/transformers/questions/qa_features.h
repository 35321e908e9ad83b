// Questions about texts as rows of tokens: a text that is too long becomes several rows, each with
// the question and a part of the text (Devlin et al. 2018, arXiv 1810.04805, section 4.2;
// prepare_train_features of transformers' run_qa.py).
//
//   const std::vector<QaFeature> rows = qa_features(tokenizer, examples, {.doc_stride = 128});
//   model.fit(model.prepare_dataset(qa_dataset(rows), tokenizer));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/text/tokenizer.h"
#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

// A question, and the text in which its answer stands.
//   QaExample{.id = "1", .question = "What sails?", .context = "The boat sails.",
//             .answers = {"boat"}, .answer_starts = {4}}
struct QaExample {
  std::string id = {};
  std::string question = {}, context = {};
  // Right answers, and the characters of the context at which they begin, as Python counts them;
  // training takes the first. None: the question cannot be answered, or nobody knows.
  std::vector<std::string> answers = {};
  std::vector<int64_t> answer_starts = {};
};

// How they become rows.
//   qa_features(tokenizer, examples, QaFeatureOptions{.max_seq_length = 256});
struct QaFeatureOptions {
  int64_t max_seq_length = 384;  // tokens of a row
  int64_t doc_stride = 128;      // tokens of the text that two rows that follow each other share
};

// A row.
struct QaFeature {
  size_t example = 0;  // which of the examples it is of
  std::vector<int32_t> input_ids = {}, token_type_ids = {};
  // Where each token stands in the context; empty for those of the question and special ones.
  std::vector<std::optional<Offsets>> offsets = {};
  std::vector<int32_t> word_ids = {};  // which word of its text each token is of; -1: of none
  // The tokens where the first right answer begins and ends; those of the class token where it has
  // none, or where the row does not hold it whole.
  int64_t start_position = 0, end_position = 0;
};

// The rows of all examples, in order. The text comes after the question, or before it where the
// tokenizer pads in front. InvalidArgument for a question that leaves no room for more of the text
// than doc_stride, and for an answer beyond its text.
std::vector<QaFeature> qa_features(const Tokenizer& tokenizer,
                                   const std::vector<QaExample>& examples,
                                   const QaFeatureOptions& options = {},
                                   SourceLocation location = SourceLocation::current());

// "input_ids" and "token_type_ids" [tokens] and, where they are labels to learn from,
// "start_positions" and "end_positions" of each row, for prepare_dataset.
data::Dataset qa_dataset(std::vector<QaFeature> features, bool labelled = true);

// What a model for question answering says of the rows: "start_logits" and "end_logits", f32
// [rows, tokens], where rows that are shorter than the longest are padded as the tokenizer does it.
Example qa_scores(const PretrainedModel& model, const Tokenizer& tokenizer,
                  const std::vector<QaFeature>& features, int64_t batch_size = 8,
                  SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
