// What a folder of sentence-transformers says of its model. Internal to transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/transformers/sentences/sentence_transformer.h"

namespace systolic::inline v0 {

struct SentenceModules {
  std::string transformer;  // the folder of its files
  std::vector<SentencePooling> poolings = {SentencePooling::mean};
  bool normalizes = false;
  int64_t max_seq_length = 0;
};

// See SentenceTransformer's constructor.
SentenceModules read_sentence_modules(const std::string& folder, SourceLocation location);

}  // namespace systolic::inline v0
