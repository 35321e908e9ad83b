// Rows of nested types as arrays with names: what a table of Parquet or Arrow, or a stream of it,
// is made of.
//
// A member of a struct is "struct.member", also where the struct lies in a list: messages of role
// and content are "messages.role" and "messages.content", an array of strings a row each. The row
// of a list has an axis; those of lists in lists are the values one after the other, next to
// "name_row_splits", as TensorFlow Datasets has them (FeatureInfo::row_split_names). A list of
// fixed size within is an axis more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/io/arrow/arrow_file.h"

namespace systolic::inline v0 {
namespace datasets {

struct FlatColumn {
  std::string name;
  Literal values = {};  // [values, ...]
  // Where each row's values begin and the last one's end; empty where each value is a row.
  std::vector<int64_t> starts = {};
  // For integers and truth values of which some are null: 0 in the place of those. Texts that are
  // null are "" in `values`, floating-point numbers NaN.
  std::vector<uint8_t> valid = {};

  int64_t rows() const {
    return starts.empty() ? values.shape()[0] : static_cast<int64_t>(starts.size()) - 1;
  }
  Literal row(int64_t i) const;
};

// In the order of the fields, the same names for each batch.
std::vector<FlatColumn> flat_columns(const std::vector<io::ArrowField>& fields,
                                     const io::ArrowBatch& batch);

// f64, NaN where `valid` is 0. DataLoss, naming the column, for an integer that f64 would round.
Literal in_double(const FlatColumn& column);

}  // namespace datasets
}  // namespace systolic::inline v0
