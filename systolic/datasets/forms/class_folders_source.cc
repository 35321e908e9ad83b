// Pictures in a folder for each class as a data set.
#include <algorithm>
#include <map>

#include "systolic/core/random_bits.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/datasets/source.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

std::string_view name_in_class(std::string_view path) {
  return path.substr(path.rfind('/', path.rfind('/') - 1) + 1);
}

// A split's pictures, by class, and in an order that depends on nothing but their names.
struct StoredPictures {
  data::Dataset by_class, mixed;
};

data::Dataset rows_of(const std::vector<ClassFolders::File>& files) {
  std::vector<std::string> paths;
  std::vector<int64_t> labels;
  for (const ClassFolders::File& file : files) {
    paths.push_back(file.path);
    labels.push_back(file.label);
  }
  return data::from_tensor_slices(
      Example{{"path", Literal::strings(paths)},
              {"label", Literal::from(labels, Shape{std::ssize(labels)})}});
}

StoredPictures stored_pictures(const std::vector<ClassFolders::File>& files) {
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < files.size(); ++i)
    order.emplace_back(mix_bits(io::crc32c(name_in_class(files[i].path))), i);
  std::sort(order.begin(), order.end());
  std::vector<ClassFolders::File> mixed;
  for (const auto& [key, i] : order) mixed.push_back(files[i]);
  return {rows_of(files), rows_of(mixed)};
}

Example read_picture(const Example& stored, const std::vector<FeatureInfo>& features) {
  Example element;
  const std::string path(stored["path"].bytes());
  for (const FeatureInfo& feature : features) {
    if (feature.name == "image") {
      element.set("image", Literal::scalar(std::string_view(io::read_file(path, {}))));
    } else if (feature.name == "image/filename") {
      element.set("image/filename", Literal::scalar(name_in_class(path)));
    } else {
      element.set(feature.name, stored["label"]);
    }
  }
  return element;
}

using FoldersOfSplits = std::vector<std::pair<std::string, ClassFolders>>;

// One numbering for all splits: a class may have no picture in one of them.
std::vector<std::string> classes_of_splits(const FoldersOfSplits& splits) {
  std::vector<std::string> classes;
  for (const auto& each : splits)
    classes.insert(classes.end(), each.second.classes.begin(), each.second.classes.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

}  // namespace

std::optional<Source> class_folders_source(const std::string& folder, const SourceQuery& query) {
  FoldersOfSplits splits;
  for (const char* name : {"train", "validation", "valid", "val", "dev", "test"}) {
    ClassFolders pictures = list_class_folders(str(folder, "/", name), query.location);
    if (!pictures.files.empty()) splits.emplace_back(split_name_of(name), std::move(pictures));
  }
  if (splits.empty()) splits.emplace_back("train", list_class_folders(folder, query.location));
  if (splits.front().second.files.empty()) return {};
  const std::vector<std::string> classes = classes_of_splits(splits);
  Source source{.info = {.name = query.name, .version = ""}};
  std::map<std::string, StoredPictures> stored;
  for (auto& [name, pictures] : splits) {
    std::vector<std::string> paths;
    for (ClassFolders::File& file : pictures.files) {
      paths.push_back(file.path);
      const std::string& its_class = pictures.classes[static_cast<size_t>(file.label)];
      file.label = std::lower_bound(classes.begin(), classes.end(), its_class) - classes.begin();
    }
    source.info.splits.push_back({name, static_cast<int64_t>(paths.size()), paths});
    stored.emplace(name, stored_pictures(pictures.files));
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
  source.stored = [stored](const SplitInfo& split) { return stored.at(split.name).by_class; };
  source.mixed = [stored](const SplitInfo& split) { return stored.at(split.name).mixed; };
  source.reader = [](const std::vector<FeatureInfo>& features) -> data::ElementFunction {
    return [features](const Example& element) { return read_picture(element, features); };
  };
  return source;
}

}  // namespace datasets
}  // namespace systolic::inline v0
