#include "systolic/datasets/find_source.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/catalog.h"
#include "systolic/datasets/fetch/download.h"
#include "systolic/datasets/fetch/extract_archive.h"
#include "systolic/datasets/fetch/folder_in_progress.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr std::string_view public_bucket = "gs://tfds-data/datasets";

std::optional<Source> source_in(const std::string& folder, const SourceQuery& query,
                                bool with_pictures = true) {
  if (is_in_progress(folder, query.location)) return {};
  for (const auto& form : {tfds_source, idx_source, tfrecords_source, tables_source}) {
    if (auto source = form(folder, query)) return source;
    if (!query.version.empty()) return {};  // only tfds's form has versions
  }
  return with_pictures ? class_folders_source(folder, query) : std::nullopt;
}

// Whether the folder's own name is one that the data set goes by. Any folder of a home has pictures
// in its folders: a known name does not follow from them alone.
bool is_named_for(const std::string& folder, const KnownDataset& known) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path path = fs::absolute(folder, failed).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return std::any_of(known.folders.begin(), known.folders.end(), [&](const std::string& each) {
    return fs::path(each).filename() == path.filename();
  });
}

// Downloaded files lie next to what they were unpacked to.
void fetch(const KnownDataset& known, const std::string& folder, SourceLocation location) {
  FolderInProgress progress(folder, location);
  if (!progress.is_alone()) return;
  for (const Download& file : known.files) {
    const std::string path = download(file, folder, location);
    if (is_archive(path)) extract_archive(path, folder, {}, location);
  }
  progress.finish();
}

bool is_public(const std::string& folder) {
  return folder == public_bucket || folder.rfind(str(public_bucket, "/"), 0) == 0;
}

// What lies in the first of the folders that has something: the one that was meant; "": nothing is
// known of them.
std::string what_is_there(const std::vector<std::string>& folders, SourceLocation location) {
  constexpr size_t most_named = 50;
  std::string result;
  for (const std::string& folder : folders) {
    if (is_public(folder)) continue;  // it may be far
    if (result.empty()) result = "nothing there";
    try {
      const std::vector<std::string> names =
          io::file_system(folder, location).list(folder, most_named, location);
      if (!names.empty()) return str("in '", folder, "': ", join(names));
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {  // of a place that is only looked at to say more
      result = error.report().what;
    }
  }
  return result;
}

std::string remedy_of(const SourceQuery& query, const FindOptions& options) {
  if (query.name == "csv" || query.name == "tsv" || query.name == "json")
    return str("load_dataset reads files: .data_files = {{\"train\", \"mine.", query.name, "\"}}");
  for (const std::string_view form : {"csv", "tsv", "jsonl", "json"}) {
    if (!std::string_view(query.name).ends_with(str(".", form))) continue;
    return str("load_dataset(\"", form == "jsonl" ? "json" : form,
               "\", {.data_files = {{\"train\", \"", query.name, "\"}}}) reads a file");
  }
  if (!query.version.empty())
    return str("only what tfds prepared has versions; '", query.name, "' takes what there is");
  if (!options.download && find_known(query.name) != nullptr)
    return "leave .download = false out to fetch it; .data_dir or TFDS_DATA_DIR names the folder";
  return "`tfds build` in Python prepares one; .data_dir or TFDS_DATA_DIR names the folder";
}

[[noreturn]] void raise_not_found(const std::string& name, const std::vector<std::string>& folders,
                                  const std::string& refusal, const SourceQuery& query,
                                  const FindOptions& options) {
  raise<NotFound>(
      {.what = str("no data set '", name, "' in '", join(folders, "', '"), "'",
                   refusal.empty() ? "" : str("; ", refusal)),
       .got = what_is_there(folders, query.location),
       .wanted = "<version>/dataset_info.json, TFRecord, IDX or table files, or class folders",
       .hint = remedy_of(query, options),
       .location = query.location});
}

// Folders of `root` that may hold the data set: its own name's, and those of its other names.
std::vector<std::string> folders_in(const std::string& root, const std::string& name,
                                    const KnownDataset* known) {
  if (is_place(name)) return {name};
  std::vector<std::string> folders{str(root, "/", name)};
  if (known == nullptr) return folders;
  for (const std::string& each : known->folders) {
    if (each != name) folders.push_back(str(root, "/", each));
  }
  return folders;
}

// What `open` gives. Without a network the data set may still be found elsewhere, so that such an
// error is no more than a `refusal`.
template <class Open>
std::optional<Source> if_reachable(const Open& open, std::string_view unavailable,
                                   std::string_view denied, std::string& refusal) {
  try {
    return open();
  } catch (const Unavailable& error) {
    refusal = str(unavailable, ": ", error.what());
  } catch (const PermissionDenied& error) {
    refusal = str(denied, ": ", error.what());
  }
  return {};
}

std::optional<Source> fetched_source(const KnownDataset& known, const std::string& root,
                                     const SourceQuery& query) {
  const std::string folder = str(root, "/", known.name);
  fetch(known, folder, query.location);
  return source_in(known.subfolder.empty() ? folder : str(folder, "/", known.subfolder), query);
}

}  // namespace

bool is_place(std::string_view name) {
  return name.starts_with('/') || name.starts_with("./") || name.starts_with("../") ||
         !io::scheme_of(name).empty();
}

std::string default_data_dir() {
  if (const char* given = std::getenv("TFDS_DATA_DIR")) return given;
  const char* home = std::getenv("HOME");
  return str(home == nullptr ? "." : home, "/tensorflow_datasets");
}

Source find_source(std::string_view name, const FindOptions& options, SourceLocation location) {
  const size_t colon = name.find(':', is_place(name) ? name.rfind('/') : 0);
  const std::string plain(name.substr(0, colon));
  const SourceQuery query{
      .name = plain,
      .version = colon == std::string_view::npos ? "" : std::string(name.substr(colon + 1)),
      .num_parallel_reads = options.num_parallel_reads,
      .location = location};
  const std::string root = options.data_dir.empty() ? default_data_dir() : options.data_dir;
  const KnownDataset* known = find_known(plain);
  std::vector<std::string> folders = folders_in(root, plain, known);
  for (const std::string& folder : folders) {
    if (auto source = source_in(folder, query)) return *std::move(source);
  }
  if (!options.data_dir.empty()) {
    folders.push_back(root);
    const bool with_pictures = known == nullptr || is_named_for(root, *known);
    if (auto source = source_in(root, query, with_pictures)) return *std::move(source);
  }
  std::string refusal;
  for (const std::string& folder : folders) {
    if (is_in_progress(folder, location))
      refusal = str("the download into '", folder, "' was not finished");
  }
  if (options.try_gcs) {
    folders.insert(folders.begin(), str(public_bucket, "/", plain));
    const auto open = [&] { return tfds_source(folders.front(), query); };
    if (auto source = if_reachable(open, "try_gcs", "try_gcs", refusal)) return *std::move(source);
  }
  const bool local = io::scheme_of(root).empty();
  if (options.download && local && query.version.empty() && known != nullptr) {
    const auto open = [&] { return fetched_source(*known, root, query); };
    auto source = if_reachable(open, "the download failed", "the download was refused", refusal);
    if (source) return *std::move(source);
  }
  raise_not_found(std::string(name), folders, refusal, query, options);
}

}  // namespace datasets
}  // namespace systolic::inline v0
