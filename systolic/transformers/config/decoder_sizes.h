// What generate() has to know about an architecture. Internal to transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systolic::inline v0 {

struct DecoderSizes {
  int64_t layers = 0;
  int64_t width = 0;  // of a token's keys, and of its values, over all heads
  int64_t vocabulary = 0;
  int64_t eos_token_id = -1;  // where config.json has none
  // The network's layers that score tokens from the hidden state, in their order.
  std::vector<std::string> head = {"lm_head"};
};

}  // namespace systolic::inline v0
