#include "systolic/datasets/hub/split_files.h"

#include <algorithm>
#include <set>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/datasets/json_document.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_names = 100'000;
constexpr int most_levels = 3;

bool has_ending(std::string_view name, const Endings& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& end) { return name.ends_with(end); });
}

// Paths below the folder, sorted.
void collect(const std::string& folder, const std::string& prefix, int level,
             const Endings& endings, SourceLocation location, std::vector<std::string>& found) {
  io::FileSystem& files = io::file_system(folder, location);
  for (const std::string& name : files.list(str(folder, "/", prefix), most_names, location)) {
    if (name.starts_with(".") || name.starts_with("_")) continue;
    const std::string path = prefix + name;
    if (has_ending(name, endings)) {
      found.push_back(path);
    } else if (level < most_levels) {
      const auto status = files.status(str(folder, "/", path), location);
      if (status && status->folder)
        collect(folder, path + "/", level + 1, endings, location, found);
    }
  }
}

// "train" of "train-00000-of-00002.parquet".
std::string shard_split_of(std::string_view name) {
  const size_t of = name.find("-of-");
  constexpr size_t digits = 5;
  if (of == name.npos || of < digits + 2) return "";
  const std::string_view number = name.substr(of - digits, digits);
  const bool is_number = number.find_first_not_of("0123456789") == number.npos;
  return is_number && name[of - digits - 1] == '-' ? std::string(name.substr(0, of - digits - 1))
                                                   : "";
}

// The split that a word stands for.
std::string split_of_word(std::string_view word) {
  for (const auto& [split, words] : std::map<std::string, std::vector<std::string>>{
           {"train", {"train", "training"}},
           {"validation", {"validation", "valid", "dev", "val"}},
           {"test", {"test", "testing", "eval", "evaluation"}}}) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return split;
  }
  return "";
}

// That of the last word in the text that stands for one.
std::string split_in(const std::string& text) {
  std::string word, split;
  for (const char c : text + " ") {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      word += ascii_lower(c);
      continue;
    }
    if (const std::string named = split_of_word(word); !named.empty()) split = named;
    word.clear();
  }
  return split;
}

std::string split_of_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : split_in(path.substr(0, slash));
}
std::string split_of_name(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1), shard = shard_split_of(name);
  return shard.empty() ? split_in(name) : shard;
}

// Folders that name neither the data nor a split.
std::set<std::string> configurations_of(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const std::string& path : paths) {
    const std::string first = path.substr(0, path.find('/'));
    if (first.size() < path.size() && first != "data" && split_in(first).empty())
      names.insert(first);
  }
  return names;
}

std::vector<std::string> files_of_state(const std::string& folder, SourceLocation location) {
  const JsonDocument state(folder + "/state.json", location);
  const Json& files = state.member(state.root(), "_data_files");
  std::vector<std::string> paths;
  if (!files.is_array()) state.damaged("'_data_files' is no list");
  for (const Json& file : files) {
    const std::string name = state.text(file, "filename");
    if (name.find('/') != name.npos) state.damaged("a file of another folder");
    paths.push_back(str(folder, "/", name));
  }
  return paths;
}

std::string split_of_state(const std::string& folder, SourceLocation location) {
  const JsonDocument state(folder + "/state.json", location);
  if (!state.root().contains("_split") || !state.root()["_split"].is_string()) return "train";
  return state.text(state.root(), "_split");
}

}  // namespace

std::optional<DataFiles::Splits> files_saved_to_disk(const std::string& folder,
                                                     SourceLocation location) {
  DataFiles::Splits splits;
  if (io::exists(folder + "/dataset_dict.json", location)) {
    const JsonDocument dict(folder + "/dataset_dict.json", location);
    const Json& names = dict.member(dict.root(), "splits");
    if (!names.is_array()) dict.damaged("'splits' is no list");
    for (const Json& name : names) {
      if (!name.is_string()) dict.damaged("a split without a name");
      const auto split = name.get<std::string>();
      if (split.find('/') != split.npos) dict.damaged("a split of another folder");
      splits[split] = files_of_state(str(folder, "/", split), location);
    }
    return splits;
  }
  if (!io::exists(folder + "/state.json", location) ||
      !io::exists(folder + "/dataset_info.json", location))
    return {};
  splits[split_of_state(folder, location)] = files_of_state(folder, location);
  return splits;
}

DataFiles::Splits files_by_split(const std::string& folder, const Endings& endings,
                                 SourceLocation location, Subfolders subfolders) {
  std::vector<std::string> paths;
  collect(folder, "", 0, endings, location, paths);
  const std::set<std::string> configurations = configurations_of(paths);
  if (configurations.size() > 1 && subfolders == Subfolders::data_sets) {
    raise<InvalidArgument>(
        {.what = str("'", folder, "' holds several data sets"),
         .wanted = str("one of: ", join(std::vector<std::string>(configurations.begin(),
                                                                 configurations.end()))),
         .hint = "load_dataset(\"glue\", \"cola\") names one of a group",
         .location = location});
  }
  for (const auto say : {split_of_folder, split_of_name}) {
    DataFiles::Splits splits;
    for (const std::string& path : paths) {
      if (const std::string split = say(path); !split.empty())
        splits[split].push_back(str(folder, "/", path));
    }
    if (!splits.empty()) return splits;
  }
  DataFiles::Splits all;
  for (const std::string& path : paths) all["train"].push_back(str(folder, "/", path));
  return all;
}

std::vector<std::string> expanded_paths(const std::vector<std::string>& paths,
                                        const Endings& endings, SourceLocation location) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path.find_first_of("*?[") != path.npos) {
      for (const std::string& each : io::glob(path, location)) files.push_back(each);
      continue;
    }
    const auto status = io::file_system(path, location).status(path, location);
    if (!status || !status->folder) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inner;
    collect(path, "", most_levels, endings, location, inner);
    if (inner.empty()) {
      raise<NotFound>({.what = str("no file in the folder '", path, "'"),
                       .wanted = str("some that end with ", join(endings, " or ")),
                       .location = location});
    }
    for (const std::string& each : inner) files.push_back(str(path, "/", each));
  }
  return files;
}

}  // namespace datasets
}  // namespace systolic::inline v0
