// Rows of different lengths as one array (tf.RaggedTensor with one ragged axis): the values of all
// rows, one after another, and where each row starts.
//
//   RaggedTensor watched = RaggedTensor::from_rows<int64_t>({{3, 1}, {}, {2}});
//   watched.values        // 3 1 2
//   watched.row_splits    // 0 2 2 3
//
// In an element of a dataset it is two arrays, "watched" and "watched_row_splits", as
// Dataset::ragged_batch makes them; inside a map:
//
//   dataset.ragged_batch(32).map([](const Example& e) -> Example {
//     const RaggedTensor watched = RaggedTensor::in(e, "watched"); ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

struct RaggedTensor {
  Literal values;      // [total, ...]
  Literal row_splits;  // i64 [rows + 1]: from 0, never falling, to total

  // InvalidArgument where the splits are of another form.
  static RaggedTensor from_row_splits(Literal values, const Literal& row_splits,
                                      SourceLocation location = SourceLocation::current());
  // `lengths`: integers [rows].
  static RaggedTensor from_row_lengths(Literal values, const Literal& lengths,
                                       SourceLocation location = SourceLocation::current());
  template <Element T>
  static RaggedTensor from_rows(const std::vector<std::vector<T>>& rows) {
    std::vector<T> all;
    std::vector<int64_t> lengths;
    for (const std::vector<T>& row : rows) {
      all.insert(all.end(), row.begin(), row.end());
      lengths.push_back(static_cast<int64_t>(row.size()));
    }
    const auto total = static_cast<int64_t>(all.size()), count = static_cast<int64_t>(rows.size());
    return from_row_lengths(Literal::from(all, {total}), Literal::from(lengths, {count}));
  }
  // That of an element under this name; a NotFound names what is missing.
  static RaggedTensor in(const Example& element, const std::string& name,
                         SourceLocation location = SourceLocation::current());
  static bool is_in(const Example& element, const std::string& name);
  // Adds or replaces it.
  void put_in(Example& element, const std::string& name) const;

  int64_t rows() const { return row_splits.size() - 1; }
  int64_t row_start(int64_t row) const { return row_splits.integer_at(row); }
  int64_t row_length(int64_t row) const { return row_start(row + 1) - row_start(row); }
  int64_t longest_row() const;

  friend bool operator==(const RaggedTensor& a, const RaggedTensor& b) {
    return a.values == b.values && a.row_splits == b.row_splits;
  }
};

}  // namespace systolic::inline v0
