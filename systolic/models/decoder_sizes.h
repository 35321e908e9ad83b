// What generate() has to know of an architecture. Internal to models.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

struct DecoderSizes {
  int64_t layers = 0;
  int64_t width = 0;  // of a token's keys, and of its values, over all heads
  int64_t vocabulary = 0;
  int64_t eos_token_id = -1;       // where config.json has none
  const char* scores = "lm_head";  // the network's layer that scores tokens
};

}  // namespace systolic::inline v0
