// The architectures against keras.applications 3.15: numbers of parameters, and answers with
// weights that both sides make (golden/make_logits.py). Bad input.
#include "systolic/applications/applications.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "systolic/applications/preprocessing.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/network/network.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

template <class Kind, class Body>
void expect_parts_of(const Body& body, const std::vector<std::string>& parts) {
  expect_parts(message_of<Kind>(body), parts);
}

// `count` numbers from -1 to 1: splitmix64 of seed + 1, seed + 2, ...
std::vector<double> hashed(size_t count, uint64_t seed) {
  std::vector<double> numbers;
  for (uint64_t i = 1; i <= count; ++i) {
    uint64_t z = (seed + i) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    numbers.push_back(static_cast<double>(z >> 40) / (1 << 23) - 1);
  }
  return numbers;
}

uint64_t seed_of(const std::string& path) {
  uint64_t value = 0xCBF29CE484222325u;
  for (const char byte : path) value = (value ^ static_cast<uint8_t>(byte)) * 0x100000001B3u;
  return value % (uint64_t{1} << 40);
}

// What numbers from -1 to 1 become for a weight of that name.
std::pair<double, double> scale_and_offset(const std::string& path, const Shape& shape,
                                           double gain) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (contains(name, "kernel")) {
    const bool depthwise = contains(path, "depthwise") || contains(path, "dw");
    double fan_in = 1;
    for (int i = 0; i < (depthwise ? 2 : shape.rank() - 1); ++i)
      fan_in *= static_cast<double>(shape[i]);
    return {std::sqrt(3 * gain / fan_in), 0};
  }
  if (contains(name, "variance")) return {0.5, 1};
  return {0.1, name == "gamma" ? 1 : 0};
}

void fill(const Network& network, double gain) {
  for (const NamedVariable& one : network.named_weights()) {
    if (contains(one.path, "count")) continue;
    const Shape shape = one.variable.shape();
    const auto [scale, offset] = scale_and_offset(one.path, shape, gain);
    std::vector<float> values;
    for (const double x : hashed(static_cast<size_t>(shape.elements()), seed_of(one.path)))
      values.push_back(static_cast<float>(x * scale + offset));
    one.variable.set(Literal::from(values, shape));
  }
}

Literal pixels_of(const Shape& picture) {
  const Shape shape{2, picture[0], picture[1], picture[2]};
  std::vector<float> values;
  for (const double x : hashed(static_cast<size_t>(shape.elements()), 1))
    values.push_back(static_cast<float>((x + 1) * 127.5));
  return Literal::from(values, shape);
}

ApplicationOptions options_of(const Json& json) {
  ApplicationOptions options{.weights = "", .classes = 7, .classifier_activation = "linear"};
  const std::vector<int64_t> shape = json.at("input_shape");
  options.input_shape = Shape(shape);
  options.include_top = json.value("include_top", true);
  options.pooling = json.value("pooling", "");
  if (json.contains("alpha")) options.alpha = json["alpha"];
  if (json.contains("depth_multiplier")) options.depth_multiplier = json["depth_multiplier"];
  if (json.contains("minimalistic")) options.minimalistic = json["minimalistic"];
  if (json.contains("include_preprocessing"))
    options.include_preprocessing = json["include_preprocessing"];
  return options;
}

Json golden_logits() {
  std::ifstream file(test::source_path("systolic/applications/golden/logits.json"));
  return Json::parse(file);
}

class Application : public testing::TestWithParam<size_t> {};

TEST_P(Application, AnswersAsKerasDoes) {
  const Json wanted = golden_logits().at(GetParam());
  const std::string name = wanted["name"];
  SCOPED_TRACE(wanted.dump().substr(0, 120));
  const Model model = applications::application(name, options_of(wanted["options"]));
  int64_t parameters = 0;
  for (const Variable& one : model.network().weights()) parameters += one.shape().elements();
  EXPECT_EQ(parameters, wanted["parameters"].get<int64_t>());
  EXPECT_EQ(model.network().name(), wanted["model"].get<std::string>());
  fill(model.network(), wanted["gain"]);
  const Literal got = model.predict(pixels_of(options_of(wanted["options"]).input_shape));
  const std::vector<double> outputs = wanted["outputs"];
  ASSERT_EQ(got.shape().elements(), wanted["size"].get<int64_t>());
  double largest = 0;
  for (const double one : outputs) largest = std::max(largest, std::abs(one));
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_NEAR(got.number_at(static_cast<int64_t>(i)), outputs[i], 1e-4 * largest) << i;
}

std::string case_name(const testing::TestParamInfo<size_t>& info) {
  static const Json all = golden_logits();
  return str(all.at(info.param)["name"].get<std::string>(), "_", info.param);
}

INSTANTIATE_TEST_SUITE_P(Keras, Application, testing::Range<size_t>(0, golden_logits().size()),
                         case_name);

TEST(ApplicationTable, HasEveryName) {
  EXPECT_EQ(applications::application_names().size(), 40u);
  expect_parts_of<NotFound>([] { applications::application("ResNet51"); },
                            {"no application 'ResNet51'", "ResNet50"});
}

TEST(ApplicationErrors, AreOfTheFunctionThatWasCalled) {
  const ApplicationOptions wrong{.weights = "", .pooling = "mean"};
  const std::pair<const char*, std::function<void()>> table[] = {
      {"Xception", [&] { applications::Xception(wrong); }},
      {"VGG16", [&] { applications::VGG16(wrong); }},
      {"VGG19", [&] { applications::VGG19(wrong); }},
      {"ResNet50", [&] { applications::ResNet50(wrong); }},
      {"ResNet101", [&] { applications::ResNet101(wrong); }},
      {"ResNet152", [&] { applications::ResNet152(wrong); }},
      {"ResNet50V2", [&] { applications::ResNet50V2(wrong); }},
      {"ResNet101V2", [&] { applications::ResNet101V2(wrong); }},
      {"ResNet152V2", [&] { applications::ResNet152V2(wrong); }},
      {"InceptionV3", [&] { applications::InceptionV3(wrong); }},
      {"InceptionResNetV2", [&] { applications::InceptionResNetV2(wrong); }},
      {"MobileNet", [&] { applications::MobileNet(wrong); }},
      {"MobileNetV2", [&] { applications::MobileNetV2(wrong); }},
      {"MobileNetV3Small", [&] { applications::MobileNetV3Small(wrong); }},
      {"MobileNetV3Large", [&] { applications::MobileNetV3Large(wrong); }},
      {"DenseNet121", [&] { applications::DenseNet121(wrong); }},
      {"DenseNet169", [&] { applications::DenseNet169(wrong); }},
      {"DenseNet201", [&] { applications::DenseNet201(wrong); }},
      {"NASNetMobile", [&] { applications::NASNetMobile(wrong); }},
      {"NASNetLarge", [&] { applications::NASNetLarge(wrong); }},
      {"EfficientNetB0", [&] { applications::EfficientNetB0(wrong); }},
      {"EfficientNetB1", [&] { applications::EfficientNetB1(wrong); }},
      {"EfficientNetB2", [&] { applications::EfficientNetB2(wrong); }},
      {"EfficientNetB3", [&] { applications::EfficientNetB3(wrong); }},
      {"EfficientNetB4", [&] { applications::EfficientNetB4(wrong); }},
      {"EfficientNetB5", [&] { applications::EfficientNetB5(wrong); }},
      {"EfficientNetB6", [&] { applications::EfficientNetB6(wrong); }},
      {"EfficientNetB7", [&] { applications::EfficientNetB7(wrong); }},
      {"EfficientNetV2B0", [&] { applications::EfficientNetV2B0(wrong); }},
      {"EfficientNetV2B1", [&] { applications::EfficientNetV2B1(wrong); }},
      {"EfficientNetV2B2", [&] { applications::EfficientNetV2B2(wrong); }},
      {"EfficientNetV2B3", [&] { applications::EfficientNetV2B3(wrong); }},
      {"EfficientNetV2S", [&] { applications::EfficientNetV2S(wrong); }},
      {"EfficientNetV2M", [&] { applications::EfficientNetV2M(wrong); }},
      {"EfficientNetV2L", [&] { applications::EfficientNetV2L(wrong); }},
      {"ConvNeXtTiny", [&] { applications::ConvNeXtTiny(wrong); }},
      {"ConvNeXtSmall", [&] { applications::ConvNeXtSmall(wrong); }},
      {"ConvNeXtBase", [&] { applications::ConvNeXtBase(wrong); }},
      {"ConvNeXtLarge", [&] { applications::ConvNeXtLarge(wrong); }},
      {"ConvNeXtXLarge", [&] { applications::ConvNeXtXLarge(wrong); }},
  };
  for (const auto& [name, make] : table) {
    expect_parts_of<InvalidArgument>(make, {str(name, ": the pooling 'mean'")});
    const auto by_name = [&, name = name] { applications::application(name, wrong); };
    EXPECT_EQ(message_of<InvalidArgument>(by_name), message_of<InvalidArgument>(make)) << name;
  }
}

TEST(ApplicationErrors, NameTheArchitectureAndWhatToDo) {
  using namespace applications;
  expect_parts_of<InvalidArgument>(
      [] {
        Xception({.weights = "", .input_shape = {70, 80, 3}});
      },
      {"Xception", "at least 71"});
  expect_parts_of<InvalidArgument>(
      [] {
        VGG16({.weights = "", .input_shape = {64, 64}});
      },
      {"VGG16", "[height, width, channels]"});
  expect_parts_of<InvalidArgument>([] { ResNet50({.classes = 10}); },
                                   {"ResNet50", "1,000 classes", ".include_top = false"});
  expect_parts_of<InvalidArgument>([] { ResNet50({.weights = "", .classes = 0}); }, {"0 classes"});
  expect_parts_of<InvalidArgument>(
      [] {
        ResNet50({.input_shape = {200, 200, 3}});
      },
      {"[224, 224, 3]", ".include_top = false"});
  expect_parts_of<InvalidArgument>(
      [] {
        DenseNet121({.include_top = false, .input_shape = {64, 64, 1}});
      },
      {"DenseNet121", "1 channels"});
  expect_parts_of<InvalidArgument>([] { VGG16({.weights = "", .alpha = 0.5}); },
                                   {"VGG16 has no alpha"});
  expect_parts_of<InvalidArgument>(
      [] { VGG16({.include_top = false, .weights = "", .pooling = "mean"}); },
      {"the pooling 'mean'", "\"avg\""});
  expect_parts_of<NotFound>([] { MobileNetV2({.weights = "no_such_file.h5"}); },
                            {"no_such_file.h5"});
}

// Sizes that are not known until data comes.
TEST(Application, TakesPicturesOfAnySizeWithoutItsClassifier) {
  const Model model = applications::MobileNetV2(
      {.include_top = false, .weights = "", .pooling = "avg", .alpha = 0.35});
  for (const int64_t size : {32, 50}) {
    const Literal x = Literal::zeros(DType::f32, {1, size, 64, 3});
    EXPECT_EQ(model.predict(x).shape(), (Shape{1, 1280}));
  }
}

TEST(Application, IsTrainedWithAFrozenBody) {
  const Symbol image = input({.shape = {32, 32, 3}});
  const Model body = applications::MobileNetV3Small(
      {.include_top = false, .weights = "", .input_shape = {32, 32, 3}, .pooling = "avg"});
  body.network().set_trainable(false);
  Model model(image, Dense{.units = 2}(body.network()(image)));
  model.compile({.optimizer = "adam", .loss = "mse"});
  const std::vector<Variable> trained = model.network().trainable_variables();
  EXPECT_EQ(trained.size(), 2u);
  const Literal x = pixels_of({32, 32, 3}), y = Literal::filled(DType::f32, {2, 2}, 1);
  const History history = model.fit(x, y, {.epochs = 12, .verbose = 0});
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
}

// keras.applications.*.preprocess_input of one pixel (10, 100, 250).
TEST(Preprocessing, ScalesPixelsAsKerasDoes) {
  const std::pair<const char*, std::vector<double>> table[] = {
      {"VGG16", {146.061, -16.779, -113.68}},
      {"ResNet50", {146.061, -16.779, -113.68}},
      {"DenseNet121", {-1.9466562, -0.2850140, 2.5528321}},
      {"Xception", {-0.92156863, -0.21568626, 0.9607844}},
      {"EfficientNetB0", {10, 100, 250}},
  };
  const Literal pixel = Literal::of<uint8_t>({{10, 100, 250}});
  for (const auto& [name, wanted] : table) {
    const Literal host = applications::preprocess_input(name, pixel);
    const Literal device = applications::preprocess_input(name, Tensor(pixel)).literal();
    for (int64_t i = 0; i < 3; ++i) {
      const double number = wanted[static_cast<size_t>(i)];
      EXPECT_NEAR(host.number_at(i), number, 1e-5 * std::abs(number)) << name << " " << i;
      EXPECT_NEAR(device.number_at(i), number, 1e-5 * std::abs(number)) << name << " " << i;
    }
  }
  expect_parts_of<InvalidArgument>(
      [] {
        applications::preprocess_input("VGG16", Literal::of<float>({{1, 2}}));
      },
      {"VGG16", "red, green and blue"});
}

TEST(DecodePredictions, NamesTheBest) {
  const TemporaryFolder folder;
  const std::string path = folder / "index.json";
  Json index;
  for (int i = 0; i < 1000; ++i) index[std::to_string(i)] = {str("n", i), str("class", i)};
  std::ofstream(path) << index;
  std::vector<float> scores(2000, 0.f);
  scores[7] = 0.5f, scores[3] = 0.25f, scores[1999] = 1.f;
  const applications::DecodeOptions three{.top = 3, .class_index = path};
  const std::vector<std::vector<applications::NamedClass>> best =
      applications::decode_predictions(Literal::from(scores, {2, 1000}), three);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0][0].name, "class7");
  EXPECT_EQ(best[0][1].id, "n3");
  EXPECT_EQ(best[0][1].score, 0.25);
  EXPECT_EQ(best[0][2].name, "class0");
  EXPECT_EQ(best[1][0].name, "class999");
  std::ofstream(path) << "{\"0\": [1]}";
  expect_parts_of<DataLoss>(
      [&] {
        applications::decode_predictions(Literal::from(scores, {2, 1000}), {.class_index = path});
      },
      {"index.json", "no entry \"0\""});
  expect_parts_of<InvalidArgument>(
      [] {
        applications::decode_predictions(Literal::zeros(DType::f32, {1, 10}));
      },
      {"[batch, 1000]"});
}

}  // namespace
}  // namespace systolic
