// Batches for a model from a dataset of texts (prepare_tf_dataset of `transformers`): texts are
// tokenized on all threads, the columns that the model takes are picked by its inputs' names, and
// each batch is padded to one of a few lengths, since every length is a compilation.
//
//   auto train = model.prepare_dataset(cola, tokenizer, {.batch_size = 32, .buckets = 4});
//   model.fit(train, {.epochs = 3});
//
// Batches: "input_ids", "attention_mask", "token_type_ids", i32 [batch, length] each, as the model
// names them, then the labels, i32 for integers and f32 otherwise:
//   a class or numbers for each text     [batch, ...]
//   a class for each token               [batch, length]; where tokens pad, -100, which no loss
//                                        counts. They stand beside "input_ids": tokenize before
//   "start_positions", "end_positions"   [batch] each: the tokens where the answer begins and ends,
//                                        -100 where they are not among the tokens
//   "sample_weight"                      [batch], where the dataset has it beside labels
// as the data collators of `transformers` give them. With mlm_probability they are, for a masked
// language model, the tokens that it is to predict. The token ids and labels of the whole dataset
// are kept in memory, or in a scratch folder, where they may exceed memory.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/data/transformations/length_buckets.h"
#include "systolic/text/tokenizer.h"
#include "systolic/train/model/model.h"
#include "systolic/transformers/rows/prepare_options.h"

namespace systolic::inline v0 {

class PretrainedModel;

struct PreparedDataset {
  data::Dataset dataset;
  int64_t samples = 0;
  // Whether an epoch's samples come in the dataset's own order: neither shuffled nor in buckets.
  bool in_order = false;
  // The lengths that batches may have, rising: fit compiles a program for each, and another where
  // batches are not full. For a model that was named, it logs these without a warning.
  std::vector<int64_t> lengths;
  // Tokens in an epoch; padded_tokens with what pads them, for multiples in one random order.
  int64_t tokens = 0, padded_tokens = 0;
  // Tokens at which texts are cut, 0: nowhere, and how many texts are as long: longer ones end
  // there.
  int64_t max_length = 0, full = 0;

  double waste() const;
  operator const data::Dataset&() const { return dataset; }
};

// Reads the dataset once. The share of tokens that is padding is logged. InvalidArgument, listing
// what there is, for a dataset without texts (or, tokenized before, "input_ids"), one without end,
// one that labels some texts only, a model with an input that the tokenizer does not make, and
// tokens that a PretrainedModel has no vectors for. A PretrainedModel has it as a member, too;
// without a model, PrepareOptions::input_names says what batches hold.
PreparedDataset prepare_dataset(const data::Dataset& dataset, const Tokenizer& tokenizer,
                                PrepareOptions options = {},
                                SourceLocation location = SourceLocation::current());
PreparedDataset prepare_dataset(const PretrainedModel& model, const data::Dataset& dataset,
                                const Tokenizer& tokenizer, PrepareOptions options = {},
                                SourceLocation location = SourceLocation::current());
PreparedDataset prepare_dataset(const Model& model, const data::Dataset& dataset,
                                const Tokenizer& tokenizer, PrepareOptions options = {},
                                SourceLocation location = SourceLocation::current());

// "8,551 texts, padded to 32, 64: 21.3 % of 356,128 tokens are padding"; where some are as long as
// max_length, "; 12 have 64 tokens, where longer ones are cut" too.
std::string to_string(const PreparedDataset& prepared);
inline std::ostream& operator<<(std::ostream& out, const PreparedDataset& prepared) {
  return out << to_string(prepared);
}

}  // namespace systolic::inline v0
