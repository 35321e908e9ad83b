#include "systolic/datasets/dataset_info.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/datasets/json_bounds.h"
#include "systolic/io/byte_source.h"
#include "systolic/io/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_json_bytes = size_t{1} << 26;
constexpr size_t most_shards = 99'999;  // the names of shards have five digits

template <class Item>
const Item& find(const std::vector<Item>& items, std::string_view wanted, std::string_view what,
                 const std::string& dataset, SourceLocation location) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    if (item.name == wanted) return item;
    names.push_back(item.name);
  }
  raise<NotFound>({.what = str("data set '", dataset, "' has no ", what, " '", wanted, "'"),
                   .wanted = str("one of: ", join(names)),
                   .location = location});
}

// One JSON file, and its values with errors that name it.
class Document {
 public:
  Document(std::string path, SourceLocation location) : path_(std::move(path)) {
    const std::string text = io::read_possibly_gzipped(path_, most_json_bytes, location);
    if (!is_within_json_bounds(text)) damaged("it holds more than any description does");
    root_ = Json::parse(text, nullptr, false);
    if (!root_.is_object()) damaged("it is no JSON object");
  }
  const Json& root() const { return root_; }

  [[noreturn]] void damaged(std::string_view what) const {
    raise<DataLoss>({.what = str("'", path_, "' is damaged: ", what)});
  }
  const Json& member(const Json& object, const char* name) const {
    if (!object.is_object() || !object.contains(name)) damaged(str("it has no '", name, "'"));
    return object[name];
  }
  std::string text(const Json& object, const char* name) const {
    const Json& value = member(object, name);
    if (!value.is_string()) damaged(str("'", name, "' is no text"));
    return value.get<std::string>();
  }
  // Protocol buffers write 64-bit integers as text.
  int64_t integer(const Json& value, std::string_view what) const {
    int64_t number = 0;
    if (value.is_number_integer()) {
      number = value.get<int64_t>();
    } else if (!value.is_string() || !parse_number(value.get<std::string>(), number)) {
      damaged(str(what, " is no integer"));
    }
    return number;
  }

 private:
  std::string path_;
  Json root_;
};

Shape shape_of(const Document& document, const Json& kind) {
  std::vector<int64_t> sizes;
  if (!kind.contains("shape") || !kind["shape"].contains("dimensions")) return {};
  for (const Json& size : document.member(kind["shape"], "dimensions")) {
    sizes.push_back(document.integer(size, "a dimension"));
    if (sizes.back() < -1 || sizes.size() > 16) document.damaged("a shape");
  }
  return Shape(sizes);
}

DType dtype_of_feature(const Document& document, const Json& kind, const char* otherwise) {
  const std::string name = kind.contains("dtype") ? document.text(kind, "dtype") : otherwise;
  const std::optional<DType> dtype = find_dtype(name);
  return dtype ? *dtype : parse_dtype(name);
}

[[noreturn]] void raise_unreadable(const std::string& feature, const std::string& what,
                                   std::string hint) {
  raise<Unimplemented>({.what = str("feature '", feature, "' is ", what),
                        .wanted = "png and jpeg images, class labels, texts and tensors",
                        .hint = std::move(hint)});
}

FeatureInfo read_feature(const Document& document, const std::string& name, const Json& json) {
  const auto has = [&](const char* kind) { return json.contains(kind) && json[kind].is_object(); };
  if (has("image")) {
    const Json& image = json["image"];
    const std::string format =
        image.contains("encodingFormat") ? document.text(image, "encodingFormat") : "";
    if (format != "png" && format != "jpeg" && !format.empty())
      raise_unreadable(name, str("an image in ", format), "prepare it in 'png' or 'jpeg'");
    return {name, FeatureInfo::Kind::image, DType::u8, shape_of(document, image)};
  }
  if (has("classLabel")) {
    const int64_t classes =
        document.integer(document.member(json["classLabel"], "numClasses"), "numClasses");
    return {name, FeatureInfo::Kind::class_label, DType::i64, {}, classes};
  }
  if (has("text")) return {name, FeatureInfo::Kind::text, DType::string};
  if (has("tensor")) {
    const Json& tensor = json["tensor"];
    if (tensor.contains("encoding") && tensor["encoding"] != "none")
      raise_unreadable(name, "an encoded tensor", "prepare it with encoding='none'");
    return {name, FeatureInfo::Kind::tensor, dtype_of_feature(document, tensor, "float32"),
            shape_of(document, tensor)};
  }
  raise_unreadable(name,
                   str("of the kind ", json.is_object() && json.contains("pythonClassName")
                                           ? document.text(json, "pythonClassName")
                                           : std::string("unknown")),
                   "read the files by data::tfrecords and data::parse_example");
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
}

// <feature>.labels.txt has a line for each class.
void read_class_names(const std::string& folder, FeatureInfo& feature, SourceLocation location) {
  const std::string path = str(folder, "/", feature.name, ".labels.txt");
  if (feature.kind != FeatureInfo::Kind::class_label || !is_plain_name(feature.name) ||
      !io::exists(path, location))
    return;
  std::vector<std::string> names =
      split(trim(io::read_possibly_gzipped(path, most_json_bytes, location)), '\n');
  if (static_cast<int64_t>(names.size()) == feature.num_classes)
    feature.class_names = std::move(names);
}

SplitInfo read_split(const Document& document, const Json& json, const std::string& folder,
                     const std::string& dataset) {
  SplitInfo split{.name = document.text(json, "name")};
  if (!is_plain_name(split.name)) document.damaged("the name of a split");
  const Json& lengths = document.member(json, "shardLengths");
  if (!lengths.is_array() || lengths.size() > most_shards) document.damaged("shardLengths");
  for (size_t shard = 0; shard < lengths.size(); ++shard) {
    const int64_t length = document.integer(lengths[shard], "a shard's length");
    if (length < 0 || length > INT64_MAX - split.num_examples) document.damaged("a shard's length");
    split.num_examples += length;
    char ending[32];
    std::snprintf(ending, sizeof ending, "%05zu-of-%05zu", shard, lengths.size());
    split.files.push_back(str(folder, "/", dataset, "-", split.name, ".tfrecord-", ending));
  }
  return split;
}

std::vector<std::string> read_supervised_keys(const Document& document) {
  const Json& root = document.root();
  std::vector<std::string> keys;
  if (!root.contains("supervisedKeys") || !root["supervisedKeys"].is_object()) return keys;
  const Json& given = root["supervisedKeys"];
  if (given.contains("tuple")) {
    for (const Json& item : document.member(given["tuple"], "items"))
      keys.push_back(document.text(item, "featureKey"));
  } else if (given.contains("input")) {
    keys = {document.text(given, "input"), document.text(given, "output")};
  }
  return keys;
}

}  // namespace

const SplitInfo& DatasetInfo::split(std::string_view split_name, SourceLocation location) const {
  return find(splits, split_name, "split", name, location);
}
const FeatureInfo& DatasetInfo::feature(std::string_view feature_name,
                                        SourceLocation location) const {
  return find(features, feature_name, "feature", name, location);
}

DatasetInfo read_dataset_info(const std::string& folder, SourceLocation location) {
  const Document document(folder + "/dataset_info.json", location);
  DatasetInfo info{.name = document.text(document.root(), "name"),
                   .version = document.text(document.root(), "version")};
  if (!is_plain_name(info.name)) document.damaged("its name");
  for (const Json& split : document.member(document.root(), "splits"))
    info.splits.push_back(read_split(document, split, folder, info.name));
  info.supervised_keys = read_supervised_keys(document);
  const Document features(folder + "/features.json", location);
  const Json& list = features.member(features.member(features.root(), "featuresDict"), "features");
  if (!list.is_object()) features.damaged("its features");
  for (const auto& [name, feature] : list.items())
    info.features.push_back(read_feature(features, name, feature));
  for (FeatureInfo& feature : info.features) read_class_names(folder, feature, location);
  return info;
}

}  // namespace datasets
}  // namespace systolic::inline v0
