// A file of texts and labels, row by row, with errors that name the file, the line and the column.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/read_table.h"

namespace tool::fine_tune {

class TextTable {
 public:
  // .csv, .tsv, .json and .jsonl, as datasets::read_table_file takes them. `column_names` for files
  // without a heading. No rows are a DataLoss.
  explicit TextTable(std::string path, const systolic::datasets::ColumnNames& column_names = {});

  const std::string& path() const { return path_; }
  int64_t rows() const { return columns_.front().second.size(); }
  std::vector<std::string> column_names() const;
  // The first of these names that it has; "": none.
  std::string find(const std::vector<std::string>& names) const;
  // Like find; none of them is a DataLoss that lists what there is.
  std::string require(const std::vector<std::string>& names) const;
  // Whole numbers are texts, too. DataLoss for a column of others.
  std::vector<std::string> texts(const std::string& column) const;
  const systolic::Literal& array(const std::string& column) const;
  systolic::Literal row(const std::string& column, int64_t row) const;
  // A DataLoss: "'train.csv', line 3, column 'label': WHAT, expected WANTED".
  [[noreturn]] void damaged(int64_t row, const std::string& column, const std::string& what,
                            const std::string& wanted) const;

 private:
  const systolic::datasets::Column& column(const std::string& name) const;
  int64_t line_of(int64_t row) const;

  std::string path_;
  std::vector<std::pair<std::string, systolic::datasets::Column>> columns_;
  bool has_heading_;
};

}  // namespace tool::fine_tune
