// Pictures in a folder for each class as a data set.
#include <algorithm>

#include "systolic/datasets/class_folders.h"
#include "systolic/datasets/source.h"
#include "systolic/io/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

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
  std::vector<std::pair<std::string, ClassFolders>> splits;
  for (const char* name : {"train", "validation", "valid", "val", "dev", "test"}) {
    ClassFolders pictures = list_class_folders(str(folder, "/", name), query.location);
    if (!pictures.files.empty()) splits.emplace_back(split_name_of(name), std::move(pictures));
  }
  if (splits.empty()) splits.emplace_back("train", list_class_folders(folder, query.location));
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
    for (const ClassFolders::File& file : pictures.files) {
      paths.push_back(file.path);
      const std::string& its_class = pictures.classes[static_cast<size_t>(file.label)];
      labels.push_back(std::lower_bound(classes.begin(), classes.end(), its_class) -
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
