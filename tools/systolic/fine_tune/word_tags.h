// Sentences whose words have tags: JSON lines {"tokens": [...], "ner_tags": [...]}, and CoNLL's
// files, a word and its tag a line.
#pragma once

#include <string>
#include <vector>

namespace tool::fine_tune {

struct TaggedSentence {
  std::vector<std::string> words, tags;  // no tags where the file has none
};

// .json and .jsonl: the columns "tokens" or "words", and "ner_tags", "tags", "labels", "pos_tags"
// or "chunk_tags", texts or numbers. Others: words come first in their lines, tags last; empty
// lines lie between sentences. DataLoss, with file, line and column, for what is none of these and
// where a sentence has more or fewer tags than words.
std::vector<TaggedSentence> read_tagged_sentences(const std::string& path);

}  // namespace tool::fine_tune
