// What generate() has to know about an architecture. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systolic::inline v0 {

// What is besides for one that writes about a text, or a sound, which an encoder has read.
struct SourceSizes {
  int64_t start_token_id = 0;  // that a text begins with, where no file says which
  int64_t positions = 0;       // tokens that the encoder reads at most; 0: any number
  // The encoder reads sound: so many features of so many moments, all of which count.
  int64_t bins = 0, frames = 0;
  // The network's layers: the tokens' vectors, and what they go through.
  std::string words, encoder, decoder;
  // Where what is read has tokens of its own: their vectors' layer, and how many they are.
  std::string read_words = {};
  int64_t vocabulary = 0;
};

struct GenerationSpec {
  int64_t layers = 0;
  int64_t width = 0;  // of a token's keys, and of its values, over all heads
  int64_t vocabulary = 0;
  int64_t eos_token_id = -1;  // where config.json has none
  // The network's layers that score tokens from the hidden state, in their order.
  std::vector<std::string> head = {"lm_head"};
  std::optional<SourceSizes> source = {};
};

}  // namespace systolic::inline v0
