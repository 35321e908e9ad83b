// The labels of rows of token ids: what a dataset has next to them. Internal to prepare_dataset.
//
// A column is one of three kinds: integers as many as each row has tokens, which are padded with
// ignored_label; "start_positions" and "end_positions", which move as the tokens do; and else
// arrays of one shape, stacked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/transformers/rows/row_store.h"

namespace systolic::inline v0 {

// For a row that was tokenized before: which of its tokens are not padding.
struct TokenPlaces {
  int64_t given = 0;          // tokens, with those that pad
  std::vector<int64_t> kept;  // the places of the others, rising
};

// Where tokens lie in a batch: `length` of them in a row, padding in front or after.
struct RowPlacement {
  int64_t length = 0;
  bool pads_in_front = false;
  std::function<int64_t(int64_t row)> tokens;  // of a row

  int64_t start(int64_t row) const { return pads_in_front ? length - tokens(row) : 0; }
};

class RowLabels {
 public:
  // What losses ignore, as in `transformers`.
  static constexpr int32_t ignored_label = -100;

  // The columns that `first` has: the one named, else "label", "labels", or "start_positions" and
  // "end_positions", whichever comes first; or none. With them "sample_weight", as f32.
  // InvalidArgument for one that is named and not there.
  RowLabels(const Example& first, const std::string& name, const std::string& scratch_folder,
            SourceLocation location);
  // No columns, whatever the rows have.
  RowLabels() = default;

  bool empty() const { return columns_.empty(); }

  // The next row's; `places` is null where it is a text still. InvalidArgument for a row without a
  // label that the first has, or with one that the first lacks, for a text, an integer beyond i32,
  // and a shape that fits no kind.
  void add(const Example& element, const TokenPlaces* places);

  // After the last row.
  void finish();
  // Among the rows with an answer, told by its positions: how many there are, and how many of them
  // do not lie among their tokens, whose number `tokens` says.
  struct Answers {
    int64_t given = 0, outside = 0;
  };
  Answers answers(const std::function<int64_t(int64_t row)>& tokens) const;
  // Adds the columns of these rows.
  void put(Example& batch, std::span<const int64_t> rows, const RowPlacement& placement) const;

 private:
  struct Column {
    std::string name;
    bool of_tokens = true, of_one_shape = true;  // of all rows so far
    Literal first = {};
    std::optional<RowStore> values = {};        // where of one shape: their bits
    std::optional<RowStore> token_values = {};  // where of tokens: those of the kept ones
  };

  void add_value(Column& column, const Literal& value, const TokenPlaces* places);
  Literal converted(const Column& column, const Literal& value) const;
  [[noreturn]] void fail(std::string what, std::string wanted, std::string hint = "") const;

  std::vector<Column> columns_;
  std::vector<std::string> refused_;  // names that no row may have: the first has none of them
  int64_t rows_ = 0;
  std::string scratch_folder_;
  SourceLocation location_ = {};
};

}  // namespace systolic::inline v0
