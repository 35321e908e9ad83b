// Labels of words as labels of tokens, for models that classify each token
// (tokenize_and_align_labels of transformers' run_ner.py).
//
//   const BatchEncoding batch = tokenizer({words}, {.return_offsets_mapping = true});
//   align_labels(batch.encodings[0].word_ids, {0, 3})     // {-100, 0, -100, 3, -100}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// What a word's later tokens get: AlignLabelsOptions{.label_all_tokens = true}.
struct AlignLabelsOptions {
  bool label_all_tokens = false;  // a label, too; else -100, which no loss counts
  // That label, by the word's: what inside_labels() gives. Empty: the word's own.
  std::vector<int32_t> inside = {};
};

// A label for each token: that of its word for the word's first token, -100 for tokens of no word.
// InvalidArgument for a word without a label.
std::vector<int32_t> align_labels(const std::vector<int32_t>& word_ids,
                                  const std::vector<int32_t>& labels,
                                  const AlignLabelsOptions& options = {},
                                  SourceLocation location = SourceLocation::current());

// For each class the one that continues it, "I-PER" for "B-PER", where there is one; else itself.
//   inside_labels({"O", "B-PER", "I-PER"})     // {0, 2, 2}
std::vector<int32_t> inside_labels(const std::vector<std::string>& names);

}  // namespace systolic::inline v0
