#include "tools/systolic/fine_tune/text_table.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

bool is_json(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

}  // namespace

TextTable::TextTable(std::string path, const datasets::ColumnNames& column_names)
    : path_(std::move(path)), has_heading_(!is_json(path_) && column_names.empty()) {
  if (!datasets::is_table_file(path_)) {
    raise<InvalidArgument>({.what = str("'", path_, "' does not say what it holds"),
                            .wanted = "a .csv, .tsv, .json or .jsonl file"});
  }
  columns_ = datasets::read_table_file(path_, column_names, {});
  if (columns_.empty() || rows() == 0) {
    raise<DataLoss>({.what = str("'", path_, "', line 1: no rows"),
                     .wanted = "a row of texts for each sample, after the columns' names"});
  }
}

std::vector<std::string> TextTable::column_names() const {
  std::vector<std::string> names;
  for (const auto& [name, column] : columns_) names.push_back(name);
  return names;
}

std::string TextTable::find(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    for (const auto& [known, column] : columns_) {
      if (known == name) return known;
    }
  }
  return "";
}

std::string TextTable::require(const std::vector<std::string>& names) const {
  const std::string found = find(names);
  if (!found.empty()) return found;
  raise<DataLoss>({.what = str("'", path_, "', line 1: no column '", names.front(), "'"),
                   .got = join(column_names(), ", "),
                   .wanted = names.size() > 1 ? join(names, " or ") : std::string()});
}

const datasets::Column& TextTable::column(const std::string& name) const {
  const auto found =
      std::ranges::find_if(columns_, [&](const auto& each) { return each.first == name; });
  ensure(found != columns_.end(), "a column that was found before");
  return found->second;
}

const Literal& TextTable::array(const std::string& name) const { return column(name).array(); }

Literal TextTable::row(const std::string& name, int64_t row) const { return column(name)[row]; }

std::vector<std::string> TextTable::texts(const std::string& name) const {
  const Literal& values = array(name);
  if (values.dtype() == DType::string && values.rank() == 1) return column(name).strings();
  if (values.dtype() != DType::i64 || values.rank() != 1)
    damaged(0, name, str("numbers, ", values.dtype(), values.shape()), "texts");
  std::vector<std::string> texts;
  for (int64_t row = 0; row < values.size(); ++row) texts.push_back(str(values.integer_at(row)));
  return texts;
}

// Lines are counted again: quotes of a CSV file may hold ends of lines, and empty lines count for
// no row.
int64_t TextTable::line_of(int64_t row) const {
  const std::string bytes = io::read_file(path_, {});
  const bool has_quotes = path_.ends_with(".csv");
  int64_t line = 1, begin = 1, left = row + (has_heading_ ? 1 : 0);
  bool quoted = false, empty = true;
  for (const char c : bytes) {
    if (c == '"' && has_quotes) quoted = !quoted;
    if (c == '\n') ++line;
    if (c == '\n' && !quoted) {
      if (!empty && left-- == 0) break;
      begin = line;
      empty = true;
    } else if (c != '\r') {
      empty = false;
    }
  }
  return begin;
}

void TextTable::damaged(int64_t row, const std::string& column, const std::string& what,
                        const std::string& wanted) const {
  raise<DataLoss>(
      {.what = str("'", path_, "', line ", line_of(row), ", column '", column, "': ", what),
       .wanted = wanted});
}

}  // namespace tool::fine_tune
