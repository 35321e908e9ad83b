#include "systolic/nn/layers/run_layer_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

constexpr int64_t batch = 3;

std::vector<Literal> inputs_of(const LayerCase& layer_case) {
  std::vector<Literal> result;
  for (size_t i = 0; i < layer_case.inputs.size(); ++i) {
    const Shape shape = layer_case.inputs[i].with_inserted(0, batch);
    if (layer_case.integers_below > 0) {
      result.push_back(host_uniform(shape, 0, layer_case.integers_below, i).convert(DType::i32));
    } else {
      result.push_back(host_normal(shape, 0.3, 1, 17 + i));
    }
  }
  return result;
}

std::vector<Tensor> tensors(const std::vector<Literal>& literals) {
  return std::vector<Tensor>(literals.begin(), literals.end());
}

DType input_type(const LayerCase& layer_case) {
  return layer_case.integers_below > 0 ? DType::i32 : DType::f32;
}

Network built(const LayerCase& layer_case) {
  std::vector<Symbol> symbols;
  for (const Shape& shape : layer_case.inputs) {
    symbols.push_back(input({.shape = shape, .dtype = input_type(layer_case)}));
  }
  return Network(symbols, {layer_case.make()(symbols)});
}

// A loss in which every output element counts differently.
Tensor weighted_sum(const Tensor& y) {
  return sum(cast(y, DType::f32) * Tensor(host_uniform(y.shape(), 0.5, 1.5, 99)));
}

// Random layers draw the same at every call.
CallOptions training_options() {
  return {.training = true, .random_key = Tensor(Literal::of<uint64_t>({5, 0}))};
}

double loss_at(const Network& network, const std::vector<Literal>& xs, const CallOptions& options) {
  return weighted_sum(network(tensors(xs), options)).item<double>();
}

void expect_close(double got, double wanted, const std::string& what) {
  EXPECT_NEAR(got, wanted, 2e-2 * (1 + std::abs(wanted))) << what;
}

// Central differences in a few elements of each input and weight.
void check_gradients(const LayerCase& layer_case, const Network& network,
                     const CallOptions& options) {
  constexpr float step = 1e-2f;
  std::vector<Literal> xs = inputs_of(layer_case);
  const std::vector<Variable> weights = network.trainable_variables();
  std::vector<Tensor> inputs = tensors(xs), by_input, by_weight;
  {
    GradientTape tape({.persistent = true});
    for (const Tensor& x : inputs) tape.watch(x);
    const Tensor loss = weighted_sum(network(inputs, options));
    by_weight = tape.gradient(loss, weights);
    if (layer_case.integers_below == 0) by_input = tape.gradient(loss, inputs);
  }
  const auto differences = [&](Literal& values, size_t at, const std::function<void()>& use) {
    const float kept = values.data<float>()[at];
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      values.mutable_data<float>()[at] = kept + (side == 0 ? step : -step);
      use();
      sides[side] = loss_at(network, xs, options);
    }
    values.mutable_data<float>()[at] = kept;
    use();
    return (sides[0] - sides[1]) / (2 * step);
  };
  const auto places = [](int64_t size) { return std::vector<int64_t>{0, size / 2, size - 1}; };
  for (size_t i = 0; i < by_input.size(); ++i) {
    const Literal gradient = by_input[i].literal();
    for (const int64_t at : places(gradient.size())) {
      const double wanted = differences(xs[i], static_cast<size_t>(at), [] {});
      expect_close(gradient.number_at(at), wanted, str("input ", i, " at ", at));
    }
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const Literal gradient = by_weight[i].literal();
    Literal values = weights[i].literal();
    for (const int64_t at : places(gradient.size())) {
      const double wanted =
          differences(values, static_cast<size_t>(at), [&] { weights[i].set(values); });
      expect_close(gradient.number_at(at), wanted, str(weights[i].name(), " at ", at));
    }
  }
}

// Two rows after the others.
Literal padded(const Literal& x, double with) {
  Shape shape = x.shape();
  shape.set(0, batch + 2);
  Literal result = Literal::filled(x.dtype(), shape, with);
  std::copy(x.raw(), x.raw() + x.byte_size(), result.mutable_raw());
  return result;
}

// Rows that only pad the batch change nothing in the others.
void check_padding(const LayerCase& layer_case, const Network& network, CallOptions options) {
  std::vector<Tensor> xs;
  for (const Literal& x : inputs_of(layer_case)) {
    xs.push_back(padded(x, layer_case.integers_below > 0 ? 0 : 1e4));
  }
  const Literal wanted = network(tensors(inputs_of(layer_case)), options).literal();
  options.sample_mask = Literal::of<bool>({true, true, true, false, false});
  const Literal got = network(xs, options).literal().rows(0, batch);
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5) << "padded, element " << i;
  }
}

void check_policy(const LayerCase& layer_case) {
  set_dtype_policy("mixed_bfloat16");
  const Network network = built(layer_case);
  set_dtype_policy("float32");
  const Tensor y = network(tensors(inputs_of(layer_case)));
  EXPECT_EQ(y.dtype(), layer_case.keeps_input_type ? input_type(layer_case) : DType::bf16);
  for (const Variable& weight : network.weights()) EXPECT_EQ(weight.dtype(), DType::f32);
  for (int64_t i = 0; i < y.size(); ++i) EXPECT_TRUE(std::isfinite(y.literal().number_at(i)));
}

void check_training_step(const LayerCase& layer_case, const Network& network) {
  const std::vector<Variable> weights = network.trainable_variables();
  if (weights.empty()) return;
  const std::vector<Tensor> xs = tensors(inputs_of(layer_case));
  const Optimizer optimizer = SGD{.learning_rate = 1e-3};
  const auto loss_now = [&] { return sum(square(network(xs) - 1.0)); };
  const float before = loss_now().item<float>();
  GradientTape tape;
  const Tensor loss = loss_now();
  optimizer.apply_gradients(tape.gradient(loss, weights), weights);
  EXPECT_LT(loss_now().item<float>(), before);
}

}  // namespace

void run_layer_test(const LayerCase& layer_case) {
  SCOPED_TRACE(layer_case.name);
  set_seed(1);  // the same weights whatever ran before: differences are none where relu bends
  const Network network = built(layer_case);
  EXPECT_EQ(network.output_ports().at(0).type.shape, layer_case.output.with_inserted(0, -1));
  EXPECT_EQ(network.weights().size(), layer_case.weights);
  const Tensor y = network(tensors(inputs_of(layer_case)));
  EXPECT_EQ(y.shape(), layer_case.output.with_inserted(0, batch));
  EXPECT_EQ(y.dtype(), network.output_ports().at(0).type.dtype);

  const Config config = layer_case.make().get_config();
  EXPECT_EQ(layer_from_config(Config::parse(config.text())).get_config(), config);
  const Network copy = Network::from_config(Config::parse(network.get_config().text()));
  EXPECT_EQ(copy.get_config(), network.get_config());

  check_policy(layer_case);
  for (const CallOptions& options : {CallOptions{}, training_options()}) {
    if (options.training && layer_case.moves_weights) continue;
    SCOPED_TRACE(options.training ? "training" : "inference");
    check_gradients(layer_case, network, options);
    check_padding(layer_case, network, options);
  }
  check_training_step(layer_case, network);
}

}  // namespace systolic
