#include "systolic/datasets/features_json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

Shape shape_of(const JsonDocument& document, const Json& kind) {
  std::vector<int64_t> sizes;
  if (!kind.contains("shape") || !kind["shape"].contains("dimensions")) return {};
  for (const Json& size : document.member(kind["shape"], "dimensions")) {
    sizes.push_back(document.integer(size, "a dimension"));
    if (sizes.back() < -1 || sizes.size() > 16) document.damaged("a shape");
  }
  return Shape(sizes);
}

DType dtype_of_feature(const JsonDocument& document, const Json& kind, const char* otherwise) {
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

FeatureInfo read_image(const JsonDocument& document, const std::string& name, const Json& image) {
  const std::string format =
      image.contains("encodingFormat") ? document.text(image, "encodingFormat") : "";
  if (format != "png" && format != "jpeg" && !format.empty())
    raise_unreadable(name, str("an image in ", format), "prepare it in 'png' or 'jpeg'");
  const DType dtype = dtype_of_feature(document, image, "uint8");
  if (dtype != DType::u8) raise_unreadable(name, str("an image of ", dtype), "prepare it in uint8");
  return {name, FeatureInfo::Kind::image, dtype, shape_of(document, image)};
}

// Also data stored as audio: sound as its samples.
FeatureInfo read_tensor(const JsonDocument& document, const std::string& name, const Json& tensor) {
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
  explicit FeatureList(const JsonDocument& document) : document_(document) {}

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

  const JsonDocument& document_;
  std::vector<int64_t> lengths_;  // of the sequences around what is read
  int depth_ = 0;
  std::vector<FeatureInfo> features_;
};

}  // namespace

std::vector<FeatureInfo> read_features(const JsonDocument& document) {
  if (!document.root().contains("translation"))
    document.member(document.member(document.root(), "featuresDict"), "features");
  FeatureList list(document);
  list.read("", document.root());
  return list.take();
}

}  // namespace datasets
}  // namespace systolic::inline v0
