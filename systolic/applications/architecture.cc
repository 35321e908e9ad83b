#include "systolic/applications/architecture.h"

#include <algorithm>
#include <cmath>

#include "systolic/applications/imagenet_weights.h"
#include "systolic/base/error.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

bool wants_imagenet(const ApplicationOptions& options) { return options.weights == "imagenet"; }

void check_own_options(const ArchitectureTraits& traits, const ApplicationOptions& options) {
  const auto check = [&](bool given, bool known, const char* name) {
    if (!given || known) return;
    raise<InvalidArgument>({.what = str(traits.name, " has no ", name),
                            .hint = str("leave .", name, " out"),
                            .location = options.location});
  };
  check(options.alpha.has_value(), traits.own.alpha, "alpha");
  check(options.depth_multiplier.has_value(), traits.own.depth_multiplier, "depth_multiplier");
  check(options.dropout.has_value(), traits.own.dropout, "dropout");
  check(options.minimalistic.has_value(), traits.own.minimalistic, "minimalistic");
  check(options.include_preprocessing.has_value(), traits.own.include_preprocessing,
        "include_preprocessing");
}

void check_top(const ArchitectureTraits& traits, const ApplicationOptions& options) {
  if (options.classes < 1) {
    raise<InvalidArgument>({.what = str(traits.name, " with ", options.classes, " classes"),
                            .wanted = "1 or more",
                            .location = options.location});
  }
  if (options.include_top && wants_imagenet(options) && options.classes != 1000) {
    raise<InvalidArgument>(
        {.what = str(traits.name, " with ImageNet's weights and ", options.classes, " classes"),
         .wanted = "1,000 classes, which its classifier has",
         .hint = "write .include_top = false and a Dense of your own, or .weights = \"\"",
         .location = options.location});
  }
  if (options.pooling != "" && options.pooling != "avg" && options.pooling != "max") {
    raise<InvalidArgument>({.what = str(traits.name, ": the pooling '", options.pooling, "'"),
                            .wanted = "\"avg\", \"max\" or \"\"",
                            .location = options.location});
  }
}

void check_size(const ArchitectureTraits& traits, const ApplicationOptions& options) {
  const Shape& shape = options.input_shape;
  if (shape.rank() != 3 || shape[2] < 1) {
    raise<InvalidArgument>({.what = str(traits.name, ": the shape of its pictures"),
                            .got = to_string(shape),
                            .wanted = "[height, width, channels]",
                            .location = options.location});
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (shape[axis] >= traits.least_size ||
        (shape[axis] == -1 && !options.include_top && traits.any_size))
      continue;
    raise<InvalidArgument>(
        {.what = str(traits.name, ": pictures of ", to_string(shape)),
         .wanted = str("height and width of at least ", traits.least_size),
         .hint = "a smaller feature map would be empty: resize the pictures in the pipeline",
         .location = options.location});
  }
}

bool is_published_size(const ArchitectureTraits& traits, const Shape& shape) {
  if (shape[2] != 3 || shape[0] != shape[1]) return false;
  const std::vector<int64_t>& sizes = traits.sizes;
  return shape[0] == traits.default_size ||
         std::find(sizes.begin(), sizes.end(), shape[0]) != sizes.end();
}

Symbol checked_image(const ArchitectureTraits& traits, ApplicationOptions options) {
  check_own_options(traits, options);
  check_top(traits, options);
  if (options.input_shape.rank() == 0) {
    const int64_t size = options.include_top || !traits.any_size ? traits.default_size : -1;
    options.input_shape = {size, size, 3};
  }
  check_size(traits, options);
  if (wants_imagenet(options) && options.input_shape[2] != 3) {
    raise<InvalidArgument>({.what = str(traits.name, " with ImageNet's weights and ",
                                        options.input_shape[2], " channels"),
                            .wanted = "3, red, green and blue",
                            .location = options.location});
  }
  if (wants_imagenet(options) && options.include_top &&
      !is_published_size(traits, options.input_shape)) {
    raise<InvalidArgument>(
        {.what = str(traits.name, " with ImageNet's weights and its classifier"),
         .got = str("pictures of ", to_string(options.input_shape)),
         .wanted = str("[", traits.default_size, ", ", traits.default_size, ", 3]"),
         .hint = "write .include_top = false for another size",
         .location = options.location});
  }
  return input({.shape = options.input_shape}, options.location);
}

}  // namespace

Architecture::Architecture(ArchitectureTraits traits, const ApplicationOptions& options)
    : traits_(std::move(traits)), options_(options), image_(checked_image(traits_, options)) {}

int64_t Architecture::published_size() const {
  const Shape shape = image_.shape().without(0);
  return is_published_size(traits_, shape) ? shape[0] : traits_.default_size;
}

std::string Architecture::height_text() const {
  const int64_t height = image_.shape()[1];
  return height < 0 ? "None" : str(height);
}

std::string Architecture::next(const std::string& kind) {
  const int before = made_[kind]++;
  return before == 0 ? kind : str(kind, "_", before);
}

Symbol Architecture::pooled(const Symbol& features, const Top& names) {
  const auto named = [&](const std::string& name, const char* kind) {
    return name.empty() ? next(kind) : name;
  };
  if (options_.pooling == "avg") {
    return GlobalAveragePooling2D{.name = named(names.pooled_average, "global_average_pooling2d")}(
        features);
  }
  if (options_.pooling == "max")
    return GlobalMaxPooling2D{.name = named(names.pooled_max, "global_max_pooling2d")}(features);
  return features;
}

Symbol Architecture::top(const Symbol& features, const Top& names) {
  if (!options_.include_top) return pooled(features, names);
  Symbol x = GlobalAveragePooling2D{.name = names.average.empty() ? next("global_average_pooling2d")
                                                                  : names.average}(features);
  if (names.dropout > 0) x = Dropout{.rate = names.dropout, .name = "top_dropout"}(x);
  return Dense{.units = options_.classes,
               .activation = options_.classifier_activation,
               .kernel_initializer = names.kernel_initializer,
               .name = "predictions"}(x);
}

Model Architecture::model(const Symbol& output, const std::string& default_name,
                          const std::string& file) {
  Model model(image_, output, {.name = options_.name.empty() ? default_name : options_.name},
              options_.location);
  if (options_.weights.empty()) return model;
  const std::string path = wants_imagenet(options_)
                               ? imagenet_weights(file, options_.include_top, options_.location)
                               : options_.weights;
  model.load_weights(path, {}, options_.location);
  return model;
}

int64_t rounded_filters(double filters, int64_t divisor) {
  const double half = static_cast<double>(divisor) / 2;
  int64_t rounded = static_cast<int64_t>(filters + half) / divisor * divisor;
  rounded = std::max(divisor, rounded);
  return static_cast<double>(rounded) < 0.9 * filters ? rounded + divisor : rounded;
}

Margins<2> padding_of_stride_2(const Symbol& x, int64_t kernel_size) {
  const int64_t half = kernel_size / 2;
  const auto before = [&](int64_t size) { return size > 0 && size % 2 == 1 ? half : half - 1; };
  return {{before(x.shape()[1]), half}, {before(x.shape()[2]), half}};
}

Padding padding_of_stride(int64_t stride) {
  return stride == 2 ? Padding("valid") : Padding("same");
}

}  // namespace applications
}  // namespace systolic::inline v0
