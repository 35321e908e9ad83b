// MNIST as its authors distribute it: four IDX files.
#include "systolic/base/error.h"
#include "systolic/datasets/source.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/idx.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// A file, plain or compressed; empty where it is not there.
std::string existing(const std::string& path, SourceLocation location) {
  if (io::exists(path, location)) return path;
  return io::exists(path + ".gz", location) ? path + ".gz" : "";
}

struct Pair {
  Literal images, labels;  // u8 [rows, height, width, 1], i64 [rows]
};

Pair read_pair(const std::string& images_path, const std::string& labels_path,
               SourceLocation location) {
  const Literal images = io::read_idx(images_path, location);
  const Literal labels = io::read_idx(labels_path, location);
  if (images.dtype() != DType::u8 || images.rank() != 3 || labels.dtype() != DType::u8 ||
      labels.shape() != Shape{images.shape()[0]}) {
    raise<DataLoss>(
        {.what = str("'", images_path, "' and '", labels_path, "' do not belong together"),
         .got = str(images.dtype(), images.shape(), " and ", labels.dtype(), labels.shape()),
         .wanted = "u8 images of three axes, and one u8 label for each",
         .location = location});
  }
  const Shape& shape = images.shape();
  return {images.reshape({shape[0], shape[1], shape[2], 1}), labels.convert(DType::i64)};
}

}  // namespace

std::optional<Source> idx_source(const std::string& folder, const SourceQuery& query) {
  Source source{.info = {.name = query.name, .version = ""}};
  std::vector<std::pair<std::string, Pair>> pairs;
  for (const auto& [split, stem] : {std::pair("train", "train"), std::pair("test", "t10k")}) {
    const std::string images =
        existing(str(folder, "/", stem, "-images-idx3-ubyte"), query.location);
    const std::string labels =
        existing(str(folder, "/", stem, "-labels-idx1-ubyte"), query.location);
    if (images.empty() || labels.empty()) continue;
    pairs.emplace_back(split, read_pair(images, labels, query.location));
    source.info.splits.push_back({split, pairs.back().second.images.shape()[0], {images, labels}});
  }
  if (pairs.empty()) return {};
  const Shape& shape = pairs.front().second.images.shape();
  source.info.features = {{"image", FeatureInfo::Kind::image, DType::u8, {shape[1], shape[2], 1}},
                          {"label", FeatureInfo::Kind::class_label, DType::i64, {}, 10}};
  source.info.supervised_keys = {"image", "label"};
  source.stored = [pairs = std::move(pairs)](const SplitInfo& split) {
    const bool second = pairs.size() > 1 && pairs[1].first == split.name;
    const Pair& pair = pairs[second ? 1 : 0].second;
    return data::from_tensor_slices(Example{{"image", pair.images}, {"label", pair.labels}});
  };
  source.reader = [](const std::vector<FeatureInfo>& features) -> data::ElementFunction {
    return [features](const Example& stored) {
      Example element;
      for (const FeatureInfo& feature : features) element.set(feature.name, stored[feature.name]);
      return element;
    };
  };
  return source;
}

}  // namespace datasets
}  // namespace systolic::inline v0
