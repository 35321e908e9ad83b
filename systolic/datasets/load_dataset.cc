#include "systolic/datasets/load_dataset.h"

#include <mutex>

#include "systolic/base/error.h"
#include "systolic/datasets/find_source.h"
#include "systolic/datasets/read_table.h"
#include "systolic/io/file_system.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

bool is_file_kind(std::string_view path) {
  return path == "csv" || path == "tsv" || path == "json";
}

Column column_of(const FeatureInfo& feature, std::vector<Literal> values) {
  const bool packed = feature.kind == FeatureInfo::Kind::image && !values.empty() &&
                      values.front().dtype() == DType::string;
  if (packed) {
    std::vector<std::string_view> files;
    for (const Literal& value : values) files.push_back(value.bytes());
    return Column(Literal::strings(files, Shape{static_cast<int64_t>(files.size())}),
                  [feature](const Literal& file) { return decoded_feature(feature, file); });
  }
  for (Literal& value : values) value = decoded_feature(feature, value);
  return Column(std::move(values));
}

Table table_of(const Source& source, std::string_view split) {
  const std::vector<FeatureInfo>& features = source.info.features;
  const data::ElementFunction read = source.reader(features);
  std::vector<std::vector<Literal>> values(features.size());
  for (const Example& stored : stored_elements(source, split, {})) {
    const Example element = read(stored);
    for (size_t i = 0; i < features.size(); ++i) {
      if (const Literal* value = element.find(features[i].name)) values[i].push_back(*value);
    }
  }
  Table::Columns columns;
  for (size_t i = 0; i < features.size(); ++i) {
    if (!values[i].empty())
      columns.emplace_back(features[i].name, column_of(features[i], std::move(values[i])));
  }
  return Table(std::move(columns));
}

}  // namespace

struct DatasetTables::State {
  std::optional<Source> source;
  std::map<std::string, std::string> files;  // where there is no source
  std::mutex mutex;
  TableParts read;

  Table make(std::string_view split) const {
    if (source) return table_of(*source, split);
    const auto file = files.find(std::string(split));
    if (file != files.end()) return Table(read_table_file(file->second, {}));
    std::vector<std::string> names;
    for (const auto& each : files) names.push_back(each.first);
    raise<NotFound>(
        {.what = str("there is no split '", split, "'"), .wanted = str("one of: ", join(names))});
  }
};

Table DatasetTables::operator[](std::string_view split) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->read.find(split);
  if (found != state_->read.end()) return found->second;
  return state_->read.emplace(std::string(split), state_->make(split)).first->second;
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
  return DatasetTables(state);
}

DatasetTables load_dataset(std::string_view path, std::string_view name,
                           const LoadDatasetOptions& options, SourceLocation location) {
  return load_dataset(str(path, "/", name), options, location);
}

}  // namespace datasets
}  // namespace systolic::inline v0
