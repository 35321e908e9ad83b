// Data sets in TensorFlow Datasets' format: a folder for each version, with dataset_info.json,
// features.json and TFRecord files.
#include <algorithm>
#include <array>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/datasets/forms/record_reader.h"
#include "systolic/datasets/source.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_versions = 10'000;

// "3.0.1" as numbers; nothing for other names.
std::optional<std::array<int64_t, 3>> version_of(const std::string& name) {
  const std::vector<std::string> parts = split(name, '.');
  std::array<int64_t, 3> version{};
  if (parts.size() != version.size()) return {};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parse_number(parts[i], version[i]) || version[i] < 0) return {};
  }
  return version;
}

bool holds_info(const std::string& folder, SourceLocation location) {
  return io::exists(folder + "/dataset_info.json", location);
}

// The folder of the wanted version, or the newest one; empty if there is none.
std::string version_folder(const std::string& folder, const SourceQuery& query) {
  if (!query.version.empty()) {
    const std::string wanted = str(folder, "/", query.version);
    return holds_info(wanted, query.location) ? wanted : "";
  }
  std::pair<std::array<int64_t, 3>, std::string> newest;
  const std::vector<std::string> names =
      io::file_system(folder).list(folder, most_versions, query.location);
  for (const std::string& name : names) {
    const auto version = version_of(name);
    const std::string path = str(folder, "/", name);
    if (version && *version >= newest.first && holds_info(path, query.location))
      newest = {*version, path};
  }
  if (newest.second.empty() && holds_info(folder, query.location)) return folder;
  return newest.second;
}

data::Dataset records_of(const SplitInfo& split, const SourceQuery& query) {
  for (const std::string& file : split.files) {
    if (io::exists(file, query.location)) continue;
    raise<NotFound>({.what = str("'", file, "' is missing"),
                     .wanted = str(split.files.size(), " files for split '", split.name, "'"),
                     .hint = "prepare or copy the data set again",
                     .location = query.location});
  }
  if (split.files.empty()) {
    raise<NotFound>({.what = str("split '", split.name, "' of '", query.name, "' has no files"),
                     .location = query.location});
  }
  return data::tfrecords(split.files, {.num_parallel_reads = query.num_parallel_reads},
                         query.location)
      .assert_cardinality(split.num_examples, query.location);
}

}  // namespace

std::optional<Source> tfds_source(const std::string& folder, const SourceQuery& query) {
  const std::string path = version_folder(folder, query);
  if (path.empty()) return {};
  return Source{
      .info = read_dataset_info(path, query.location),
      .stored = [query](const SplitInfo& split) { return records_of(split, query); },
      .of_file =
          [query](const std::string& file) { return data::tfrecords(file, {}, query.location); },
      .reader = [query](const auto& features) { return record_reader(features, query.location); }};
}

}  // namespace datasets
}  // namespace systolic::inline v0
