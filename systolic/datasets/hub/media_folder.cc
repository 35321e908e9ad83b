#include "systolic/datasets/hub/media_folder.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/datasets/directory/decode_wav.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/datasets/hub/arrow_table.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr std::string_view file_name = "file_name";

bool is_metadata(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "metadata.csv" || name == "metadata.jsonl" || name == "metadata.parquet";
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string column_name(Media media) { return media == Media::image ? "image" : "audio"; }

Literal picture_at(const Literal& path) {
  const std::string file(path.bytes());
  const ErrorScope scope(file, {});
  return image::decode_image(read_picture_file(file), {.channels = 0}, {});
}
Literal sound_at(const Literal& path) {
  const std::string file(path.bytes());
  const ErrorScope scope(file, {});
  return decode_wav(io::read_file(file)).samples;
}
Literal rate_at(const Literal& path) {
  const std::string file(path.bytes());
  const ErrorScope scope(file, {});
  return Literal::scalar<int64_t>(decode_wav(io::read_file(file), 0).sampling_rate);
}

void add_media(Media media, const std::string& name, const std::vector<std::string>& paths,
               Table::Columns& columns) {
  const Literal stored = Literal::strings(paths);
  if (media == Media::image) {
    columns.emplace_back(name, Column(stored, picture_at));
    return;
  }
  columns.emplace_back(name, Column(stored, sound_at));
  columns.emplace_back(name + ".sampling_rate", Column(stored, rate_at));
}

// Sorted names of the folders that hold the files; none where they are no classes.
std::vector<std::string> classes_of(const DataFiles::Splits& splits) {
  std::set<std::string> names;
  std::set<std::ptrdiff_t> depths;
  for (const auto& [split, paths] : splits) {
    for (const std::string& path : paths) {
      if (is_metadata(path)) return {};
      const std::string folder = folder_of(path);
      names.insert(folder.substr(folder.rfind('/') + 1));
      depths.insert(std::count(path.begin(), path.end(), '/'));
    }
  }
  if (names.size() < 2 || depths.size() != 1) return {};
  return {names.begin(), names.end()};
}

Table of_files(Media media, const std::vector<std::string>& paths,
               const std::vector<std::string>& classes) {
  Table::Columns columns;
  add_media(media, column_name(media), paths, columns);
  if (classes.empty()) return Table(std::move(columns));
  std::vector<int64_t> labels;
  for (const std::string& path : paths) {
    const std::string folder = folder_of(path);
    const auto found =
        std::lower_bound(classes.begin(), classes.end(), folder.substr(folder.rfind('/') + 1));
    labels.push_back(found - classes.begin());
  }
  columns.emplace_back(
      "label", Column(Literal::from(labels, {std::ssize(labels)})).with_class_names(classes));
  return Table(std::move(columns));
}

// The file that metadata name, which may not lie elsewhere.
std::string named_file(const std::string& metadata, const std::string& name,
                       SourceLocation location) {
  const bool inside = !name.empty() && !name.starts_with('/') && name.find("://") == name.npos &&
                      str("/", name, "/").find("/../") == std::string::npos;
  if (inside) return str(folder_of(metadata), "/", name);
  raise<DataLoss>({.what = str("'", metadata, "' names the file '", name, "'"),
                   .wanted = "a path below its folder",
                   .location = location});
}

Table::Columns columns_of(const std::string& metadata, SourceLocation location) {
  if (metadata.ends_with(".parquet")) return read_arrow_files({metadata}, {}, location);
  Table::Columns columns;
  for (auto& one : read_table_file(metadata, {}, location)) columns.push_back(std::move(one));
  return columns;
}

Table of_metadata(Media media, const std::string& metadata, SourceLocation location) {
  Table::Columns columns;
  bool any = false;
  for (const auto& [name, column] : columns_of(metadata, location)) {
    if (!name.ends_with(file_name)) {
      columns.emplace_back(name, column);
      continue;
    }
    any = true;
    std::vector<std::string> paths;
    for (const std::string& each : column.strings(location))
      paths.push_back(named_file(metadata, each, location));
    const size_t rest = name.size() - file_name.size();
    add_media(media, rest > 1 ? name.substr(0, rest - 1) : column_name(media), paths, columns);
  }
  if (any) return Table(std::move(columns), location);
  raise<DataLoss>(
      {.what = str("'", metadata, "' has no column 'file_name'"), .location = location});
}

}  // namespace

Endings media_endings(Media media) {
  Endings endings = {"metadata.csv", "metadata.jsonl", "metadata.parquet"};
  const Endings files =
      media == Media::image
          ? Endings{".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff"}
          : Endings{".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aiff"};
  for (const std::string& ending : files) {
    std::string capitals = ending;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    endings.push_back(ending);
    endings.push_back(capitals);
  }
  return endings;
}

Table media_folder_table(Media media, const DataFiles::Splits& splits, const std::string& split,
                         SourceLocation location) {
  std::vector<std::string> files, metadata;
  for (const std::string& path : splits.at(split))
    (is_metadata(path) ? metadata : files).push_back(path);
  if (metadata.empty()) return of_files(media, files, classes_of(splits));
  std::optional<Table> all;
  for (const std::string& path : metadata) {
    const Table one = of_metadata(media, path, location);
    all = all ? concatenated(*all, one) : one;
  }
  return *all;
}

}  // namespace datasets
}  // namespace systolic::inline v0
