#include "systolic/datasets/load_dataset.h"

#include <mutex>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/catalog.h"
#include "systolic/datasets/find_source.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

bool is_file_kind(std::string_view path) {
  return path == "csv" || path == "tsv" || path == "json";
}

Column column_of(const FeatureInfo& feature, std::vector<Literal> values) {
  const bool packed = feature.kind == FeatureInfo::Kind::image && feature.sequence_rank == 0 &&
                      !values.empty() && values.front().dtype() == DType::string;
  if (packed) {
    std::vector<std::string_view> files;
    for (const Literal& value : values) files.push_back(value.bytes());
    return Column(Literal::strings(files, Shape{static_cast<int64_t>(files.size())}),
                  [feature](const Literal& file) { return decoded_feature(feature, file); });
  }
  for (Literal& value : values) value = decoded_feature(feature, value);
  return Column(std::move(values));
}

// A feature for each array of an element: row splits are features of their own.
std::vector<FeatureInfo> arrays_of(const std::vector<FeatureInfo>& features) {
  std::vector<FeatureInfo> arrays;
  for (const FeatureInfo& feature : features) {
    arrays.push_back(feature);
    for (const std::string& name : feature.row_split_names())
      arrays.push_back({name, FeatureInfo::Kind::tensor, DType::i64, Shape{-1}});
  }
  return arrays;
}

Table table_of(const Source& source, std::string_view split) {
  const data::ElementFunction read = source.reader(source.info.features);
  const std::vector<FeatureInfo> features = arrays_of(source.info.features);
  std::vector<std::vector<Literal>> values(features.size());
  std::vector<Literal> paths;  // of pictures that are files of their own
  for (const Example& stored : stored_elements(source, split, {}, {})) {
    const Example element = read(stored);
    if (element.contains("image/filename") && stored.contains("path"))
      paths.push_back(stored["path"]);
    for (size_t i = 0; i < features.size(); ++i) {
      if (const Literal* value = element.find(features[i].name)) values[i].push_back(*value);
    }
  }
  Table::Columns columns;
  if (!paths.empty()) columns.emplace_back("image_file_path", Column(std::move(paths)));
  for (size_t i = 0; i < features.size(); ++i) {
    if (!values[i].empty())
      columns.emplace_back(features[i].name, column_of(features[i], std::move(values[i])));
  }
  return Table(std::move(columns));
}

// The rows of one table after those of the other, which has the same columns.
Table joined(const Table& first, const Table& second) {
  Table::Columns columns;
  for (const std::string& name : first.column_names()) {
    std::vector<Literal> rows;
    for (const Table* table : {&first, &second}) {
      const Column& column = (*table)[name];
      for (int64_t i = 0; i < column.size(); ++i) rows.push_back(column[i]);
    }
    columns.emplace_back(name, Column(std::move(rows)));
  }
  return Table(std::move(columns));
}

}  // namespace

struct DatasetTables::State {
  std::optional<Source> source;
  std::string label = "label";               // for a source: the labels' column
  std::map<std::string, std::string> files;  // where there is no source
  ColumnNames without_header;                // of those files
  std::mutex mutex;
  std::map<std::string, Table, std::less<>> read;

  // The table of a split or of parts of splits; the mutex is held.
  const Table& table(std::string_view split) {
    const auto found = read.find(split);
    if (found != read.end()) return found->second;
    return read.emplace(std::string(split), source ? of_source(split) : of_files(split))
        .first->second;
  }

 private:
  Table of_source(std::string_view split) {
    const Table rows = table_of(*source, split);
    return rows.contains("label") ? rows.rename_column("label", label) : rows;
  }
  Table of_files(std::string_view split) {
    const auto file = files.find(std::string(split));
    if (file != files.end()) return Table(read_table_file(file->second, without_header));
    std::optional<Table> all;
    SplitSizes sizes;
    for (const auto& each : files) sizes.names.push_back(each.first);
    sizes.size_of = [&](const std::string& name) { return SplitSize{whole(name).num_rows()}; };
    for (const SplitPart& part : split_parts(split, sizes, {})) {
      Table rows = whole(part.name);
      if (part.count >= 0) {
        std::vector<int64_t> wanted(static_cast<size_t>(part.count));
        std::iota(wanted.begin(), wanted.end(), part.begin);
        rows = rows.select(wanted);
      }
      all = all ? joined(*all, rows) : rows;
    }
    return *all;
  }
  const Table& whole(const std::string& name) {
    if (files.count(name) != 0) return table(name);
    std::vector<std::string> names;
    for (const auto& each : files) names.push_back(each.first);
    raise<NotFound>(
        {.what = str("there is no split '", name, "'"), .wanted = str("one of: ", join(names))});
  }
};

Table DatasetTables::operator[](NameAt split) const {
  const std::lock_guard lock(state_->mutex);
  try {
    return state_->table(split.name);
  } catch (const Error& error) {
    error.rethrow_within(str("split \"", split.name, "\""), split.location);
  }
}

std::vector<std::string> DatasetTables::split_names() const {
  std::vector<std::string> names;
  if (state_->source) {
    for (const SplitInfo& split : state_->source->info.splits) names.push_back(split.name);
  }
  for (const auto& file : state_->files) names.push_back(file.first);
  return names;
}

DatasetTables load_dataset(std::string_view path, const LoadDatasetOptions& options,
                           SourceLocation location) {
  const auto state = std::make_shared<DatasetTables::State>();
  if (options.data_files.empty()) {
    state->source =
        find_source(path, {.data_dir = options.data_dir, .download = options.download}, location);
    if (const KnownDataset* known = find_known(path)) state->label = known->table_label;
    return DatasetTables(state);
  }
  for (const auto& [split, file] : options.data_files) {
    if (is_file_kind(path) && is_table_file(file)) continue;
    raise<InvalidArgument>({.what = str("load_dataset(\"", path, "\") of '", file, "'"),
                            .wanted = "\"csv\", \"tsv\" or \"json\", and files of these endings",
                            .location = location});
  }
  for (const auto& file : options.data_files)
    io::file_system(file.second, location).open(file.second, location);
  state->files = options.data_files;
  if (!options.column_names.empty()) state->without_header = {options.column_names};
  return DatasetTables(state);
}

DatasetTables load_dataset(std::string_view path, std::string_view name,
                           const LoadDatasetOptions& options, SourceLocation location) {
  return load_dataset(str(path, "/", name), options, location);
}

}  // namespace datasets
}  // namespace systolic::inline v0
