#include "systolic/datasets/hub/file_tables.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/hub/arrow_table.h"
#include "systolic/datasets/hub/media_folder.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/datasets/tables/text_encoding.h"
#include "systolic/io/files/byte_source.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_text_bytes = size_t{1} << 34;

struct FileKind {
  std::string name;
  Endings endings;
};

const std::vector<FileKind>& kinds() {
  static const std::vector<FileKind> all = {{"parquet", {".parquet"}},
                                            {"arrow", {".arrow", ".feather", ".ipc"}},
                                            {"csv", {".csv"}},
                                            {"tsv", {".tsv"}},
                                            {"json", {".json", ".jsonl", ".ndjson"}},
                                            {"text", {".txt"}},
                                            {"imagefolder", media_endings(Media::image)},
                                            {"audiofolder", media_endings(Media::audio)}};
  return all;
}

const FileKind* find_kind(std::string_view name) {
  for (const FileKind& kind : kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool is_arrow_kind(std::string_view kind) { return kind == "parquet" || kind == "arrow"; }
bool is_media_kind(std::string_view kind) { return kind.ends_with("folder"); }

[[noreturn]] void raise_no_files(const FileKind& kind, const std::string& folder,
                                 SourceLocation location) {
  const std::string wanted = str("files that end with ", join(kind.endings, " or "));
  raise<NotFound>({.what = folder.empty()
                               ? str("load_dataset(\"", kind.name, "\") without files")
                               : str("no ", kind.name, " files in the folder '", folder, "'"),
                   .wanted = wanted,
                   .hint = str("name them: {.data_files = {{\"train\", \"mine", kind.endings[0],
                               "\"}}}, or their folder: {.data_dir = \"data\"}"),
                   .location = location});
}

DataFiles::Splits files_of(const FileKind& kind, const LoadDatasetOptions& options,
                           SourceLocation location) {
  if (options.data_files.empty()) {
    if (options.data_dir.empty()) raise_no_files(kind, "", location);
    DataFiles::Splits files =
        files_by_split(options.data_dir, kind.endings, location,
                       is_media_kind(kind.name) ? Subfolders::classes : Subfolders::data_sets);
    if (files.empty()) raise_no_files(kind, options.data_dir, location);
    return files;
  }
  DataFiles::Splits files = options.data_files.splits();
  for (auto& [split, paths] : files) paths = expanded_paths(paths, kind.endings, location);
  return files;
}

void check_endings(const FileKind& kind, const std::vector<std::string>& paths,
                   SourceLocation location) {
  for (const std::string& path : paths) {
    const bool by_content = is_arrow_kind(kind.name) || is_media_kind(kind.name);
    if (by_content || kind.name == "text" || is_table_file(path)) continue;
    raise<InvalidArgument>({.what = str("load_dataset(\"", kind.name, "\") of '", path, "'"),
                            .wanted = "\"csv\", \"tsv\" or \"json\", and files of these endings",
                            .location = location});
  }
}

}  // namespace

bool is_file_kind(std::string_view name) { return find_kind(name) != nullptr; }

std::vector<std::string> file_kind_names() {
  std::vector<std::string> names;
  for (const FileKind& kind : kinds()) names.push_back(kind.name);
  return names;
}

FileTables::FileTables(std::string kind, DataFiles::Splits files, LoadDatasetOptions options,
                       SourceLocation location)
    : kind_(std::move(kind)),
      files_(std::move(files)),
      options_(std::move(options)),
      location_(location) {}

FileTables::FileTables(std::string_view kind, const LoadDatasetOptions& options,
                       SourceLocation location)
    : FileTables(std::string(kind), files_of(*find_kind(kind), options, location), options,
                 location) {
  for (const auto& [split, paths] : files_) {
    check_endings(*find_kind(kind_), paths, location);
    io::check_readable(paths, location);
  }
}

std::optional<FileTables> FileTables::in_folder(const std::string& folder,
                                                const LoadDatasetOptions& options,
                                                SourceLocation location) {
  if (auto saved = files_saved_to_disk(folder, location))
    return FileTables("arrow", *std::move(saved), options, location);
  for (const char* kind : {"parquet", "arrow"}) {
    DataFiles::Splits files =
        files_by_split(folder, find_kind(kind)->endings, location, Subfolders::data_sets);
    if (!files.empty()) return FileTables(kind, std::move(files), options, location);
  }
  return {};
}

std::vector<std::string> FileTables::split_names() const {
  std::vector<std::string> names;
  for (const auto& each : files_) names.push_back(each.first);
  return names;
}

Table FileTables::table(const std::string& split) const {
  const std::vector<std::string>& paths = files_.at(split);
  if (is_arrow_kind(kind_))
    return Table(read_arrow_files(paths, options_.columns, location_), location_);
  if (is_media_kind(kind_)) {
    const Media media = kind_ == "imagefolder" ? Media::image : Media::audio;
    return media_folder_table(media, files_, split, location_);
  }
  std::optional<Table> all;
  for (const std::string& path : paths) {
    const Table one = file_table(path);
    all = all ? concatenated(*all, one) : one;
  }
  return *all;
}

Table FileTables::file_table(const std::string& path) const {
  if (kind_ == "text") {
    const std::string bytes = io::read_possibly_gzipped(path, most_text_bytes, location_);
    const std::string_view text = utf8_text(path, bytes, location_);
    return Table(Example{{"text", read_text(text, options_.sample_by)}});
  }
  ColumnNames names;
  if (!options_.column_names.empty()) names = {options_.column_names};
  return Table(read_table_file(path, names, location_, options_.field), location_);
}

std::optional<data::Dataset> FileTables::stream(const std::string& split) const {
  if (!is_arrow_kind(kind_)) return {};
  return stream_arrow_files(files_.at(split), options_.columns, location_);
}

}  // namespace datasets
}  // namespace systolic::inline v0
