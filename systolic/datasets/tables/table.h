// Tables in memory, column by column, like Hugging Face's datasets.Dataset.
//
//   const datasets::Table train = datasets::load_dataset("glue", "cola")["train"];
//   train["sentence"].strings()                                     // the texts of all rows
//   const auto encoded = train.map(tokenize, {.cache_file_name = "cola-train.tfrec"});
//   const auto parts = encoded.train_test_split({.test_size = 0.1, .seed = 1});
//   parts["train"].dataset().shuffle(10'000).batch(32)              // a pipeline of its rows
//
// A Table is a value; what it holds is shared and never changed.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/data/dataset.h"
#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

struct TableMapOptions {
  int num_parallel_calls = 1;  // above 1, the function is called from several threads at once
  // Keeps the new columns in this file, and takes them from there the next time. It is written
  // again when the table's content or `new_fingerprint` changes; changes of the function cannot be
  // seen, so give it another fingerprint, or file, when it changes.
  std::string cache_file_name = {};
  std::string new_fingerprint = {};
  bool load_from_cache_file = true;
  std::vector<std::string> remove_columns = {};
};

struct TrainTestSplit {
  double test_size = 0.25;  // a share below 1, or a number of rows
  bool shuffle = true;
  uint64_t seed = 0;
};

class TableParts;

class Table {
 public:
  using Columns = std::vector<std::pair<std::string, Column>>;

  // Columns with the same number of rows; else, and for a name given twice, an InvalidArgument.
  explicit Table(Columns columns, SourceLocation location = SourceLocation::current());
  // Arrays [rows, ...] under names.
  explicit Table(const Example& columns, SourceLocation location = SourceLocation::current());

  // A handle that was moved from still holds on: moving copies.
  Table(const Table&) = default;
  Table& operator=(const Table&) = default;
  int64_t num_rows() const { return rows_; }
  std::vector<std::string> column_names() const;
  // NotFound, with a list of the known ones, for a name that it lacks.
  const Column& operator[](NameAt name) const;
  bool contains(std::string_view name) const;
  Example row(int64_t i) const;

  // Adds the arrays that a function makes of each row, replacing columns of the same name. The
  // function takes what Dataset::map's does.
  template <class Function>
  Table map(Function function, const TableMapOptions& options = {},
            SourceLocation location = SourceLocation::current()) const {
    return map_rows(data::element_function(std::move(function)), options, location);
  }
  // The rows for which the function is true.
  template <class Function>
  Table filter(Function function, SourceLocation location = SourceLocation::current()) const {
    return filter_rows(data::element_predicate(std::move(function)), location);
  }
  Table select(const std::vector<int64_t>& rows,
               SourceLocation location = SourceLocation::current()) const;
  Table shuffle(uint64_t seed) const;
  Table remove_columns(const std::vector<std::string>& names,
                       SourceLocation location = SourceLocation::current()) const;
  Table rename_column(std::string_view from, std::string_view to,
                      SourceLocation location = SourceLocation::current()) const;
  // {"train", …} and {"test", …}. Rows keep their order where they are not shuffled.
  TableParts train_test_split(const TrainTestSplit& options = {},
                              SourceLocation location = SourceLocation::current()) const;
  // Its rows as elements.
  data::Dataset dataset() const;
  operator data::Dataset() const { return dataset(); }  // NOLINT: where a pipeline is wanted
  // Changes with every byte of every column.
  uint32_t checksum() const;

 private:
  Table map_rows(data::ElementFunction function, const TableMapOptions& options,
                 SourceLocation location) const;
  Table filter_rows(data::ElementPredicate predicate, SourceLocation location) const;
  Table with_columns(const Columns& added, const std::vector<std::string>& removed,
                     SourceLocation location) const;

  std::shared_ptr<const Columns> columns_;
  int64_t rows_ = 0;
};

// Tables by name: what a table was split into.
class TableParts {
 public:
  explicit TableParts(std::map<std::string, Table, std::less<>> tables)
      : tables_(std::move(tables)) {}

  // NotFound, with a list of the names, for another one.
  const Table& operator[](NameAt name) const&;
  Table operator[](NameAt name) && { return std::as_const(*this)[name]; }
  const Table& at(NameAt name) const& { return (*this)[name]; }
  Table at(NameAt name) && { return std::as_const(*this)[name]; }
  bool contains(std::string_view name) const { return tables_.find(name) != tables_.end(); }
  size_t size() const { return tables_.size(); }
  // Pairs of name and table.
  auto begin() const { return tables_.begin(); }
  auto end() const { return tables_.end(); }

 private:
  std::map<std::string, Table, std::less<>> tables_;
};

// "{sentence: string(), label: i64()}, 8551 rows"
std::string to_string(const Table& table);
inline std::ostream& operator<<(std::ostream& out, const Table& table) {
  return out << to_string(table);
}

}  // namespace datasets
}  // namespace systolic::inline v0
