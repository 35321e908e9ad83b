#include "systolic/datasets/tables/table.h"

#include <algorithm>
#include <unordered_set>

#include "systolic/base/error.h"
#include "systolic/datasets/tables/mapped_rows.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

Table::Columns columns_of(const Example& arrays, SourceLocation location) {
  Table::Columns columns;
  for (const auto& [name, array] : arrays) {
    if (array.rank() == 0) {
      raise<InvalidArgument>({.what = str("column '", name, "' is a scalar"),
                              .wanted = "an array with an axis of rows",
                              .location = location});
    }
    columns.emplace_back(name, Column(array));
  }
  return columns;
}

}  // namespace

Table::Table(Columns columns, SourceLocation location) {
  rows_ = columns.empty() ? 0 : columns.front().second.size();
  std::unordered_set<std::string_view> names;
  for (const auto& [name, column] : columns) {
    if (!names.insert(name).second) {
      raise<InvalidArgument>(
          {.what = str("two columns are named '", name, "'"), .location = location});
    }
    if (column.size() == rows_) continue;
    raise<InvalidArgument>({.what = str("column '", name, "' has ", column.size(), " rows"),
                            .wanted = str(rows_, ", as '", columns.front().first, "'"),
                            .location = location});
  }
  columns_ = std::make_shared<const Columns>(std::move(columns));
}

Table::Table(const Example& columns, SourceLocation location)
    : Table(columns_of(columns, location), location) {}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const auto& column : *columns_) names.push_back(column.first);
  return names;
}

const Column& Table::operator[](NameAt asked) const {
  for (const auto& [known, column] : *columns_) {
    if (known == asked.name) return column;
  }
  const std::vector<std::string> closest = closest_names(asked.name, column_names(), 1);
  raise<NotFound>({.what = str("the table has no column '", asked.name, "'"),
                   .wanted = str("one of: ", join(column_names())),
                   .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'"),
                   .location = asked.location});
}

bool Table::contains(std::string_view name) const {
  return std::any_of(columns_->begin(), columns_->end(),
                     [&](const auto& column) { return column.first == name; });
}

Example Table::row(int64_t i) const {
  Example::Components parts;
  for (const auto& [name, column] : *columns_) parts.push_back({name, column[i]});
  return Example(std::move(parts));
}

Table Table::with_columns(const Columns& added, const std::vector<std::string>& removed,
                          SourceLocation location) const {
  const auto replaced = [&](const std::string& name) {
    return std::find(removed.begin(), removed.end(), name) != removed.end() ||
           std::any_of(added.begin(), added.end(),
                       [&](const auto& column) { return column.first == name; });
  };
  Columns columns;
  for (const auto& column : *columns_) {
    if (!replaced(column.first)) columns.push_back(column);
  }
  columns.insert(columns.end(), added.begin(), added.end());
  return Table(std::move(columns), location);
}

Table Table::map_rows(data::ElementFunction function, const FunctionIdentity& identity,
                      const TableMapOptions& options, SourceLocation location) const {
  for (const std::string& name : options.remove_columns) (*this)[{name, location}];
  const std::vector<Example> rows =
      mapped_rows(*this, std::move(function), identity, options, location);
  Columns added;
  for (size_t c = 0; !rows.empty() && c < rows.front().size(); ++c) {
    std::vector<Literal> values;
    for (const Example& row : rows) values.push_back(row.value(c));
    added.emplace_back(rows.front().name(c), Column(std::move(values)));
  }
  return with_columns(added, options.remove_columns, location);
}

Table Table::filter_rows(data::ElementPredicate predicate, SourceLocation location) const {
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < rows_; ++i) {
    try {
      if (predicate(row(i))) kept.push_back(i);
    } catch (...) {
      data::rethrow_naming_element("filter", location, i);
    }
  }
  return select(kept, location);
}

Table Table::select(const std::vector<int64_t>& rows, SourceLocation location) const {
  for (const int64_t row : rows) {
    if (row >= 0 && row < rows_) continue;
    raise<OutOfRange>({.what = str("row ", row, " of a table of ", rows_), .location = location});
  }
  Columns columns;
  for (const auto& [name, column] : *columns_) columns.emplace_back(name, column.rows(rows));
  return Table(std::move(columns), location);
}

Table Table::remove_columns(const std::vector<std::string>& names, SourceLocation location) const {
  for (const std::string& name : names) (*this)[{name, location}];
  return with_columns({}, names, location);
}

Table Table::rename_column(std::string_view from, std::string_view to,
                           SourceLocation location) const {
  (*this)[{from, location}];
  Columns columns;
  for (const auto& [name, column] : *columns_)
    columns.emplace_back(name == from ? std::string(to) : name, column);
  return Table(std::move(columns), location);
}

Table concatenated(const Table& first, const Table& second, SourceLocation location) {
  if (first.column_names() != second.column_names()) {
    raise<InvalidArgument>({.what = str("a table of ", join(second.column_names())),
                            .wanted = str(join(first.column_names()), ", as the first one"),
                            .location = location});
  }
  Table::Columns columns;
  for (const std::string& name : first.column_names())
    columns.emplace_back(name, first[{name, location}].followed_by(second[{name, location}]));
  return Table(std::move(columns), location);
}

const Table& TableParts::operator[](NameAt name) const& {
  if (const auto found = tables_.find(name.name); found != tables_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& one : tables_) names.push_back(one.first);
  raise<NotFound>({.what = str("there is no part '", name.name, "'"),
                   .wanted = str("one of ", join(names)),
                   .location = name.location});
}

data::Dataset Table::dataset() const {
  return data::range(rows_).map(
      [table = *this](const Example& index) { return table.row(index.only().item<int64_t>()); });
}

uint32_t Table::checksum() const {
  uint32_t sum = 0;
  for (const auto& [name, column] : *columns_)
    sum = column.checksum(io::crc32c(name.data(), name.size(), sum));
  return sum;
}

std::string to_string(const Table& table) {
  const std::string rows = str(table.num_rows(), table.num_rows() == 1 ? " row" : " rows");
  if (table.num_rows() == 0) return str("{", join(table.column_names()), "}, ", rows);
  return str(to_string(table.row(0)), ", ", rows);
}

}  // namespace datasets
}  // namespace systolic::inline v0
