// train.tsv, dev.csv, test.jsonl: a table for each split.
#include <algorithm>
#include <map>
#include <set>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/catalog.h"
#include "systolic/datasets/source.h"
#include "systolic/datasets/tables/exact_integer.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_names = 100'000;

using Columns = std::vector<std::pair<std::string, Column>>;

FeatureInfo feature_of(const std::string& name, const Column& column, const KnownDataset* known) {
  const Literal first = column.size() > 0 ? column[0] : Literal();
  if (first.dtype() == DType::string && first.rank() == 0)
    return {name, FeatureInfo::Kind::text, DType::string};
  if (name == "label" && first.dtype() == DType::i64 && first.rank() == 0) {
    FeatureInfo label{name, FeatureInfo::Kind::class_label, DType::i64};
    if (known != nullptr) label.class_names = known->class_names;
    label.num_classes = static_cast<int64_t>(label.class_names.size());
    return label;
  }
  return {name, FeatureInfo::Kind::tensor, first.dtype(), first.rank() == 0 ? Shape{} : Shape{-1}};
}

std::vector<std::string> supervised_keys_of(const std::vector<FeatureInfo>& features) {
  std::vector<std::string> texts;
  bool label = false;
  for (const FeatureInfo& feature : features) {
    if (feature.kind == FeatureInfo::Kind::text) texts.push_back(feature.name);
    label = label || feature.name == "label";
  }
  if (texts.size() != 1 || !label) return {};
  return {texts[0], "label"};
}

data::Dataset rows_of(const Columns& columns) {
  const int64_t rows = columns.front().second.size();
  return data::range(rows).map([columns](const Example& index) {
    const int64_t row = index.only().item<int64_t>();
    Example element;
    for (const auto& [name, column] : columns) element.set(name, column[row]);
    return element;
  });
}

bool has_type(const Column& column, DType dtype) {
  return column.size() > 0 && column[0].dtype() == dtype;
}

Column in_double(const std::string& name, const Column& column) {
  std::vector<Literal> rows;
  for (int64_t i = 0; i < column.size(); ++i) {
    const Literal row = column[i];
    for (int64_t j = 0; j < row.size(); ++j) {
      if (is_exact_in_double(row.integer_at(j))) continue;
      raise<DataLoss>({.what = str("column '", name, "' holds ", row.integer_at(j),
                                   " in one split, and fractions or gaps in another"),
                       .wanted = "integers that double precision holds, or only integers"});
    }
    rows.push_back(row.convert(DType::f64));
  }
  return Column(std::move(rows));
}

// One type in all splits: what is whole in one and has fractions or gaps in another is f64 in both.
// Labels stay as they are: those of a test are often missing.
void widen(std::map<std::string, Columns>& splits) {
  std::set<std::string> wide;
  for (const auto& split : splits) {
    for (const auto& [name, column] : split.second) {
      if (has_type(column, DType::f64) && name != "label") wide.insert(name);
    }
  }
  for (auto& split : splits) {
    for (auto& [name, column] : split.second) {
      if (has_type(column, DType::i64) && wide.count(name) != 0) column = in_double(name, column);
    }
  }
}

// The folder's files by the names of their splits.
std::map<std::string, std::string> table_files_of(const std::string& folder,
                                                  SourceLocation location) {
  std::map<std::string, std::string> files;
  for (const std::string& name : io::file_system(folder).list(folder, most_names, location)) {
    if (!is_table_file(name)) continue;
    const std::string split = split_name_of(name.substr(0, name.rfind('.')));
    if (split == "train" || split == "validation" || split == "test")
      files.emplace(split, str(folder, "/", name));
  }
  return files;
}

// These features of a row. A test split may lack what it asks for.
data::ElementFunction reader_of_rows(const std::vector<FeatureInfo>& features) {
  return [features](const Example& row) {
    Example element;
    for (const FeatureInfo& feature : features) {
      if (const Literal* value = row.find(feature.name)) element.set(feature.name, *value);
    }
    return element;
  };
}

}  // namespace

std::optional<Source> tables_source(const std::string& folder, const SourceQuery& query) {
  const KnownDataset* known = find_known(query.name);
  const std::map<std::string, std::string> files = table_files_of(folder, query.location);
  if (files.empty()) return {};
  Source source{.info = {.name = query.name, .version = ""}};
  std::map<std::string, Columns> tables;
  for (const auto& [split, file] : files) {
    tables[split] = read_table_file(file, known != nullptr ? known->column_names : ColumnNames{},
                                    query.location);
  }
  widen(tables);
  std::map<std::string, data::Dataset> stored;
  for (const char* split : {"train", "validation", "test"}) {
    const auto table = tables.find(split);
    if (table == tables.end()) continue;
    const Columns& columns = table->second;
    source.info.splits.push_back({split, columns.front().second.size(), {files.at(split)}});
    stored.emplace(split, rows_of(columns));
    if (!source.info.features.empty()) continue;
    for (const auto& [name, column] : columns)
      source.info.features.push_back(feature_of(name, column, known));
  }
  source.info.supervised_keys = supervised_keys_of(source.info.features);
  source.stored = [stored = std::move(stored)](const SplitInfo& split) {
    return stored.at(split.name);
  };
  source.reader = reader_of_rows;
  return source;
}

}  // namespace datasets
}  // namespace systolic::inline v0
