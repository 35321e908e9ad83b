// How prepare_dataset makes batches of texts (prepare_dataset.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systolic::inline v0 {

struct PrepareOptions {
  int64_t batch_size = 8;  // rows of a batch
  // Uniformly, anew for every epoch. Default: where there are labels, or mlm_probability makes
  // some, as what is predicted of texts without them should stay in the order of the texts.
  std::optional<bool> shuffle = {};
  // For the order and for masks; by default set_seed()'s, else another each run.
  std::optional<uint64_t> seed = {};
  // Columns. Empty text: the dataset's only column of strings, or its first two as text and pair,
  // except those that are named like labels.
  std::string text = {}, pair = {};
  // Empty: "label", "labels", or "start_positions" and "end_positions", where the dataset has them.
  std::string label = {};
  // For masked language models: the share of the tokens that are to be predicted, usually 0.15.
  // Eight in ten of these become the mask token, one another token, one stays; "labels" are -100
  // for all others. Drawn anew for each batch of each epoch. The dataset's own labels are dropped.
  // 0: none.
  double mlm_probability = 0;
  std::string mask_token = {};  // empty: "[MASK]" or "<mask>", whichever there is
  // Tokens to which texts are cut; 0: what the tokenizer says, and at most what a pretrained model
  // takes, or as long as the input of a model of one's own that has a fixed length.
  int64_t max_length = 0;
  // A batch is as long as its longest text, rounded up to a multiple of this, but no longer than
  // max_length and the model's number of positions; 0: of 32, or of 8 with buckets ...
  int64_t pad_to_multiple_of = 0;
  // ... or, above 0, all its texts are of one of this many buckets, and are padded to its length, a
  // multiple too: less padding, at the same number of compilations
  // (data/transformations/length_buckets.h).
  int64_t buckets = 0;
  bool drop_remainder = false;  // drop batches that are not full
  // A folder on a local disk: token ids and labels lie there, in files that are gone with the
  // batches, and memory holds some 50 bytes of each text. Empty: in memory.
  std::string scratch_folder = {};
  // Which of the tokenizer's arrays a batch has; with a model, its inputs, without token_type_ids
  // where the tokenizer gives none (Tokenizer::model_input_names) and the model can do without.
  std::vector<std::string> input_names = {"input_ids", "token_type_ids", "attention_mask"};
};

}  // namespace systolic::inline v0
