#include "benchmarks/networks.h"

#include <nlohmann/json.hpp>
#include <random>

#include "benchmarks/measure.h"
#include "networks_json.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

template <class Kind>
Optimizer usual() {
  return Kind{};
}

NetworkSizes usual_sizes(const char* name) {
  static const nlohmann::json table = nlohmann::json::parse(networks_json);
  const nlohmann::json& sizes = table.at(name);
  return {.batch = sizes.at("batch").get<int64_t>(),
          .size = sizes.value("size", int64_t{0}),
          .width = sizes.value("width", int64_t{0})};
}

template <class Kind>
MeasuredNetwork measured(const char* name, Model (*build)(const NetworkSizes& sizes),
                         Example (*batch)(const NetworkSizes& sizes)) {
  return {name, usual_sizes(name), usual<Kind>, build, batch};
}

Model mlp(const NetworkSizes& s) {
  return Sequential({Input{.shape = {784}}, Dense{.units = s.width, .activation = "relu"},
                     Dense{.units = s.width, .activation = "relu"}, Dense{.units = 10}});
}
Example mlp_batch(const NetworkSizes& s) { return random_digits({s.batch, 784}); }

// `size` hidden layers.
Model deep_mlp(const NetworkSizes& s) {
  std::vector<Layer> layers = {Input{.shape = {784}}};
  for (int64_t i = 0; i < s.size; ++i) {
    layers.push_back(Dense{.units = s.width, .activation = "relu"});
  }
  layers.push_back(Dense{.units = 10});
  return Sequential(layers);
}

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

namespace tables = tpu::experimental::embedding;

// 26 ids of each row of the batch, from a table of `size` rows.
Model plain_embedding(const NetworkSizes& s) {
  return Sequential({Input{.shape = {26}, .dtype = DType::i32},
                     Embedding{.input_dim = s.size, .output_dim = s.width},
                     GlobalAveragePooling1D{}, Dense{.units = 10}});
}
// The same table with an optimizer of its own, which moves the rows that were looked up alone.
template <class Rule>
Model embedding_table(const NetworkSizes& s) {
  using namespace keras_rs::layers;
  const TableConfig table{
      .name = "table", .vocabulary_size = s.size, .embedding_dim = s.width, .optimizer = Rule{}};
  const Symbol ids = input({.shape = {26}, .dtype = DType::i32, .name = "ids"});
  const std::vector<Symbol> vectors = DistributedEmbedding{
      .feature_configs = {{.name = "id", .table = table}}}(std::vector<Symbol>{ids});
  return Model(Network({ids}, Dense{.units = 10}(vectors[0])));
}
Example ids_batch(const NetworkSizes& s) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> id(0, static_cast<int32_t>(s.size - 1));
  Literal ids(DType::i32, {s.batch, 26});
  for (int32_t& value : ids.mutable_data<int32_t>()) value = id(bits);
  return Example{{"ids", ids}, {"label", random_digits({s.batch, 1})["label"]}};
}

// 13 numbers through one MLP and 26 ids through a table each; all products of two of the 27 vectors
// go through another MLP. After Naumov et al., "Deep Learning Recommendation Model", 2019.
Symbol dense(const Symbol& x, int64_t units) {
  return Dense{.units = units, .activation = "relu"}(x);
}

Model dlrm(const NetworkSizes& s) {
  const Symbol numbers = input({.shape = {13}, .name = "numbers"});
  std::vector<Symbol> inputs = {numbers};
  const Symbol bottom = dense(dense(dense(numbers, 512), 256), s.width);
  std::vector<Symbol> vectors = {Reshape{.target_shape = {1, s.width}}(bottom)};
  for (int i = 0; i < 26; ++i) {
    inputs.push_back(input({.shape = {1}, .dtype = DType::i32, .name = str("id", i)}));
    vectors.push_back(Embedding{.input_dim = s.size, .output_dim = s.width}(inputs.back()));
  }
  const Symbol all = Concatenate{.axis = 1}(vectors);
  const Symbol products = Flatten{}(Dot{.axes = {2, 2}}({all, all}));
  const Symbol top = dense(dense(Concatenate{}({bottom, products}), 512), 256);
  return Model(Network(inputs, Dense{.units = 10}(top)));
}
Example clicks(const NetworkSizes& s) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> id(0, static_cast<int32_t>(s.size - 1));
  const Example numbers = random_digits({s.batch, 13});
  Example result{{"numbers", numbers.value(0)}};
  for (int i = 0; i < 26; ++i) {
    Literal ids(DType::i32, {s.batch, 1});
    for (int32_t& value : ids.mutable_data<int32_t>()) value = id(bits);
    result.set(str("id", i), ids);
  }
  result.set("label", numbers["label"]);
  return result;
}

}  // namespace

const std::vector<MeasuredNetwork>& networks() {
  using applications::EfficientNetB0, applications::MobileNetV2, applications::ResNet50;
  static const std::vector<MeasuredNetwork> table = {
      measured<Adam>("mlp_wide", mlp, mlp_batch),
      measured<Adam>("mlp_deep", deep_mlp, mlp_batch),
      measured<Adam>("lstm", recurrent<LSTM>, sequence_batch),
      measured<Adam>("gru", recurrent<GRU>, sequence_batch),
      measured<Adam>("conv_transpose", conv_transpose, image_batch),
      measured<Adam>("unet", unet, picture_batch),
      measured<Adam>("conv1d", conv1d, channels_batch),
      measured<Adam>("conv3d", conv3d, volume_batch),
      measured<Adam>("depthwise", depthwise, image_batch),
      measured<Adam>("mobilenet_v2", pretrained<MobileNetV2>, picture_batch),
      measured<Adam>("efficientnet_b0", pretrained<EfficientNetB0>, picture_batch),
      measured<Adam>("resnet50", pretrained<ResNet50>, picture_batch),
      measured<SGD>("dlrm", dlrm, clicks),
      measured<SGD>("plain_embedding_sgd", plain_embedding, ids_batch),
      measured<SGD>("embedding_sgd", embedding_table<tables::SGD>, ids_batch),
      measured<Adagrad>("embedding_adagrad", embedding_table<tables::Adagrad>, ids_batch),
      measured<Adam>("embedding_lazy_adam", embedding_table<tables::Adam>, ids_batch),
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
