// How the classes of tokens become those of words and names. Internal to transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/text/pieces/encoding.h"
#include "systolic/transformers/pipelines/token_classification.h"

namespace systolic::inline v0 {

struct ScoredToken {
  int32_t id = 0;
  std::string word;  // the token, or what stands in the text where it is unknown
  std::vector<double> scores;
  int64_t index = 0;
  Offsets range = {};
  bool is_subword = false;  // goes on with the word before
};

std::vector<Entity> entities_of(const std::vector<ScoredToken>& tokens,
                                AggregationStrategy strategy,
                                const std::vector<std::string>& labels, const Tokenizer& tokenizer);

}  // namespace systolic::inline v0
