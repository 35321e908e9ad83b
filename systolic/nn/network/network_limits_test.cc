// Networks at their limits: frozen and thawed, sizes not known, layers called twice, damaged
// configurations.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/random.h"

namespace systolic {
namespace {

TEST(NetworkLimits, WhatWasFrozenWhenItWasBuiltCanBeThawed) {
  const Layer dense = Dense{.units = 2};
  dense.set_trainable(false);
  const Network network(std::vector<Layer>{Input{.shape = {3}}, dense, Dense{.units = 1}}, {});
  EXPECT_EQ(network.trainable_variables().size(), 2u);
  dense.set_trainable(true);
  EXPECT_EQ(network.trainable_variables().size(), 4u);
  EXPECT_TRUE(network.non_trainable_variables().empty());
}

struct GivesNothing {
  Tensor call(const Tensor&, CallContext&) const { return {}; }
};
struct GivesTwo {
  std::vector<Tensor> call(const Tensor& x, CallContext&) const { return {x, x}; }
};

TEST(NetworkLimits, WhatCannotBeANetworkNamesItsLine) {
  const SourceLocation here{"main.cc", 7};
  const Symbol a = input({.shape = {3}, .name = "a"}), b = input({.shape = {3}, .name = "a"});
  const Input in{.shape = {3}};
  struct Row {
    std::function<void()> make;
    std::vector<std::string> parts;
  };
  const Row table[] = {
      {[&] {
         Network(std::vector<Layer>{Dense{.units = 2}, Input{.shape = {3}}}, {}, here);
       },
       {"Sequential has an Input as layer 1", "network_limits_test.cc"}},
      {[&] {
         Network({a, b}, {a, b}, {}, here);
       },
       {"two inputs", "'a'", "main.cc:7"}},
      {[&] {
         Network(std::vector<Layer>{in, GivesNothing{}}, {}, here);
       },
       {"GivesNothing 'gives_nothing': its call gave a Tensor that holds nothing", "main.cc:7"}},
      {[&] {
         Network(std::vector<Layer>{in, GivesTwo{}}, {}, here);
       },
       {"GivesTwo gives 2 outputs", "main.cc:7"}},
  };
  for (const Row& row : table)
    expect_parts(message_of<InvalidArgument>([&] { row.make(); }), row.parts);
}

TEST(NetworkLimits, SizesNotKnownTakeLargeWindows) {
  const Network network(
      std::vector<Layer>{Input{.shape = {-1, -1, 3}}, Conv2D{.filters = 2, .kernel_size = 7}}, {});
  EXPECT_EQ(shape_text(network.output_ports().at(0).type.shape), "(None, None, None, 2)");
  EXPECT_EQ(network(zeros({1, 7, 9, 3})).shape(), (Shape{1, 1, 3, 2}));
}

struct TwoDraws {
  static constexpr const char* kind = "TwoDraws";
  Tensor call(const Tensor& x, CallContext& context) const {
    return random_uniform(x.shape(), 0, 1, {.key = context.random_key()}) -
           random_uniform(x.shape(), 0, 1, {.key = context.random_key()});
  }
};

TEST(NetworkLimits, EachDrawIsAnother) {
  const Tensor x = ones({20, 10});
  const CallOptions keyed{.training = true, .random_key = Tensor(Literal::of<uint64_t>({9, 1}))};
  const Layer shared = Dropout{.rate = 0.5};
  const Symbol in = input({.shape = {10}});
  const std::vector<Tensor> both = Network({in}, {shared(in), shared(in)}).outputs({x}, keyed);
  EXPECT_FALSE(both.at(0).literal() == both.at(1).literal());
  const Layer draws = TwoDraws{};
  EXPECT_FALSE(draws(x, keyed).literal() == zeros({20, 10}).literal());
  EXPECT_EQ(draws(x, keyed).literal(), draws(x, keyed).literal());
}

TEST(NetworkLimits, KeysFoldedTwiceAreNew) {
  const Tensor key = Tensor(Literal::of<uint64_t>({5, 0}));
  const std::vector<Literal> keys{key.literal(),
                                  fold_in(key, 1).literal(),
                                  fold_in(key, 2).literal(),
                                  fold_in(fold_in(key, 1), 1).literal(),
                                  fold_in(fold_in(key, 1), 2).literal(),
                                  fold_in(fold_in(key, 2), 1).literal()};
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      EXPECT_NE(keys[i].integer_at(0), keys[k].integer_at(0)) << i << " and " << k;
    }
  }
  EXPECT_EQ(fold_in(key, 1).literal(), keys[1]);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(NetworkLimits, AnOutputThatALayerHasNotIsADamagedConfiguration) {
  const Symbol in = input({.shape = {3}});
  const Network network(in, Dense{.units = 1}(Dense{.units = 2}(in)));
  const std::string good = network.get_config().text();
  const std::string damaged[] = {
      replaced(good, "\"outputs\": [[2, 0]]", "\"outputs\": [[2, 70]]"),
      replaced(good, "\"inputs\": [[1, 0]]", "\"inputs\": [[1, 999999]]"),
      replaced(good, "\"inputs\": [0]", "\"inputs\": []")};
  for (const std::string& text : damaged) {
    EXPECT_THROW(
        {
          const Network again = Network::from_config(Config::parse(text));
          again.outputs(std::vector<Tensor>(again.input_ports().size(), zeros({1, 3})));
          again.output_ports();
        },
        InvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace systolic
