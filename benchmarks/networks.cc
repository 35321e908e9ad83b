#include "benchmarks/networks.h"

#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

template <class Kind>
Optimizer usual() {
  return Kind{};
}

Model mlp(const NetworkSizes& s) {
  return Sequential({Input{.shape = {784}}, Dense{.units = s.width, .activation = "relu"},
                     Dense{.units = s.width, .activation = "relu"}, Dense{.units = 10}});
}
Example mlp_batch(const NetworkSizes& s) { return random_digits({s.batch, 784}); }

// Half as many features as units.
template <class Layer>
Model recurrent(const NetworkSizes& s) {
  return Sequential(
      {Input{.shape = {s.size, s.width / 2}}, Layer{.units = s.width}, Dense{.units = 10}});
}
Example sequence_batch(const NetworkSizes& s) {
  return random_digits({s.batch, s.size, s.width / 2});
}

// From `width` channels to half as many, on twice the edge.
Model conv_transpose(const NetworkSizes& s) {
  return Sequential(
      {Input{.shape = {s.size, s.size, s.width}},
       Conv2DTranspose{.filters = s.width / 2, .kernel_size = 4, .strides = 2, .padding = "same"},
       GlobalAveragePooling2D{}, Dense{.units = 10}});
}
Example image_batch(const NetworkSizes& s) {
  return random_digits({s.batch, s.size, s.size, s.width});
}

Symbol convolution(const Symbol& x, int64_t filters) {
  return Conv2D{.filters = filters, .kernel_size = 3, .padding = "same", .activation = "relu"}(x);
}

Symbol two_convolutions(const Symbol& x, int64_t filters) {
  return convolution(convolution(x, filters), filters);
}

Symbol up(const Symbol& x, const Symbol& beside, int64_t filters) {
  const Symbol larger =
      Conv2DTranspose{.filters = filters, .kernel_size = 2, .strides = 2, .padding = "same"}(x);
  return two_convolutions(Concatenate{}({larger, beside}), filters);
}

// Two levels down and up again, after Ronneberger et al., "U-Net", 2015.
Model unet(const NetworkSizes& s) {
  const Symbol x = input({.shape = {s.size, s.size, 3}});
  const Symbol top = two_convolutions(x, s.width);
  const Symbol middle = two_convolutions(MaxPooling2D{}(top), 2 * s.width);
  const Symbol bottom = two_convolutions(MaxPooling2D{}(middle), 4 * s.width);
  const Symbol y = up(up(bottom, middle, 2 * s.width), top, s.width);
  return Model(x, Dense{.units = 10}(GlobalAveragePooling2D{}(y)));
}
Example picture_batch(const NetworkSizes& s) { return random_digits({s.batch, s.size, s.size, 3}); }

Model conv1d(const NetworkSizes& s) {
  return Sequential({Input{.shape = {s.size, s.width}},
                     Conv1D{.filters = s.width, .kernel_size = 5, .padding = "same"},
                     GlobalAveragePooling1D{}, Dense{.units = 10}});
}
Example channels_batch(const NetworkSizes& s) { return random_digits({s.batch, s.size, s.width}); }

Model depthwise(const NetworkSizes& s) {
  return Sequential({Input{.shape = {s.size, s.size, s.width}},
                     DepthwiseConv2D{.kernel_size = 3, .padding = "same"}, GlobalAveragePooling2D{},
                     Dense{.units = 10}});
}

Model conv3d(const NetworkSizes& s) {
  return Sequential({Input{.shape = {s.size, s.size, s.size, s.width}},
                     Conv3D{.filters = s.width, .kernel_size = 3, .padding = "same"},
                     GlobalAveragePooling3D{}, Dense{.units = 10}});
}
Example volume_batch(const NetworkSizes& s) {
  return random_digits({s.batch, s.size, s.size, s.size, s.width});
}

template <Model (*application)(const ApplicationOptions&)>
Model pretrained(const NetworkSizes& s) {
  return application({.weights = "",
                      .input_shape = {s.size, s.size, 3},
                      .classes = 10,
                      .classifier_activation = "linear"});
}

// 26 ids of each row of the batch, from a table of `size` rows.
Model embedding(const NetworkSizes& s) {
  return Sequential({Input{.shape = {26}, .dtype = DType::i32},
                     Embedding{.input_dim = s.size, .output_dim = s.width},
                     GlobalAveragePooling1D{}, Dense{.units = 10}});
}
Example ids_batch(const NetworkSizes& s) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> id(0, static_cast<int32_t>(s.size - 1));
  Literal ids(DType::i32, {s.batch, 26});
  for (int32_t& value : ids.mutable_data<int32_t>()) value = id(bits);
  return Example{{"ids", ids}, {"label", random_digits({s.batch, 1})["label"]}};
}

}  // namespace

const std::vector<MeasuredNetwork>& networks() {
  static const std::vector<MeasuredNetwork> table = {
      {"mlp_wide", {4096, 0, 1024}, usual<Adam>, mlp, mlp_batch},
      {"lstm", {64, 128, 256}, usual<Adam>, recurrent<LSTM>, sequence_batch},
      {"gru", {64, 128, 256}, usual<Adam>, recurrent<GRU>, sequence_batch},
      {"conv_transpose", {8, 28, 128}, usual<Adam>, conv_transpose, image_batch},
      {"unet", {8, 64, 32}, usual<Adam>, unet, picture_batch},
      {"conv1d", {32, 512, 128}, usual<Adam>, conv1d, channels_batch},
      {"conv3d", {4, 16, 32}, usual<Adam>, conv3d, volume_batch},
      {"depthwise", {8, 112, 96}, usual<Adam>, depthwise, image_batch},
      {"mobilenet_v2",
       {16, 224, 0},
       usual<Adam>,
       pretrained<applications::MobileNetV2>,
       picture_batch},
      {"efficientnet_b0",
       {16, 224, 0},
       usual<Adam>,
       pretrained<applications::EfficientNetB0>,
       picture_batch},
      {"resnet50", {16, 224, 0}, usual<Adam>, pretrained<applications::ResNet50>, picture_batch},
      {"embedding_sgd", {1024, 2'000'000, 32}, usual<SGD>, embedding, ids_batch},
      {"embedding_adagrad", {1024, 2'000'000, 32}, usual<Adagrad>, embedding, ids_batch},
      {"embedding_adam", {1024, 2'000'000, 32}, usual<Adam>, embedding, ids_batch},
  };
  return table;
}

NetworkSizes sizes_of(NetworkSizes given, const MeasuredNetwork& network) {
  if (given.batch == 0) given.batch = network.sizes.batch;
  if (given.size == 0) given.size = network.sizes.size;
  if (given.width == 0) given.width = network.sizes.width;
  return given;
}

const MeasuredNetwork& network(const std::string& name) {
  std::vector<std::string> names;
  for (const MeasuredNetwork& each : networks()) {
    if (name == each.name) return each;
    names.emplace_back(each.name);
  }
  raise<InvalidArgument>(
      {.what = str("there is no network '", name, "'"), .wanted = join(names, ", ")});
}

}  // namespace systolic
