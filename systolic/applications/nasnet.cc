// NASNet-A: cells found by search, each of which takes the outputs of the two before it.
#include <optional>
#include <utility>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

// What a cell gives to the next ones: its own output, and its input.
using CellOutputs = std::pair<Symbol, std::optional<Symbol>>;

class NASNetLayers {
 public:
  explicit NASNetLayers(Architecture& net) : net_(net) {}

  Symbol stem(const Symbol& image, int64_t filters) {
    const Symbol x = Conv2D{.filters = filters,
                            .kernel_size = 3,
                            .strides = 2,
                            .use_bias = false,
                            .kernel_initializer = "he_normal",
                            .name = "stem_conv1"}(image);
    return norm(x, "stem_bn1");
  }

  CellOutputs normal(const CellOutputs& last, int64_t filters, const std::string& id) {
    const auto& [input, before] = last;
    const Symbol p = adjusted(before, input, filters, id);
    const Symbol h = squeezed(input, filters, "normal", id);
    const Symbol one = sum("normal_add_1_" + id, separable(h, filters, 5, "normal_left1_" + id),
                           separable(p, filters, 3, "normal_right1_" + id));
    const Symbol two = sum("normal_add_2_" + id, separable(p, filters, 5, "normal_left2_" + id),
                           separable(p, filters, 3, "normal_right2_" + id));
    const Symbol three = sum("normal_add_3_" + id, averaged(h, "normal_left3_" + id), p);
    const Symbol four = sum("normal_add_4_" + id, averaged(p, "normal_left4_" + id),
                            averaged(p, "normal_right4_" + id));
    const Symbol five =
        sum("normal_add_5_" + id, separable(h, filters, 3, "normal_left5_" + id), h);
    return {joined({p, one, two, three, four, five}, "normal_concat_" + id), input};
  }

  CellOutputs reduction(const CellOutputs& last, int64_t filters, const std::string& id) {
    const auto& [input, before] = last;
    const Symbol p = adjusted(before, input, filters, id);
    const Symbol h = squeezed(input, filters, "reduction", id);
    const Symbol padded =
        ZeroPadding2D{.padding = padding_of_stride_2(h, 3), .name = "reduction_pad_1_" + id}(h);
    const Symbol one =
        sum("reduction_add_1_" + id, separable(h, filters, 5, "reduction_left1_" + id, 2),
            separable(p, filters, 7, "reduction_right1_" + id, 2));
    const Symbol two = sum("reduction_add_2_" + id, largest(padded, "reduction_left2_" + id),
                           separable(p, filters, 7, "reduction_right2_" + id, 2));
    const Symbol three = sum("reduction_add3_" + id, averaged(padded, "reduction_left3_" + id, 2),
                             separable(p, filters, 5, "reduction_right3_" + id, 2));
    const Symbol four = sum(net_.next("add"), two, averaged(one, "reduction_left4_" + id));
    const Symbol five =
        sum("reduction_add4_" + id, separable(one, filters, 3, "reduction_left4_" + id),
            largest(padded, "reduction_right5_" + id));
    return {joined({two, three, four, five}, "reduction_concat_" + id), input};
  }

  Symbol relu(const Symbol& x) {
    return ActivationLayer{.activation = "relu", .name = net_.next("activation")}(x);
  }

 private:
  static Symbol norm(const Symbol& x, const std::string& name) {
    return BatchNormalization{.momentum = 0.9997, .name = name}(x);
  }

  static Symbol pointwise(const Symbol& x, int64_t filters, const std::string& name) {
    return Conv2D{.filters = filters,
                  .kernel_size = 1,
                  .padding = "same",
                  .use_bias = false,
                  .kernel_initializer = "he_normal",
                  .name = name}(x);
  }

  Symbol squeezed(const Symbol& x, int64_t filters, const std::string& cell,
                  const std::string& id) {
    const Symbol y = pointwise(relu(x), filters, cell + "_conv_1_" + id);
    return norm(y, cell + "_bn_1_" + id);
  }

  // Twice ReLU, a separable convolution and a normalization; the first has the stride.
  Symbol separable(const Symbol& input, int64_t filters, int64_t kernel_size, const std::string& id,
                   int64_t stride = 1) {
    Symbol x = relu(input);
    if (stride == 2) {
      x = ZeroPadding2D{.padding = padding_of_stride_2(x, kernel_size),
                        .name = "separable_conv_1_pad_" + id}(x);
    }
    for (int i = 1; i <= 2; ++i) {
      const std::string name = str("separable_conv_", i);
      const bool reduces = i == 1 && stride == 2;
      x = SeparableConv2D{.filters = filters,
                          .kernel_size = kernel_size,
                          .strides = i == 1 ? stride : 1,
                          .padding = padding_of_stride(reduces ? 2 : 1),
                          .use_bias = false,
                          .name = name + "_" + id}(i == 1 ? x : relu(x));
      x = norm(x, name + "_bn_" + id);
    }
    return x;
  }

  // The output of the cell before the last, with the size and the channels of the last one's.
  Symbol adjusted(const std::optional<Symbol>& before, const Symbol& input, int64_t filters,
                  const std::string& id) {
    if (!before) return input;
    if (before->shape()[2] != input.shape()[2]) return halved(*before, filters, id);
    if (before->shape()[3] == filters) return *before;
    const Symbol x = pointwise(relu(*before), filters, "adjust_conv_projection_" + id);
    return norm(x, "adjust_bn_" + id);
  }

  // Every second pixel, and every second pixel after the first: half of the channels from each.
  Symbol halved(const Symbol& before, int64_t filters, const std::string& id) {
    const Symbol x = ActivationLayer{.activation = "relu", .name = "adjust_relu_1_" + id}(before);
    const auto path = [&](const Symbol& from, int number) {
      const Symbol y = AveragePooling2D{
          .pool_size = 1, .strides = 2, .name = str("adjust_avg_pool_", number, "_", id)}(from);
      return pointwise(y, filters / 2, str("adjust_conv_", number, "_", id));
    };
    const Symbol even = path(x, 1);
    Symbol shifted =
        ZeroPadding2D{.padding = {{0, 1}, {0, 1}}, .name = net_.next("zero_padding2d")}(x);
    shifted = Cropping2D{.cropping = {{1, 0}, {1, 0}}, .name = net_.next("cropping2d")}(shifted);
    const Symbol odd = path(shifted, 2);
    return norm(joined({even, odd}, net_.next("concatenate")), "adjust_bn_" + id);
  }

  static Symbol averaged(const Symbol& x, const std::string& name, int64_t stride = 1) {
    return AveragePooling2D{
        .pool_size = 3, .strides = stride, .padding = padding_of_stride(stride), .name = name}(x);
  }

  static Symbol largest(const Symbol& x, const std::string& name) {
    return MaxPooling2D{.pool_size = 3, .strides = 2, .name = name}(x);
  }

  static Symbol sum(const std::string& name, const Symbol& a, const Symbol& b) {
    return Add{.name = name}({a, b});
  }

  static Symbol joined(const std::vector<Symbol>& branches, const std::string& name) {
    return Concatenate{.axis = -1, .name = name}(branches);
  }

  Architecture& net_;
};

struct NASNetSizes {
  const char *name, *file;
  int64_t default_size, penultimate_filters, stem_filters;
  int blocks;            // normal cells of each of the three stages
  bool skips_reduction;  // the cell after a reduction takes what lies two cells in front of it
};

CellOutputs reduced(NASNetLayers& layers, const CellOutputs& last, int64_t filters,
                    const std::string& id, bool skips) {
  CellOutputs next = layers.reduction(last, filters, id);
  if (skips) next.second = last.second;
  return next;
}

Model nasnet(const ApplicationOptions& options, const NASNetSizes& sizes) {
  Architecture net({.name = sizes.name, .default_size = sizes.default_size, .any_size = false},
                   options);
  NASNetLayers layers(net);
  const int64_t filters = sizes.penultimate_filters / 24;
  CellOutputs x = {layers.stem(net.image(), sizes.stem_filters), std::nullopt};
  x = layers.reduction(x, filters / 4, "stem_1");
  x = layers.reduction(x, filters / 2, "stem_2");
  int64_t width = filters;
  for (int stage = 0; stage < 3; ++stage, width *= 2) {
    const int first = stage == 0 ? 0 : stage * sizes.blocks + 1;
    if (stage > 0) {
      x = reduced(layers, x, width, str("reduce_", stage * sizes.blocks), sizes.skips_reduction);
    }
    for (int i = 0; i < sizes.blocks; ++i) x = layers.normal(x, width, str(first + i));
  }
  return net.model(net.top(layers.relu(x.first), {.average = ""}), sizes.file, sizes.file);
}

}  // namespace

Model NASNetMobile(const ApplicationOptions& options) {
  return nasnet(options, {"NASNetMobile", "nasnet_mobile", 224, 1056, 32, 4, false});
}
Model NASNetLarge(const ApplicationOptions& options) {
  return nasnet(options, {"NASNetLarge", "nasnet_large", 331, 4032, 96, 6, true});
}

}  // namespace applications
}  // namespace systolic::inline v0
