#include "systolic/datasets/directory/directory_files.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/base/global_seed.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_files = 10'000'000;
constexpr int deepest_folder = 32;

struct LabeledFile {
  std::string path;
  int64_t label = 0;
};

bool ends_with_any(const std::string& name, const std::vector<std::string_view>& endings) {
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), ascii_lower);
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return small.ends_with(ending); });
}

bool is_folder(io::FileSystem& system, const std::string& path, SourceLocation location) {
  return !system.list(path, 1, location).empty();
}

// Files of a folder in order of their names, then those of its folders.
void add_files(io::FileSystem& system, const std::string& folder, int64_t label, int depth,
               const std::vector<std::string_view>& endings, std::vector<LabeledFile>& files,
               SourceLocation location) {
  std::vector<std::string> others;
  for (const std::string& name : system.list(folder, most_files, location)) {
    const std::string path = str(folder, "/", name);
    if (ends_with_any(name, endings))
      files.push_back({path, label});
    else
      others.push_back(path);
  }
  if (depth == deepest_folder) return;
  for (const std::string& path : others) {
    if (is_folder(system, path, location))
      add_files(system, path, label, depth + 1, endings, files, location);
  }
}

std::vector<std::string> class_folders_of(io::FileSystem& system, const std::string& directory,
                                          const DirectoryRules& rules, SourceLocation location) {
  std::vector<std::string> folders;
  for (const std::string& name : system.list(directory, most_files, location)) {
    if (name[0] != '.' && is_folder(system, str(directory, "/", name), location))
      folders.push_back(name);
  }
  for (const std::string& name : rules.class_names) {
    if (std::find(folders.begin(), folders.end(), name) != folders.end()) continue;
    raise<InvalidArgument>({.what = str("class_names has '", name, "'"),
                            .wanted = str("folders of '", directory, "': ", join(folders)),
                            .location = location});
  }
  return rules.class_names.empty() ? folders : rules.class_names;
}

void check_directory_rules(const DirectoryRules& rules, SourceLocation location) {
  const auto refuse = [&](std::string what, std::string wanted) {
    raise<InvalidArgument>(
        {.what = std::move(what), .wanted = std::move(wanted), .location = location});
  };
  const double split = rules.validation_split;
  if (split != 0 && !(split > 0 && split < 1))
    refuse(str("validation_split is ", split), "between 0 and 1");
  if ((split != 0) != (rules.subset != Subset::all))
    refuse(split != 0 ? "validation_split without subset" : "subset without validation_split",
           "both or neither");
  if (split != 0 && rules.shuffle && !rules.seed)
    refuse("validation_split of files that are shuffled without a seed",
           "a seed, so that no file is in both subsets");
  if (!rules.class_names.empty() && (rules.labels || rules.label_mode == LabelMode::none))
    refuse("class_names with labels given, or with none", "class_names of folders");
  if (rules.batch_size && *rules.batch_size < 1)
    refuse(str("batch_size is ", *rules.batch_size), "1 or more");
}

void set_given_labels(std::vector<LabeledFile>& files, const std::vector<int64_t>& labels,
                      SourceLocation location) {
  if (labels.size() != files.size()) {
    raise<InvalidArgument>({.what = str(labels.size(), " labels for ", files.size(), " files"),
                            .wanted = "one for each",
                            .location = location});
  }
  for (size_t i = 0; i < files.size(); ++i) files[i].label = labels[i];
}

std::vector<LabeledFile> subset_of(std::vector<LabeledFile> files, const DirectoryRules& rules) {
  const auto validation =
      static_cast<size_t>(rules.validation_split * static_cast<double>(files.size()));
  const size_t first = files.size() - validation;
  if (rules.subset == Subset::training) files.resize(first);
  if (rules.subset == Subset::validation)
    files.erase(files.begin(),
                files.begin() + std::ssize(files) - static_cast<int64_t>(validation));
  return files;
}

Literal label_of(int64_t label, LabelMode mode, int64_t classes) {
  if (mode == LabelMode::integer) return Literal::scalar(static_cast<int32_t>(label));
  if (mode == LabelMode::binary) return Literal::of<float>({static_cast<float>(label)});
  Literal one = Literal::zeros(DType::f32, {classes});
  if (label >= 0 && label < classes) one.mutable_data<float>()[static_cast<size_t>(label)] = 1;
  return one;
}

data::Dataset dataset_of(const std::vector<LabeledFile>& files, LabelMode mode, int64_t classes) {
  std::vector<std::string> paths;
  std::vector<int64_t> labels;
  for (const LabeledFile& file : files) {
    paths.push_back(file.path);
    labels.push_back(file.label);
  }
  if (mode == LabelMode::none) return data::from_tensor_slices(Example{{"path", paths}});
  return data::from_tensor_slices(Example{{"path", paths}, {"label", labels}})
      .map([mode, classes](const Example& file) {
        return Example{{"path", file["path"]},
                       {"label", label_of(file["label"].item<int64_t>(), mode, classes)}};
      });
}

}  // namespace

std::vector<size_t> shuffled_as_numpy(size_t count, uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i-- > 1;) {
    const size_t mask = std::bit_ceil(i + 1) - 1;
    size_t other = i + 1;
    while (other > i) other = bits() & mask;
    std::swap(order[i], order[other]);
  }
  return order;
}

namespace {

// The files with their labels, in order, and the names of the classes.
struct LabeledFiles {
  std::vector<LabeledFile> files = {};
  std::vector<std::string> classes = {};
};

LabeledFiles all_files(const std::string& directory, const DirectoryRules& rules,
                       const std::vector<std::string_view>& endings, SourceLocation location) {
  io::FileSystem& system = io::file_system(directory, location);
  const bool infers = !rules.labels && rules.label_mode != LabelMode::none;
  LabeledFiles all;
  if (infers) {
    all.classes = class_folders_of(system, directory, rules, location);
    for (size_t i = 0; i < all.classes.size(); ++i)
      add_files(system, str(directory, "/", all.classes[i]), static_cast<int64_t>(i), 0, endings,
                all.files, location);
  } else {
    add_files(system, directory, 0, 0, endings, all.files, location);
  }
  if (rules.labels) {
    set_given_labels(all.files, *rules.labels, location);
    for (const int64_t label : std::set(rules.labels->begin(), rules.labels->end()))
      all.classes.push_back(str(label));
  }
  if (rules.label_mode == LabelMode::binary && all.classes.size() != 2) {
    raise<InvalidArgument>({.what = str("binary labels of ", all.classes.size(), " classes"),
                            .wanted = "two",
                            .location = location});
  }
  return all;
}

std::vector<LabeledFile> in_drawn_order(const std::vector<LabeledFile>& files, uint32_t seed) {
  std::vector<LabeledFile> shuffled;
  for (const size_t i : shuffled_as_numpy(files.size(), seed)) shuffled.push_back(files[i]);
  return shuffled;
}

}  // namespace

DirectoryDataset directory_files(const std::string& directory, const DirectoryRules& rules,
                                 const std::vector<std::string_view>& endings,
                                 SourceLocation location) {
  check_directory_rules(rules, location);
  auto [files, classes] = all_files(directory, rules, endings, location);
  const auto seed = rules.seed.value_or(static_cast<uint32_t>(draw_seed()));
  if (rules.shuffle) files = in_drawn_order(files, seed);
  files = subset_of(std::move(files), rules);
  if (files.empty()) {
    raise<InvalidArgument>(
        {.what = str("'", directory, "' has no files of the kind for the subset"),
         .wanted = str("names that end in ", join(endings)),
         .location = location});
  }
  DirectoryDataset result{dataset_of(files, rules.label_mode, static_cast<int64_t>(classes.size())),
                          classes};
  for (const LabeledFile& file : files) result.file_paths.push_back(file.path);
  const bool reshuffles = rules.shuffle && rules.subset != Subset::validation;
  if (reshuffles) {
    const int64_t buffer = rules.batch_size ? *rules.batch_size * 8 : 1024;
    result.dataset = result.dataset.shuffle(buffer, {.seed = uint64_t{seed}});
  }
  return result;
}

data::Dataset read_files(const data::Dataset& files, const char* name,
                         std::function<Literal(const std::string& path)> read) {
  const auto read_one = [name, read = std::move(read)](const Example& file) {
    Example element{{name, read(std::string(file["path"].bytes()))}};
    if (const Literal* label = file.find("label")) element.set("label", *label);
    return element;
  };
  return files.map(read_one, {.num_parallel_calls = data::autotune});
}

}  // namespace datasets
}  // namespace systolic::inline v0
