#include "systolic/datasets/dataset_info.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "systolic/base/ascii.h"
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
                        .wanted = "png and jpeg images, class labels, texts, tensors, boxes, and "
                                  "groups and sequences of these",
                        .hint = std::move(hint)});
}

FeatureInfo read_image(const Document& document, const std::string& name, const Json& image) {
  const std::string format =
      image.contains("encodingFormat") ? document.text(image, "encodingFormat") : "";
  if (format != "png" && format != "jpeg" && !format.empty())
    raise_unreadable(name, str("an image in ", format), "prepare it in 'png' or 'jpeg'");
  const DType dtype = dtype_of_feature(document, image, "uint8");
  if (dtype != DType::u8) raise_unreadable(name, str("an image of ", dtype), "prepare it in uint8");
  return {name, FeatureInfo::Kind::image, dtype, shape_of(document, image)};
}

// Also what is stored as one: sound as its samples.
FeatureInfo read_tensor(const Document& document, const std::string& name, const Json& tensor) {
  FeatureInfo feature{name, FeatureInfo::Kind::tensor,
                      dtype_of_feature(document, tensor, "float32"), shape_of(document, tensor)};
  std::string encoding = tensor.contains("encoding") ? document.text(tensor, "encoding") : "none";
  std::transform(encoding.begin(), encoding.end(), encoding.begin(), ascii_lower);
  if (encoding == "bytes") feature.encoding = FeatureInfo::Encoding::bytes;
  if (encoding == "zlib") feature.encoding = FeatureInfo::Encoding::zlib;
  const bool packed = feature.encoding != FeatureInfo::Encoding::none;
  if ((!packed && encoding != "none") || (packed && feature.dtype == DType::string))
    raise_unreadable(name, str("a ", feature.dtype, " in the encoding '", encoding, "'"),
                     "prepare it with encoding='none'");
  return feature;
}

// The features of features.json, those in others by their paths.
class FeatureList {
 public:
  explicit FeatureList(const Document& document) : document_(document) {}

  void read(const std::string& name, const Json& json) {
    if (++depth_ > most_depth) document_.damaged("features within features without end");
    if (const Json* dict = find(json, "featuresDict")) {
      const Json& members = document_.member(*dict, "features");
      if (!members.is_object()) document_.damaged("its features");
      for (const auto& [key, member] : members.items()) read(path(name, key), member);
    } else if (const Json* sequence = find(json, "sequence")) {
      read_in_sequence(length_of(*sequence), name, document_.member(*sequence, "feature"));
    } else if (const Json* translation = find(json, "translation")) {
      read_translation(name, *translation);
    } else if (const Json* video = find(json, "video")) {
      read_video(name, *video);
    } else {
      add(leaf(name, json));
    }
    --depth_;
  }
  std::vector<FeatureInfo> take() { return std::move(features_); }

 private:
  static constexpr int most_depth = 32;
  static constexpr size_t most_sequences = 8, most_features = 100'000;

  static const Json* find(const Json& json, const char* kind) {
    return json.is_object() && json.contains(kind) && json[kind].is_object() ? &json[kind]
                                                                             : nullptr;
  }
  static std::string path(const std::string& name, const std::string& key) {
    return name.empty() ? key : str(name, "/", key);
  }
  int64_t length_of(const Json& sequence) const {
    const int64_t length =
        sequence.contains("length") ? document_.integer(sequence["length"], "a length") : -1;
    if (length < -1) document_.damaged("the length of a sequence");
    return length;
  }
  void read_in_sequence(int64_t length, const std::string& name, const Json& json) {
    lengths_.push_back(length);
    if (lengths_.size() > most_sequences) document_.damaged("sequences of sequences without end");
    read(name, json);
    lengths_.pop_back();
  }
  // Texts by their languages; or, where these differ, sequences of both.
  void read_translation(const std::string& name, const Json& json) {
    const bool varies =
        json.contains("variableLanguagesPerExample") && json["variableLanguagesPerExample"] == true;
    const Json texts = {{"text", Json::object()}};
    if (varies) {
      read_in_sequence(-1, path(name, "language"), texts);
      return read_in_sequence(-1, path(name, "translation"), texts);
    }
    for (const Json& language : document_.member(json, "languages")) {
      if (!language.is_string()) document_.damaged("a language is no text");
      read(path(name, language.get<std::string>()), texts);
    }
  }
  // Stored as the pictures of a sequence.
  void read_video(const std::string& name, const Json& json) {
    FeatureInfo frame = read_image(document_, name, json);
    if (frame.shape.rank() != 4) document_.damaged("the shape of a video");
    lengths_.push_back(frame.shape[0]);
    frame.shape = Shape{frame.shape[1], frame.shape[2], frame.shape[3]};
    add(std::move(frame));
    lengths_.pop_back();
  }
  FeatureInfo leaf(const std::string& name, const Json& json) const {
    if (const Json* image = find(json, "image")) return read_image(document_, name, *image);
    if (const Json* label = find(json, "classLabel")) {
      const int64_t classes =
          document_.integer(document_.member(*label, "numClasses"), "numClasses");
      return {name, FeatureInfo::Kind::class_label, DType::i64, {}, classes};
    }
    if (find(json, "text") != nullptr) return {name, FeatureInfo::Kind::text, DType::string};
    if (const Json* tensor = find(json, "tensor")) return read_tensor(document_, name, *tensor);
    if (const Json* audio = find(json, "audio")) return read_tensor(document_, name, *audio);
    if (find(json, "boundingBox") != nullptr)
      return {name, FeatureInfo::Kind::tensor, DType::f32, Shape{4}};
    raise_unreadable(name,
                     str("of the kind ", json.is_object() && json.contains("pythonClassName")
                                             ? document_.text(json, "pythonClassName")
                                             : std::string("unknown")),
                     "read the files by data::tfrecords and data::parse_example");
  }
  void add(FeatureInfo feature) {
    std::vector<int64_t> sizes = lengths_;
    for (const int64_t size : feature.shape.to_vector()) sizes.push_back(size);
    if (sizes.size() > 16 || features_.size() == most_features) document_.damaged("its features");
    feature.shape = Shape(sizes);
    feature.sequence_rank = static_cast<int>(lengths_.size());
    features_.push_back(std::move(feature));
  }

  const Document& document_;
  std::vector<int64_t> lengths_;  // of the sequences around what is read
  int depth_ = 0;
  std::vector<FeatureInfo> features_;
};

bool is_plain_name(const std::string& name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.';
  });
}

// <feature>.labels.txt has a line for each class; the file of "objects/label" is that of
// "objects-label".
void read_class_names(const std::string& folder, FeatureInfo& feature, SourceLocation location) {
  std::string name = feature.name;
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string path = str(folder, "/", name, ".labels.txt");
  if (feature.kind != FeatureInfo::Kind::class_label || !is_plain_name(name) ||
      !io::exists(path, location))
    return;
  std::vector<std::string> names =
      split(trim(io::read_possibly_gzipped(path, most_json_bytes, location)), '\n');
  if (static_cast<int64_t>(names.size()) == feature.num_classes)
    feature.class_names = std::move(names);
}

// "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}" filled in.
std::string file_name(std::string name, const std::string& dataset, const std::string& split,
                      size_t shard, size_t shards) {
  char number[24], of[24];
  std::snprintf(number, sizeof number, "%05zu", shard);
  std::snprintf(of, sizeof of, "%05zu", shards);
  const std::pair<const char*, std::string> parts[] = {
      {"{DATASET}", dataset},    {"{SPLIT}", split},   {"{FILEFORMAT}", "tfrecord"},
      {"{SHARD_INDEX}", number}, {"{NUM_SHARDS}", of}, {"{SHARD_X_OF_Y}", str(number, "-of-", of)}};
  for (const auto& [part, value] : parts) {
    const size_t at = name.find(part);
    if (at != std::string::npos) name.replace(at, std::string_view(part).size(), value);
  }
  return name;
}

SplitInfo read_split(const Document& document, const Json& json, const std::string& folder,
                     const std::string& dataset) {
  SplitInfo split{.name = document.text(json, "name")};
  if (!is_plain_name(split.name)) document.damaged("the name of a split");
  const std::string form = json.contains("filepathTemplate")
                               ? document.text(json, "filepathTemplate")
                               : "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";
  const Json& lengths = document.member(json, "shardLengths");
  if (!lengths.is_array() || lengths.size() > most_shards) document.damaged("shardLengths");
  for (size_t shard = 0; shard < lengths.size(); ++shard) {
    const int64_t length = document.integer(lengths[shard], "a shard's length");
    if (length < 0 || length > INT64_MAX - split.num_examples) document.damaged("a shard's length");
    split.num_examples += length;
    split.shard_lengths.push_back(length);
    const std::string file = file_name(form, dataset, split.name, shard, lengths.size());
    if (!is_plain_name(file) || (shard > 0 && split.files.back() == str(folder, "/", file)))
      document.damaged(str("the filepathTemplate '", form, "'"));
    split.files.push_back(str(folder, "/", file));
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

std::vector<std::string> FeatureInfo::row_split_names() const {
  if (sequence_rank < 2) return {};
  const std::string base = name + "_row_splits";
  if (sequence_rank == 2) return {base};
  std::vector<std::string> names;
  for (int i = 0; i < sequence_rank - 1; ++i) names.push_back(str(base, "_", i));
  return names;
}

DatasetInfo read_dataset_info(const std::string& folder, SourceLocation location) {
  const Document document(folder + "/dataset_info.json", location);
  const Json& root = document.root();
  DatasetInfo info{.name = document.text(root, "name"), .version = document.text(root, "version")};
  if (!is_plain_name(info.name)) document.damaged("its name");
  const std::string format =
      root.contains("fileFormat") ? document.text(root, "fileFormat") : "tfrecord";
  if (format != "tfrecord") {
    raise<Unimplemented>({.what = str("the data set in '", folder, "' has files of '", format, "'"),
                          .wanted = "tfrecord",
                          .hint = "`tfds build --file_format=tfrecord` prepares them"});
  }
  for (const Json& split : document.member(root, "splits"))
    info.splits.push_back(read_split(document, split, folder, info.name));
  info.supervised_keys = read_supervised_keys(document);
  const Document features(folder + "/features.json", location);
  if (!features.root().contains("translation"))
    features.member(features.member(features.root(), "featuresDict"), "features");
  FeatureList list(features);
  list.read("", features.root());
  info.features = list.take();
  for (FeatureInfo& feature : info.features) read_class_names(folder, feature, location);
  return info;
}

}  // namespace datasets
}  // namespace systolic::inline v0
