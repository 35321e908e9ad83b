// One training step of the MNIST examples on the software TPU, without the layers above it: what
// the engine alone takes to compile and run it.
//
//   train_step [convnet|mlp] [filters or units] [batch] [steps]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "backends/cpu/client.h"
#include "systolic/autodiff/gradient.h"
#include "systolic/base/stopwatch.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/window.h"

namespace {

using namespace systolic;
using ir::Axes;
using ir::Builder;
using ir::OpCode;
using ir::Value;

struct Step {
  ir::Module module;
  std::vector<ir::Type> state;  // parameters, m and v of each, then the step counter
};

Value relu(Value x) { return ir::binary(OpCode::maximum, x, x.builder().filled_like(x, 0)); }

Value add_bias(Value x, Value bias) {
  return x + ir::broadcast_in_dim(bias, x.shape(), {x.rank() - 1});
}

Value convolve(Value x, Value w) { return ir::convolution(x, w, ir::channels_last_convolution(2)); }

// Mean over the batch of -log softmax(logits)[label].
Value cross_entropy(Value logits, Value labels) {
  Builder& b = logits.builder();
  const Shape shape = logits.shape();
  const Value largest = ir::broadcast_in_dim(ir::reduce_max(logits, {1}), shape, {0});
  const Value shifted = logits - largest;
  const Value total = ir::reduce_sum(ir::unary(OpCode::exponential, shifted), {1});
  const Value log_total = ir::unary(OpCode::log, total);
  const Value is_label = ir::compare(b.iota({DType::i32, shape}, 1),
                                     ir::broadcast_in_dim(labels, shape, {0}), ir::Direction::eq);
  const Value picked =
      ir::reduce_sum(ir::select(is_label, shifted, b.filled_like(shifted, 0)), {1});
  return ir::reduce_sum(log_total - picked, {0}) * (1.0 / static_cast<double>(shape[0]));
}

// Appends Keras's Adam: returns the new parameter, m and v.
std::vector<Value> adam(Value p, Value m, Value v, Value g, Value alpha) {
  const Value new_m = m + (g - m) * 0.1;
  const Value new_v = v + (g * g - v) * 0.001;
  const Value scale = ir::broadcast_to(alpha, p.shape());
  const Value new_p = p - new_m * scale / (ir::unary(OpCode::sqrt, new_v) + 1e-7);
  return {new_p, new_m, new_v};
}

Value adam_alpha(Value step) {
  Builder& b = step.builder();
  const auto decay = [&](double beta) {
    return 1.0 - ir::binary(OpCode::power, b.filled(DType::f32, {}, beta), step);
  };
  return ir::unary(OpCode::sqrt, decay(0.999)) / decay(0.9) * 0.001;
}

Step make_step(const std::vector<Shape>& parameters, const Shape& images,
               Value (*forward)(Value, std::span<const Value>)) {
  Step step;
  step.module.functions.emplace_back();
  Builder b(step.module.main());
  int64_t result = 0;
  const auto donated = [&](const Shape& shape) {
    step.state.push_back({DType::f32, shape});
    return b.argument({DType::f32, shape}, {.name = "state", .aliases_result = result++});
  };
  std::vector<Value> p, m, v;
  for (const Shape& shape : parameters) p.push_back(donated(shape));
  for (const Shape& shape : parameters) m.push_back(donated(shape));
  for (const Shape& shape : parameters) v.push_back(donated(shape));
  const Value counter = donated({});
  const Value x = b.argument({DType::f32, images}, {.name = "images"});
  const Value y = b.argument({DType::i32, {images[0]}}, {.name = "labels"});

  const Value loss = cross_entropy(forward(x, p), y);
  const ir::ValueId outputs[] = {loss.id()};
  std::vector<ir::ValueId> sources;
  for (Value parameter : p) sources.push_back(parameter.id());
  const auto gradients = autodiff::gradient(b, {.outputs = outputs, .sources = sources});
  const Value next = counter + 1.0, alpha = adam_alpha(next);
  std::vector<std::vector<Value>> updated;
  for (size_t i = 0; i < p.size(); ++i) {
    updated.push_back(adam(p[i], m[i], v[i], b.value(gradients[i]), alpha));
  }
  for (size_t part = 0; part < 3; ++part) {
    for (const auto& values : updated) b.result(values[part]);
  }
  b.result(next);
  b.result(loss);
  return step;
}

Value convnet(Value x, std::span<const Value> p) {
  const Value a = relu(add_bias(convolve(x, p[0]), p[1]));
  const Value c = relu(add_bias(convolve(a, p[2]), p[3]));
  const Value flat = ir::reshape(c, {c.shape()[0], c.shape().elements() / c.shape()[0]});
  const Value d = relu(add_bias(ir::dot(flat, p[4]), p[5]));
  const Value e = relu(add_bias(ir::dot(d, p[6]), p[7]));
  return add_bias(ir::dot(e, p[8]), p[9]);
}

Value mlp(Value x, std::span<const Value> p) {
  return add_bias(ir::dot(relu(add_bias(ir::dot(x, p[0]), p[1])), p[2]), p[3]);
}

Step make_model(const std::string& model, int64_t width, int64_t batch) {
  if (model == "mlp") {
    return make_step({{784, width}, {width}, {width, 10}, {10}}, {batch, 784}, mlp);
  }
  return make_step({{3, 3, 1, width},
                    {width},
                    {3, 3, width, width},
                    {width},
                    {24 * 24 * width, 256},
                    {256},
                    {256, 128},
                    {128},
                    {128, 10},
                    {10}},
                   {batch, 28, 28, 1}, convnet);
}

// Uniform numbers, scaled as He's initialization wants for weights; zeros for vectors and slots.
Literal initial(const ir::Type& type, bool weights) {
  Literal literal = Literal::zeros(type.dtype, type.shape);
  const int rank = type.shape.rank();
  if (!weights || rank < 2) return literal;
  const double fan_in = static_cast<double>(type.shape.elements() / type.shape[rank - 1]);
  const auto limit = static_cast<float>(std::sqrt(6.0 / fan_in));
  uint32_t state = 1;
  for (float& value : literal.mutable_data<float>()) {
    state = state * 1664525u + 1013904223u;
    value = (static_cast<float>(state >> 8) / 8388608.0f - 1.0f) * limit;
  }
  return literal;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string model = argc > 1 ? argv[1] : "convnet";
  const int64_t width = argc > 2 ? std::atoll(argv[2]) : model == "mlp" ? 128 : 32;
  const int64_t batch = argc > 3 ? std::atoll(argv[3]) : model == "mlp" ? 32 : 200;
  const int steps = argc > 4 ? std::atoi(argv[4]) : model == "mlp" ? 2000 : 10;
  const Step step = make_model(model, width, batch);
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const auto program = client->compile(step.module, {.name = model});

  std::vector<runtime::BufferPtr> state;
  for (const ir::Type& type : step.state) {
    const bool weights = state.size() < step.state.size() / 3;
    state.push_back(client->from_host(initial(type, weights)));
  }
  const Shape images = model == "mlp" ? Shape{batch, 784} : Shape{batch, 28, 28, 1};
  const auto x = client->from_host(initial({DType::f32, images}, true));
  Literal labels(DType::i32, {batch});
  for (int64_t i = 0; i < batch; ++i)
    labels.mutable_data<int32_t>()[static_cast<size_t>(i)] = i % 10;
  const auto y = client->from_host(labels);

  std::vector<double> times;
  float first_loss = 0, last_loss = 0;
  for (int i = 0; i < steps; ++i) {
    const Stopwatch watch;
    std::vector<runtime::BufferPtr> arguments = std::move(state);
    arguments.push_back(x);
    arguments.push_back(y);
    state = program->execute(std::move(arguments));
    const auto loss = state.back();
    state.pop_back();
    last_loss = loss->to_literal().item<float>();
    if (i == 0) first_loss = last_loss;
    times.push_back(watch.milliseconds());
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "{\"model\": \"%s\", \"width\": %lld, \"batch\": %lld, \"compile_ms\": %.1f, "
      "\"ms_per_step\": %.4f, \"fastest_ms\": %.4f, \"first_loss\": %.5f, "
      "\"last_loss\": %.5f, \"gflop\": %.3f}\n",
      model.c_str(), static_cast<long long>(width), static_cast<long long>(batch),
      program->compile_ms(), times[times.size() / 2], times[0], first_loss, last_loss,
      program->cost().flops * 1e-9);
  return 0;
}
