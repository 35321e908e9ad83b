#include "systolic/datasets/load_dataset.h"

#include <mutex>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/catalog.h"
#include "systolic/datasets/find_source.h"
#include "systolic/datasets/hub/file_tables.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

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

// Parquet or Arrow files in the folder of that name.
std::optional<FileTables> files_in_folder(std::string_view path, const LoadDatasetOptions& options,
                                          SourceLocation location) {
  std::vector<std::string> folders;
  if (is_place(path)) {
    folders.emplace_back(path);
  } else {
    const std::string root = options.data_dir.empty() ? default_data_dir() : options.data_dir;
    folders.push_back(str(root, "/", path));
    if (!options.data_dir.empty()) folders.push_back(root);
  }
  for (const std::string& folder : folders) {
    if (auto tables = FileTables::in_folder(folder, options, location)) return tables;
  }
  return {};
}

}  // namespace

struct DatasetTables::State {
  std::optional<Source> source;
  std::string label = "label";      // for a source: the labels' column
  std::optional<FileTables> files;  // where there is no source
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
    if (files->contains(std::string(split))) return files->table(std::string(split));
    std::optional<Table> all;
    SplitSizes sizes;
    sizes.names = files->split_names();
    sizes.size_of = [&](const std::string& name) { return SplitSize{whole(name).num_rows()}; };
    for (const SplitPart& part : split_parts(split, sizes, {})) {
      Table rows = whole(part.name);
      if (part.count >= 0) {
        std::vector<int64_t> wanted(static_cast<size_t>(part.count));
        std::iota(wanted.begin(), wanted.end(), part.begin);
        rows = rows.select(wanted);
      }
      all = all ? concatenated(*all, rows) : rows;
    }
    return *all;
  }
  const Table& whole(const std::string& name) {
    if (files->contains(name)) return table(name);
    raise<NotFound>({.what = str("there is no split '", name, "'"),
                     .wanted = str("one of: ", join(files->split_names()))});
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

data::Dataset DatasetTables::stream(NameAt split) const {
  const std::string name(split.name);
  if (state_->files && state_->files->contains(name)) {
    if (auto rows = state_->files->stream(name)) return *std::move(rows);
  }
  return (*this)[split].dataset();
}

std::vector<std::string> DatasetTables::split_names() const {
  if (state_->files) return state_->files->split_names();
  std::vector<std::string> names;
  for (const SplitInfo& split : state_->source->info.splits) names.push_back(split.name);
  return names;
}

DatasetTables load_dataset(std::string_view path, const LoadDatasetOptions& options,
                           SourceLocation location) {
  const auto state = std::make_shared<DatasetTables::State>();
  if (is_file_kind(path)) {
    state->files.emplace(path, options, location);
    return DatasetTables(state);
  }
  if (!options.data_files.empty()) {
    raise<InvalidArgument>({.what = str("load_dataset(\"", path, "\") with .data_files"),
                            .wanted = str("one of the kinds ", join(file_kind_names())),
                            .location = location});
  }
  state->files = files_in_folder(path, options, location);
  if (state->files) return DatasetTables(state);
  state->source =
      find_source(path, {.data_dir = options.data_dir, .download = options.download}, location);
  if (const KnownDataset* known = find_known(path)) state->label = known->table_label;
  return DatasetTables(state);
}

DatasetTables load_dataset(std::string_view path, std::string_view name,
                           const LoadDatasetOptions& options, SourceLocation location) {
  return load_dataset(str(path, "/", name), options, location);
}

}  // namespace datasets
}  // namespace systolic::inline v0
