// Every layer against Keras's: output, gradients, losses, and what training leaves in the weights.
#include <gtest/gtest.h>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

// Sums of up to 100 products of numbers up to 4: rounding is below 100 * 2^-24 of the largest term.
constexpr double tolerance = 1e-5;

// E[x] near 1000 with a deviation near 1: x - E[x] keeps 1000 * 2^-24 of absolute error.
double tolerance_of(const std::string& name) {
  return name.find("far from 0") == std::string::npos ? tolerance : 3e-4;
}

Network network_of(const Json& one, const std::vector<Literal>& inputs) {
  const Json config{{"class_name", one.at("class_name")}, {"config", one.at("config")}};
  std::vector<Symbol> symbols;
  for (const Literal& x : inputs) {
    symbols.push_back(input({.shape = x.shape().slice(1, x.rank()), .dtype = x.dtype()}));
  }
  std::vector<Symbol> taken = symbols;
  if (one.contains("mask_value"))
    taken[0] = Masking{.mask_value = one.at("mask_value").get<double>()}(taken[0]);
  return Network(symbols, layer_from_config(Config::parse(config.dump())).outputs(taken));
}

void set_weights(const Network& network, const Json& values) {
  const std::vector<Variable> weights = network.weights();
  ASSERT_EQ(weights.size(), values.size());
  for (size_t i = 0; i < weights.size(); ++i) weights[i].set(literal_of(values.at(i)));
}

std::vector<Tensor> floats_of(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& x : tensors) {
    if (is_float(x.dtype())) result.push_back(x);
  }
  return result;
}

void expect_all_close(const std::vector<Tensor>& got, const Json& wanted, double within,
                      const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    expect_close(got[i].literal(), wanted.at(i), within, str(what, " ", i));
  }
}

// One, or with an s a list of them.
Json list_of(const Json& one, const std::string& what) {
  return one.contains(what) ? Json::array({one.at(what)}) : one.at(what + "s");
}

void check_layer(const Json& one) {
  const double within = tolerance_of(one.at("name"));
  const std::vector<Literal> inputs = literals_of(one.at("inputs"));
  const Network network = network_of(one, inputs);
  set_weights(network, one.value("weights", Json::array()));

  const std::vector<Tensor> xs(inputs.begin(), inputs.end());
  std::vector<Tensor> losses;
  GradientTape tape({.persistent = true});
  for (const Tensor& x : floats_of(xs)) tape.watch(x);
  const std::vector<Tensor> ys =
      network.outputs(xs, {.training = one.value("training", false), .losses = &losses});
  const Json wanted = list_of(one, "output"), cotangents = list_of(one, "cotangent");
  ASSERT_EQ(ys.size(), cotangents.size());
  Tensor loss = constant(0.f), total = constant(0.f);
  for (size_t i = 0; i < ys.size(); ++i)
    total = total + sum(ys[i] * Tensor(literal_of(cotangents.at(i))));
  for (const Tensor& part : losses) loss = loss + part;
  total = total + loss;
  const std::vector<Tensor> by_input = tape.gradient(total, floats_of(xs));
  const std::vector<Tensor> by_weight = tape.gradient(total, network.trainable_variables());

  expect_all_close(ys, wanted, within, "output");
  if (one.contains("loss")) expect_close(loss.literal(), one.at("loss"), within, "loss");
  expect_all_close(by_input, one.at("input_gradients"), within, "gradient of input");
  expect_all_close(by_weight, one.value("weight_gradients", Json::array()), within,
                   "gradient of weight");
  if (!one.contains("weights_after")) return;
  std::vector<Tensor> after;
  for (const Variable& weight : network.weights()) after.push_back(weight.value());
  expect_all_close(after, one.at("weights_after"), within, "weight after the step");
}

TEST(LayersGolden, GiveWhatKerasGives) {
  for (const auto& [file, least] : {std::pair("layers", 100u), std::pair("more_layers", 100u),
                                    std::pair("later_layers", 30u)}) {
    const Json cases = golden_file(file).at("cases");
    ASSERT_GT(cases.size(), least);
    for (const Json& one : cases) {
      SCOPED_TRACE(one.at("name").get<std::string>());
      EXPECT_NO_THROW(check_layer(one));
    }
  }
}

}  // namespace
}  // namespace systolic
