// Pictures in a folder for each class.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/source.h"
#include "systolic/io/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_names = 10'000'000;

bool is_picture(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || name[0] == '.') return false;
  std::string ending = name.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* known : {"jpg", "jpeg", "png", "gif", "bmp", "webp"}) {
    if (ending == known) return true;
  }
  return false;
}

struct Pictures {
  std::vector<std::string> classes;
  std::vector<std::pair<std::string, size_t>> files;  // path, class
};

// The folders with pictures in `folder`, in the order of their names.
Pictures pictures_in(const std::string& folder, SourceLocation location) {
  io::FileSystem& files = io::file_system(folder);
  Pictures found;
  for (const std::string& name : files.list(folder, most_names, location)) {
    const std::string class_folder = str(folder, "/", name);
    if (name[0] == '.') continue;
    const size_t before = found.files.size();
    for (const std::string& file : files.list(class_folder, most_names, location)) {
      if (is_picture(file))
        found.files.emplace_back(str(class_folder, "/", file), found.classes.size());
    }
    if (found.files.size() > before) found.classes.push_back(name);
  }
  return found;
}

data::Dataset stored_pictures(const std::vector<std::string>& paths,
                              const std::vector<int64_t>& labels) {
  const auto rows = static_cast<int64_t>(paths.size());
  return data::from_tensor_slices(
      Example{{"path", Literal::strings(paths)}, {"label", Literal::from(labels, Shape{rows})}});
}

Example read_picture(const Example& stored, const std::vector<FeatureInfo>& features) {
  Example element;
  const std::string path(stored["path"].bytes());
  for (const FeatureInfo& feature : features) {
    if (feature.name == "image") {
      element.set("image", Literal::scalar(std::string_view(io::read_file(path, {}))));
    } else if (feature.name == "image/filename") {
      const size_t of_class = path.rfind('/', path.rfind('/') - 1);
      element.set("image/filename", Literal::scalar(std::string_view(path).substr(of_class + 1)));
    } else {
      element.set(feature.name, stored["label"]);
    }
  }
  return element;
}

}  // namespace

std::optional<Source> class_folders_source(const std::string& folder, const SourceQuery& query) {
  std::vector<std::pair<std::string, Pictures>> splits;
  for (const char* name : {"train", "validation", "valid", "val", "dev", "test"}) {
    Pictures pictures = pictures_in(str(folder, "/", name), query.location);
    if (!pictures.files.empty()) splits.emplace_back(split_name_of(name), std::move(pictures));
  }
  if (splits.empty()) splits.emplace_back("train", pictures_in(folder, query.location));
  if (splits.front().second.files.empty()) return {};
  // One numbering for all splits: a class may have no picture in one of them.
  std::vector<std::string> classes;
  for (const auto& each : splits)
    classes.insert(classes.end(), each.second.classes.begin(), each.second.classes.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());

  Source source{.info = {.name = query.name, .version = ""}};
  std::vector<std::pair<std::string, data::Dataset>> stored;
  for (const auto& [name, pictures] : splits) {
    std::vector<std::string> paths;
    std::vector<int64_t> labels;
    for (const auto& [path, of] : pictures.files) {
      paths.push_back(path);
      labels.push_back(std::lower_bound(classes.begin(), classes.end(), pictures.classes[of]) -
                       classes.begin());
    }
    source.info.splits.push_back({name, static_cast<int64_t>(paths.size()), paths});
    stored.emplace_back(name, stored_pictures(paths, labels));
  }
  source.info.features = {{"image", FeatureInfo::Kind::image, DType::u8, {-1, -1, 3}},
                          {"image/filename", FeatureInfo::Kind::text, DType::string},
                          {"label",
                           FeatureInfo::Kind::class_label,
                           DType::i64,
                           {},
                           static_cast<int64_t>(classes.size()),
                           classes}};
  source.info.supervised_keys = {"image", "label"};
  source.stored = [stored = std::move(stored)](const SplitInfo& split) {
    for (const auto& each : stored) {
      if (each.first == split.name) return each.second;
    }
    return stored.front().second;
  };
  source.reader = [](const std::vector<FeatureInfo>& features) -> data::ElementFunction {
    return [features](const Example& element) { return read_picture(element, features); };
  };
  return source;
}

}  // namespace datasets
}  // namespace systolic::inline v0
