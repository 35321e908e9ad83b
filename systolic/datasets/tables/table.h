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
#include "systolic/datasets/tables/function_identity.h"

namespace systolic::inline v0 {
namespace datasets {

struct TableMapOptions {
  int num_parallel_calls = 1;  // above 1, the function is called from several threads at once
  // Keeps the new columns in this file, and takes them from there the next time. It is written
  // again when its fingerprint changes, in which are: the number of rows; a checksum of all names
  // and bytes of the table; and `new_fingerprint`, or without one the function's type, its place in
  // the program, and a checksum of the program's and the library's files, so that a program that
  // was built anew calls the function again. A function that holds values (captures) needs a
  // `new_fingerprint` that names them: without one nothing is taken from the file.
  std::string cache_file_name = {};
  std::string new_fingerprint = {};              // stands for the function
  bool load_from_cache_file = true;              // else the file is written again
  std::vector<std::string> remove_columns = {};  // of the table, after the function saw them
};

struct TrainTestSplit {
  double test_size = 0.25;  // a share below 1, or a number of rows
  double train_size = 0;    // the same; 0: all others
  bool shuffle = true;
  uint64_t seed = 0;
  // A column of classes, of which both parts then have the shares that the table has.
  std::string stratify_by_column = {};
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
    const FunctionIdentity identity = identity_of(function);
    return map_rows(data::element_function(std::move(function)), identity, options, location);
  }
  // The rows for which the function is true.
  template <class Function>
  Table filter(Function function, SourceLocation location = SourceLocation::current()) const {
    return filter_rows(data::element_predicate(std::move(function)), location);
  }
  Table select(const std::vector<int64_t>& rows,
               SourceLocation location = SourceLocation::current()) const;
  // In the order in which `datasets` puts them for this seed.
  Table shuffle(uint64_t seed) const;
  // Texts, integers or truth values become the numbers of their classes, i64, in the order of their
  // texts (10 before 9); Column::class_names() names them.
  Table class_encode_column(std::string_view name,
                            SourceLocation location = SourceLocation::current()) const;
  Table remove_columns(const std::vector<std::string>& names,
                       SourceLocation location = SourceLocation::current()) const;
  Table rename_column(std::string_view from, std::string_view to,
                      SourceLocation location = SourceLocation::current()) const;
  // {"train", …} and {"test", …}: the rows that `datasets` chooses with the same options and seed.
  // Without a shuffle the test's are the last ones. InvalidArgument for sizes that do not fit, and
  // for a stratified split where a class has one row only or a part has fewer rows than classes.
  TableParts train_test_split(const TrainTestSplit& options = {},
                              SourceLocation location = SourceLocation::current()) const;
  // Its rows as elements.
  data::Dataset dataset() const;
  operator data::Dataset() const { return dataset(); }  // NOLINT: where a pipeline is wanted
  // Changes with every byte of every column.
  uint32_t checksum() const;

 private:
  Table map_rows(data::ElementFunction function, const FunctionIdentity& identity,
                 const TableMapOptions& options, SourceLocation location) const;
  Table filter_rows(data::ElementPredicate predicate, SourceLocation location) const;
  Table with_columns(const Columns& added, const std::vector<std::string>& removed,
                     SourceLocation location) const;

  std::shared_ptr<const Columns> columns_;
  int64_t rows_ = 0;
};

// The rows of one table after those of the other, which has the same columns: `datasets`'
// concatenate_datasets.
Table concatenated(const Table& first, const Table& second,
                   SourceLocation location = SourceLocation::current());

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
