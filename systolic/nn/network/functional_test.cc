// The functional API: shared layers, several inputs and outputs, slicing and arithmetic of symbols,
// networks in networks, clones.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/test_literals.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

std::string paths_of(const Network& network) {
  std::vector<std::string> paths;
  for (const NamedVariable& one : network.named_weights()) paths.push_back(one.path);
  return join(paths);
}

// y_j = sum_i x_i k_ij in double.
std::vector<double> times(const std::vector<double>& x, const Literal& kernel) {
  const int64_t columns = kernel.shape()[1];
  std::vector<double> y(static_cast<size_t>(columns), 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      y[static_cast<size_t>(j)] += x[i] * kernel.number_at(static_cast<int64_t>(i) * columns + j);
    }
  }
  return y;
}

TEST(FunctionalTest, ASharedLayerHasOneKernelAndTheSumOfTheGradients) {
  const Symbol a = input({.shape = {2}, .name = "a"}), b = input({.shape = {2}, .name = "b"});
  const Layer shared = Dense{.units = 1, .use_bias = false, .name = "both"};
  const Network network({a, b}, {Add{}({shared(a), shared(b)})});
  EXPECT_EQ(paths_of(network), "both/kernel");
  const Variable kernel = network.weights().at(0);
  kernel.set(Literal::of<float>({{2}, {-1}}));
  const Tensor xa = constant({{1.f, 2.f}}), xb = constant({{10.f, 5.f}});
  GradientTape tape;
  const Tensor y = network({xa, xb});
  EXPECT_EQ(y.item<float>(), (2 - 2) + (20 - 5));
  // d y / d kernel = xa + xb.
  EXPECT_EQ(tape.gradient(sum(y), kernel).literal(), Literal::of<float>({{11}, {7}}));
}

TEST(FunctionalTest, WholeNumbersBesideIntegers) {
  const Symbol ids = input({.shape = {3}, .dtype = DType::i32});
  const Network network(ids, {ids + 1, 7 - ids, ids * 2, ids / 2});
  const std::vector<Tensor> got = network.outputs({Tensor(Literal::of<int32_t>({{1, 2, 5}}))});
  EXPECT_EQ(got[0].literal(), Literal::of<int32_t>({{2, 3, 6}}));
  EXPECT_EQ(got[1].literal(), Literal::of<int32_t>({{6, 5, 2}}));
  EXPECT_EQ(got[2].literal(), Literal::of<int32_t>({{2, 4, 10}}));
  EXPECT_EQ(got[3].literal(), Literal::of<int32_t>({{0, 1, 2}}));
  try {
    ids + 0.5;
    ADD_FAILURE() << "added 0.5 to integers";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("the number 0.5 with a Tensor"), std::string::npos);
  }
}

TEST(FunctionalTest, TwoSpecsAreTwoLayers) {
  const Dense spec{.units = 3};
  const Symbol x = input({.shape = {2}});
  const Network network(x, Layer(spec)(Layer(Dense{.units = 2})(Layer(spec)(x))));
  EXPECT_EQ(paths_of(network),
            "dense/kernel, dense/bias, dense_1/kernel, dense_1/bias, dense_2/kernel, dense_2/bias");
}

// Calls on a temporary and on a named Tensor: either way the inner layers are the same at each
// call.
struct Twice {
  static constexpr const char* kind = "Twice";
  Tensor call(const Tensor& x, CallContext& context) const {
    const Tensor y = Dense{.units = 2, .name = "first"}(x * 1.0, context);
    return Dense{.units = 2}(Dense{.units = 3}(y + 0.0, context), context);
  }
};

TEST(FunctionalTest, LayersWrittenInACallAreMadeOnce) {
  const Layer layer = Twice{};
  const Tensor x = constant({{1.f, 2.f}});
  const Literal first = layer(x).literal();
  EXPECT_EQ(layer(x).literal(), first);
  EXPECT_EQ(layer.weights().size(), 6u);
}

struct TwoOutputs {
  static constexpr const char* kind = "TwoOutputs";
  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext&) const {
    return {xs[0] * 2.0, xs[0]};
  }
};

// A model's outputs, the first of them, its first step, a Dense layer on top.
TEST(FunctionalTest, TheFirstStepOfTheFirstOutputGoesIntoADenseLayer) {
  const Symbol x = input({.shape = {4, 3}});
  const Layer encoder = TwoOutputs{};
  const Symbol first = encoder.outputs({x})[0][{all, 0, all}];
  EXPECT_EQ(shape_text(first.shape()), "(None, 3)");
  const Network network(x, Dense{1, "sigmoid"}(first));
  network.weights().at(0).set(Literal::of<float>({{0.5f}, {0}, {-0.25f}}));
  const Literal in = host_normal({2, 4, 3}, 0, 1, 5);
  const Literal got = network(Tensor(in)).literal();
  for (int64_t row = 0; row < 2; ++row) {
    const double sum = in.number_at(row * 12) - 0.5 * in.number_at(row * 12 + 2);
    EXPECT_NEAR(got.number_at(row), 1 / (1 + std::exp(-sum)), 1e-6);
  }
}

TEST(FunctionalTest, SeveralInputsAndOutputs) {
  const Symbol image = input({.shape = {2, 2}, .name = "image"});
  const Symbol number = input({.shape = {1}, .name = "number"});
  const Symbol joined = Concatenate{}({Flatten{}(image), number});
  const Symbol score = Dense{.units = 2, .use_bias = false, .name = "score"}(joined);
  const Symbol total = score * 2.0 + number;
  const Network network({image, number}, {score, total});

  ASSERT_EQ(network.input_ports().size(), 2u);
  EXPECT_EQ(network.input_ports().at(1).name, "number");
  EXPECT_EQ(network.output_ports().at(0).name, "score");
  const Literal kernel = network.weights().at(0).literal();
  const Tensor images(Literal::from(std::vector<float>{1, 2, 3, 4}, {1, 2, 2}));
  const std::vector<Tensor> outputs = network.outputs({images, constant({{5.f}})});
  const std::vector<double> wanted = times({1, 2, 3, 4, 5}, kernel);
  for (int64_t j = 0; j < 2; ++j) {
    const double value = wanted[static_cast<size_t>(j)];
    EXPECT_NEAR(outputs.at(0).literal().number_at(j), value, 1e-5);
    EXPECT_NEAR(outputs.at(1).literal().number_at(j), 2 * value + 5, 1e-5);
  }
}

TEST(FunctionalTest, SlicesOfSymbolsAreSlicesOfTensors) {
  const Literal x = host_normal({3, 4, 5}, 0, 1, 2);
  struct Slicing {
    const char* name;
    Symbol (*of_symbol)(const Symbol&);
    Tensor (*of_tensor)(const Tensor&);
    const char* shape;
  };
  const Slicing slicings[] = {
      {"first step",
       [](const Symbol& s) {
         return s[{all, 0}];
       },
       [](const Tensor& t) {
         return t[{all, 0}];
       },
       "(None, 5)"},
      {"last step",
       [](const Symbol& s) {
         return s[{all, -1}];
       },
       [](const Tensor& t) {
         return t[{all, -1}];
       },
       "(None, 5)"},
      {"seed's [:, 0, :]",
       [](const Symbol& s) {
         return s[{all, 0, all}];
       },
       [](const Tensor& t) {
         return t[{all, 0, all}];
       },
       "(None, 5)"},
      {"range",
       [](const Symbol& s) {
         return s[{all, Slice{.begin = 1, .end = 3}}];
       },
       [](const Tensor& t) {
         return t[{all, Slice{.begin = 1, .end = 3}}];
       },
       "(None, 2, 5)"},
      {"steps of two",
       [](const Symbol& s) {
         return s[{ellipsis, Slice{.step = 2}}];
       },
       [](const Tensor& t) {
         return t[{ellipsis, Slice{.step = 2}}];
       },
       "(None, 4, 3)"},
      {"reversed",
       [](const Symbol& s) {
         return s[{ellipsis, Slice{.step = -1}}];
       },
       [](const Tensor& t) {
         return t[{ellipsis, Slice{.step = -1}}];
       },
       "(None, 4, 5)"},
      {"new axis",
       [](const Symbol& s) {
         return s[{all, new_axis, all, 2}];
       },
       [](const Tensor& t) {
         return t[{all, new_axis, all, 2}];
       },
       "(None, 1, 4)"},
  };
  for (const Slicing& one : slicings) {
    SCOPED_TRACE(one.name);
    const Symbol in = input({.shape = {4, 5}});
    const Symbol sliced = one.of_symbol(in);
    EXPECT_EQ(shape_text(sliced.shape()), one.shape);
    const Network network(in, sliced);
    const Literal wanted = one.of_tensor(Tensor(x)).literal();
    EXPECT_EQ(network(Tensor(x)).literal(), wanted);
    const Network again = Network::from_config(Config::parse(network.get_config().text()));
    EXPECT_EQ(again(Tensor(x)).literal(), wanted);
  }
}

TEST(FunctionalTest, ArithmeticOfSymbolsIsThatOfTensors) {
  const Symbol a = input({.shape = {3}}), b = input({.shape = {3}});
  const Network network({a, b}, {a + b, a - b, a * b, a / b, 1 - a, 2 / b, -a, a * 0.5 + 1});
  const Tensor x = constant({{1.f, 2.f, 3.f}}), y = constant({{4.f, 5.f, 8.f}});
  const std::vector<Tensor> got = network.outputs({x, y});
  const std::vector<Tensor> wanted{x + y, x - y, x * y, x / y, 1 - x, 2 / y, -x, x * 0.5 + 1};
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    expect_near(got[i].literal(), wanted[i].literal(), {.absolute = 1e-5});
}

TEST(FunctionalTest, ANetworkIsALayerOfAnother) {
  const Network inner = Sequential({Input{.shape = {3}}, Dense{.units = 2}}, {.name = "inner"});
  const Symbol x = input({.shape = {3}});
  const Network outer(x, Dense{.units = 1}(inner(x)));
  EXPECT_EQ(paths_of(outer), "inner/dense/kernel, inner/dense/bias, dense/kernel, dense/bias");
  EXPECT_TRUE(outer.weights().at(0) == inner.weights().at(0));
}

TEST(FunctionalTest, AValueOfAnotherGraphIsRefused) {
  const Symbol a = input({.shape = {3}}), b = input({.shape = {3}});
  EXPECT_THROW(Network(a, Dense{.units = 1}(b)), InvalidArgument);
}

Network shared_network() {
  const Symbol x = input({.shape = {4}});
  const Layer shared = Dense{.units = 4, .activation = "tanh"};
  return Network(x, Dense{.units = 1}(BatchNormalization{}(shared(shared(x)))));
}

TEST(CloneTest, HasTheSameValuesAndALifeOfItsOwn) {
  const Network network = shared_network();
  const Tensor x = constant({{1.f, -2.f, 0.5f, 3.f}, {0.f, 1.f, 2.f, -1.f}});
  network(x, {.training = true});  // moves the averages
  const Network clone = network.clone();
  EXPECT_EQ(paths_of(clone), paths_of(network));
  EXPECT_EQ(clone.get_config(), network.get_config());
  EXPECT_EQ(clone(x).literal(), network(x).literal());
  const Literal before = network(x).literal();
  for (const Variable& weight : clone.weights()) {
    weight.set(Literal::zeros(weight.dtype(), weight.shape()));
  }
  EXPECT_EQ(network(x).literal(), before);
  EXPECT_EQ(clone(x).literal(), Literal::zeros(DType::f32, {2, 1}));
}

TEST(CloneTest, KeepsSharingAndWhatIsFrozen) {
  const Network network = shared_network();
  network.layers().at(0).set_trainable(false);
  const Network clone = network.clone();
  EXPECT_EQ(clone.weights().size(), network.weights().size());
  EXPECT_EQ(clone.trainable_variables().size(), network.trainable_variables().size());
  // One kernel, used twice: the output is tanh(tanh(x k + b) k + b) of that kernel.
  const Variable kernel = clone.weights().at(0);
  kernel.set(Literal::zeros(DType::f32, {4, 4}));
  const Tensor x = constant({{1.f, 2.f, 3.f, 4.f}}), y = constant({{-4.f, 0.f, 1.f, 2.f}});
  EXPECT_EQ(clone(x).literal(), clone(y).literal());
  EXPECT_FALSE(network(x).literal() == network(y).literal());
}

}  // namespace
}  // namespace systolic
