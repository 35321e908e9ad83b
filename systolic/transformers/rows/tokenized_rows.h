// The texts of a dataset as token ids of different lengths, with their labels: what batches are
// gathered from. A layer looks a batch's ids up (nn/layers/core/embedding.h); the gradient of that
// is in autodiff/rules/gather.cc. Internal to prepare_dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/data/dataset.h"
#include "systolic/text/tokenizer.h"
#include "systolic/transformers/rows/prepare_options.h"
#include "systolic/transformers/rows/row_labels.h"
#include "systolic/transformers/rows/row_store.h"

namespace systolic::inline v0 {

class TokenizedRows {
 public:
  // Reads and tokenizes all of the dataset.
  TokenizedRows(const data::Dataset& dataset, const Tokenizer& tokenizer,
                const PrepareOptions& options, SourceLocation location);

  int64_t size() const { return ids_.rows(); }
  int64_t length(int64_t row) const { return ids_.length(row); }
  std::span<const int32_t> ids(int64_t row) const { return ids_.row(row); }
  int32_t padding_id() const { return padding_.id; }
  std::vector<int64_t> lengths() const;
  bool has_labels() const { return !labels_->empty(); }
  // Whether the tokenizer, or a dataset that was tokenized before, gives token_type_ids.
  bool has_types() const { return has_types_; }
  // Whether texts were tokenized, and cut at max_length: what was tokenized before is not.
  bool cuts() const { return cuts_; }
  // The arrays of those names, [rows, length], then the labels.
  Example batch(std::span<const int64_t> rows, int64_t length,
                const std::vector<std::string>& input_names) const;

 private:
  void read(const data::Dataset& dataset, const Tokenizer& tokenizer, const PrepareOptions& options,
            SourceLocation location);
  TokenPlaces add_tokens(const Example& element, SourceLocation location);
  void add_row(std::span<const int32_t> ids, std::span<const int32_t> type_ids);
  // Those of a store without rows are 0.
  Literal padded(std::span<const int64_t> rows, int64_t length, const RowStore& values,
                 int32_t padding) const;
  Literal mask(std::span<const int64_t> rows, int64_t length) const;

  PaddingParameters padding_;
  RowStore ids_;
  RowStore type_ids_;  // no rows where all are 0
  bool has_types_ = false;
  bool cuts_ = false;
  std::optional<RowLabels> labels_;  // from the first row on
};

}  // namespace systolic::inline v0
