// Names read at run time: an unknown one lists all that are known, and the closest.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"

namespace systolic {
namespace {

struct NameCase {
  const char* kind;
  std::function<void(const std::string& name)> parse;
  std::vector<std::string> known;
  const char* misspelt;
  const char* closest;
};

std::vector<NameCase> cases() {
  return {
      {"activation", [](const std::string& n) { Activation::parse(n); },
       Choice<ActivationNames>::known(), "reluu", "relu"},
      {"padding", [](const std::string& n) { Padding::parse(n); }, Padding::known(), "smae",
       "same"},
      {"initializer", [](const std::string& n) { Initializer::parse(n); },
       Choice<InitializerNames>::known(), "glorot_unifrm", "glorot_uniform"},
      {"loss", [](const std::string& n) { LossFunction::parse(n); }, Choice<LossNames>::known(),
       "hubber", "huber"},
      {"reduction", [](const std::string& n) { Reduction::parse(n); }, Reduction::known(), "som",
       "sum"},
      {"metric", [](const std::string& n) { Metric::parse(n); }, Choice<MetricNames>::known(),
       "acuracy", "accuracy"},
      {"optimizer", [](const std::string& n) { Optimizer::parse(n); },
       Choice<OptimizerNames>::known(), "adm", "adam"},
      {"curve", [](const std::string& n) { Choice<AucCurveNames>::parse(n); },
       Choice<AucCurveNames>::known(), "RoC", "ROC"},
  };
}

// A layer as a user writes it.
struct Scaled {
  static constexpr const char* kind = "Scaled";
  double by = 1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext&) const { return x * by; }
  static constexpr auto fields() {
    return std::tuple(field("by", &Scaled::by), field("dtype", &Scaled::dtype),
                      field("name", &Scaled::name));
  }
};

TEST(NamesTest, UnknownOnesListWhatIsKnown) {
  for (const NameCase& one : cases()) {
    SCOPED_TRACE(one.kind);
    for (const std::string& name : one.known) EXPECT_NO_THROW(one.parse(name));
    try {
      one.parse(one.misspelt);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(str(one.kind, " '", one.misspelt, "' is not known")), std::string::npos)
          << text;
      EXPECT_NE(text.find(join(one.known, " ")), std::string::npos) << text;
      EXPECT_NE(text.find(str("did you mean '", one.closest, "'")), std::string::npos) << text;
    }
  }
}

TEST(NamesTest, AnUnknownLayerNamesTheClosest) {
  try {
    layer_from_config(Config::parse(R"({"class_name": "Dens", "config": {"units": 3}})"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("Dense"), std::string::npos) << error.what();
  }
}

TEST(NamesTest, WhatNoFieldTakesNamesLayerFieldAndLine) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"units": "three"})", "Dense, units: configuration holds \"three\", expected an integer"},
      {R"({"units": 3, "kernel_regularizer": {"l1": []}})", "kernel_regularizer"},
      {R"({"units": 3, "activation": "rely"})", "Dense, activation: "},
      {R"({"unit": 3})", "Dense has no field 'unit'"},
      {R"({})", "the configuration of Dense lacks 'units'"}};
  for (const auto& [values, wanted] : rows) {
    const std::string text = str(R"({"class_name": "Dense", "config": )", values, "}");
    const std::string message = error_of([&] { layer_from_config(Config::parse(text)); });
    expect_parts(message, {wanted, "names_test.cc:"});
  }
}

TEST(NamesTest, AUsersOwnLayerIsKnownOnceRegistered) {
  const Layer layer = Scaled{.by = 3};
  const Config config = layer.get_config();
  EXPECT_THROW(layer_from_config(config), NotFound);
  register_layer<Scaled>();
  const Layer again = layer_from_config(Config::parse(config.text()));
  EXPECT_EQ(again.get_config(), config);
  EXPECT_EQ(again(Tensor(Literal::of<float>({1, -2}))).literal(), Literal::of<float>({3, -6}));
  EXPECT_THROW(
      layer_from_config(Config::parse(R"({"class_name": "Scaled", "config": {"bye": 3}})")),
      InvalidArgument);
}

struct Halved {
  std::string name = {};
  Tensor call(const Tensor& x, CallContext&) const { return x * 0.5; }
};
template <class T>
struct Doubled {
  Tensor call(const Tensor& x, CallContext&) const { return x * T(2); }
};

TEST(NamesTest, ALayerWithoutAKindIsNamedAfterItsType) {
  EXPECT_EQ(Layer(Halved{}).kind(), "Halved");
  EXPECT_EQ(Layer(Doubled<double>{}).kind(), "Doubled");
  struct Local {
    Tensor call(const Tensor& x, CallContext&) const { return x; }
  };
  EXPECT_EQ(Layer(Local{}).kind(), "Local");
  const Network network = Sequential({Input{.shape = {2}}, Halved{}, Halved{}});
  EXPECT_EQ(network.name_of(network.layers().at(1)), "halved_1");
}

TEST(NamesTest, TwoLayersOfOneNameAreRefused) {
  const Symbol x = input({.shape = {2}});
  const std::function<void()> wrong[] = {
      [] {
        Sequential({Input{.shape = {2}}, Halved{"same"}, Dense{.units = 2, .name = "same"}});
      },
      [] {
        Sequential({Halved{"same"}, Dense{.units = 2, .name = "same"}});
      },
      [&] { Network(x, Dense{.units = 2, .name = "same"}(Layer(Halved{"same"})(x))); }};
  for (const auto& make : wrong) {
    try {
      make();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("two layers have the name 'same', a Halved and a Dense"),
                std::string::npos)
          << text;
      EXPECT_NE(text.find("names_test.cc"), std::string::npos) << text;
    }
  }
}

TEST(NamesTest, GivenNamesStayAndOthersAreNumberedAroundThem) {
  const Layer shared = Halved{"shared"};
  const Network network =
      Sequential({Input{.shape = {2}}, Dense{.units = 2}, Dense{.units = 2, .name = "dense"},
                  shared, shared, Dense{.units = 2}});
  std::vector<std::string> names;
  for (const Layer& layer : network.layers()) names.push_back(network.name_of(layer));
  EXPECT_EQ(names, (std::vector<std::string>{"dense_1", "dense", "shared", "dense_2"}));
}

struct Throwing {
  Tensor call(const Tensor&, CallContext&) const { throw std::out_of_range("no such row"); }
};

TEST(NamesTest, WhatALayerThrowsNamesTheLayer) {
  const Symbol x = input({.shape = {2}});
  const Network block = Sequential({Dense{.units = 2}, Throwing{}}, {.name = "block"});
  try {
    block(x);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FunctionFailed& error) {
    EXPECT_NE(
        std::string(error.what()).find("Throwing 'throwing': its call threw out_of_range: no such"),
        std::string::npos)
        << error.what();
  }
}

// A user's own layer has no call operator of its own, as Dense has: a Layer of it is another one.
struct Careless {
  Tensor call(const Tensor& x, CallContext& context) const { return Layer(Halved{})(x, context); }
};
struct Careful {
  Layer inner = Halved{}, other = Halved{};
  Tensor call(const Tensor& x, CallContext& context) const {
    return context.training() ? inner(x, context) : other(x, context);
  }
};

TEST(NamesTest, ALayerThatACallMakesAnewIsRefused) {
  const Symbol x = input({.shape = {2}});
  try {
    Layer(Careless{})(x);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what())
                  .find("Careless 'careless': its call makes a new Halved each time"),
              std::string::npos)
        << error.what();
  }
  const Layer careful = Careful{};
  const Tensor one(Literal::of<float>({1, 2}));
  for (const bool training : {true, false, true, false}) {
    EXPECT_EQ(careful(one, {.training = training}).literal(), Literal::of<float>({0.5f, 1}));
  }
  EXPECT_EQ(Network(Sequential({careful})).clone()(one).literal(), Literal::of<float>({0.5f, 1}));
}

struct Weighted {
  Required<std::vector<double>> values;
  Required<std::vector<std::string>> names;
};

TEST(NamesTest, RequiredTakesBracedLists) {
  const Weighted weighted{.values = {0.5, 2}, .names = {"a", "b"}};
  EXPECT_EQ(weighted.values.get(), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(weighted.names.get(), (std::vector<std::string>{"a", "b"}));
  const std::vector<double> values{1};
  EXPECT_EQ((Weighted{.values = values, .names = {"a"}}).values.get(), values);
}

TEST(NamesTest, RequiredComparesWithPlainValues) {
  const Dropout dropout{.rate = 0.5};
  const Dense dense{.units = 3};
  const Conv2D convolution{.filters = 3, .kernel_size = {3, 5}};
  EXPECT_TRUE(dropout.rate == 0.5 && 0.5 == dropout.rate && dropout.rate != 1 && dropout.rate < 1);
  EXPECT_TRUE(dense.units == 3 && dense.units != int64_t{4} && dense.units > 2);
  EXPECT_TRUE(dense.units == convolution.filters);
  EXPECT_TRUE(convolution.kernel_size == Size2(3, 5) && convolution.kernel_size != 3);
  EXPECT_EQ(convolution.kernel_size->width, 5);
}

}  // namespace
}  // namespace systolic
