#include "systolic/applications/preprocessing.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "systolic/applications/imagenet_weights.h"
#include "systolic/applications/table.h"
#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

// What becomes of a pixel's channel: (value - mean) / deviation, of the channels in `order`.
struct Scaling {
  double mean[3], deviation[3];
  int order[3];
};

constexpr Scaling caffe_scaling = {{103.939, 116.779, 123.68}, {1, 1, 1}, {2, 1, 0}};
constexpr Scaling torch_scaling = {
    {0.485 * 255, 0.456 * 255, 0.406 * 255}, {0.229 * 255, 0.224 * 255, 0.225 * 255}, {0, 1, 2}};

const Scaling* scaling_of(Preprocessing kind) {
  if (kind == Preprocessing::caffe) return &caffe_scaling;
  return kind == Preprocessing::torch ? &torch_scaling : nullptr;
}

void check_channels(std::string_view application, const Shape& shape, SourceLocation location) {
  if (shape.rank() >= 1 && shape[shape.rank() - 1] == 3) return;
  raise<InvalidArgument>({.what = str("preprocess_input of ", application),
                          .got = str("pixels ", to_string(shape)),
                          .wanted = "[..., 3]: red, green and blue",
                          .location = location});
}

}  // namespace

Tensor preprocess_input(std::string_view application, const Tensor& pixels,
                        SourceLocation location) {
  const Preprocessing kind = preprocessing_of(application, location);
  const Tensor x = is_float(pixels.dtype()) ? pixels : cast(pixels, DType::f32);
  if (kind == Preprocessing::none) return x;
  if (kind == Preprocessing::tf) return x / 127.5 - 1.0;
  check_channels(application, x.shape(), location);
  const Scaling& scaling = *scaling_of(kind);
  const auto row = [&](const double(&values)[3]) {
    return cast(constant({static_cast<float>(values[0]), static_cast<float>(values[1]),
                          static_cast<float>(values[2])}),
                x.dtype());
  };
  const Tensor ordered = kind == Preprocessing::caffe ? flip(x, {x.rank() - 1}) : x;
  return (ordered - row(scaling.mean)) / row(scaling.deviation);
}

Literal preprocess_input(std::string_view application, const Literal& pixels,
                         SourceLocation location) {
  const Preprocessing kind = preprocessing_of(application, location);
  const Scaling* scaling = scaling_of(kind);
  if (scaling != nullptr) check_channels(application, pixels.shape(), location);
  Literal result = Literal::zeros(DType::f32, pixels.shape());
  const std::span<float> to = result.mutable_data<float>();
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t channel = i % 3;
    const size_t from =
        scaling == nullptr ? i : i - channel + static_cast<size_t>(scaling->order[channel]);
    double value = pixels.number_at(static_cast<int64_t>(from));
    if (scaling != nullptr) {
      value = (value - scaling->mean[channel]) / scaling->deviation[channel];
    } else if (kind == Preprocessing::tf) {
      value = value / 127.5 - 1.0;
    }
    to[i] = static_cast<float>(value);
  }
  return result;
}

namespace {

constexpr const char* class_index_url =
    "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json";
constexpr const char* class_index_md5 = "c2c37ea517e94d9795004a39431a14cb";
constexpr int64_t imagenet_classes = 1000;

struct ClassName {
  std::string id, name;
};

std::vector<ClassName> class_names(const std::string& path, SourceLocation location) {
  const std::string text = io::read_file(path, location);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<ClassName> names;
  for (int64_t i = 0; i < imagenet_classes; ++i) {
    const auto found = json.is_object() ? json.find(std::to_string(i)) : json.end();
    const bool whole = found != json.end() && found->is_array() && found->size() == 2 &&
                       (*found)[0].is_string() && (*found)[1].is_string();
    if (!whole) {
      raise<DataLoss>({.what = str("'", path, "' is not a list of ImageNet's classes"),
                       .got = str("no entry \"", i, "\""),
                       .wanted = "{\"0\": [\"n01440764\", \"tench\"], ...} of 1,000 classes",
                       .location = location});
    }
    names.push_back({(*found)[0], (*found)[1]});
  }
  return names;
}

std::vector<NamedClass> best_of(const Literal& predictions, int64_t row,
                                const std::vector<ClassName>& names, int64_t top) {
  const auto score = [&](size_t i) {
    return predictions.number_at(row * imagenet_classes + static_cast<int64_t>(i));
  };
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto kept = static_cast<std::ptrdiff_t>(std::min<int64_t>(top, imagenet_classes));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](size_t a, size_t b) {
    const double left = score(a), right = score(b);
    return left != right ? left > right : a < b;
  });
  std::vector<NamedClass> best;
  for (auto one = order.begin(); one != order.begin() + kept; ++one)
    best.push_back({names[*one].id, names[*one].name, score(*one)});
  return best;
}

}  // namespace

std::vector<std::vector<NamedClass>> decode_predictions(const Literal& predictions,
                                                        const DecodeOptions& options) {
  const Shape& shape = predictions.shape();
  if (shape.rank() != 2 || shape[1] != imagenet_classes || options.top < 1) {
    raise<InvalidArgument>({.what = str("decode_predictions, the best ", options.top),
                            .got = to_string(shape),
                            .wanted = "predictions [batch, 1000], and one class or more",
                            .hint = "the names are those of ImageNet's 1,000 classes",
                            .location = options.location});
  }
  const std::string path = options.class_index.empty()
                               ? keras_file(class_index_url, class_index_md5, options.location)
                               : options.class_index;
  const std::vector<ClassName> names = class_names(path, options.location);
  std::vector<std::vector<NamedClass>> rows;
  for (int64_t row = 0; row < shape[0]; ++row)
    rows.push_back(best_of(predictions, row, names, options.top));
  return rows;
}

}  // namespace applications
}  // namespace systolic::inline v0
