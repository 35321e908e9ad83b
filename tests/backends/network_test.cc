// Whole training steps: where ops meet in fused kernels and share memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cpu/client.h"
#include "backends/interpreter/evaluate.h"
#include "systolic/autodiff/gradient.h"
#include "systolic/ir/window.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

Value relu(Value x) { return ir::binary(OpCode::maximum, x, x.builder().filled_like(x, 0)); }

Value add_bias(Value x, Value bias) {
  return x + ir::broadcast_in_dim(bias, x.shape(), {x.rank() - 1});
}

Value convolve(Value x, Value w, int64_t stride, int64_t padding) {
  ir::ConvolutionAttributes a = ir::channels_last_convolution(2);
  a.window_strides = {stride, stride};
  a.padding = {{padding, padding}, {padding, padding}};
  return ir::convolution(x, w, a);
}

// Returns the loss and, for each parameter, itself less a tenth of its gradient, donated.
void descend(Builder& b, Value loss, const std::vector<Value>& parameters) {
  const ir::ValueId outputs[] = {loss.id()};
  std::vector<ir::ValueId> sources;
  for (Value parameter : parameters) sources.push_back(parameter.id());
  const auto gradients = autodiff::gradient(b, {.outputs = outputs, .sources = sources});
  for (size_t i = 0; i < parameters.size(); ++i) {
    b.result(parameters[i] - b.value(gradients[i]) * 0.1);
  }
  b.result(loss);
}

struct Convnet {
  int64_t channels, stride, padding;
  bool bias;
};

// Two convolutions with relu, computed in `dtype` from f32 parameters.
ir::Module convnet_step(const Convnet& row, DType dtype, double scale) {
  return make_module([&](Builder& b) {
    const int64_t c = row.channels;
    const auto computed = [&](Value x) { return dtype == DType::f32 ? x : ir::convert(x, dtype); };
    std::vector<Value> p;
    for (const Shape& shape : {Shape{3, 3, 1, c}, Shape{c}, Shape{3, 3, c, c}, Shape{c}}) {
      ir::Parameter parameter{.name = "p"};
      if (row.bias) parameter.aliases_result = static_cast<int64_t>(p.size());
      p.push_back(b.argument({DType::f32, shape}, parameter));
    }
    Value x = computed(b.argument({DType::f32, {3, 12, 12, 1}}));
    for (size_t layer = 0; layer < 4; layer += 2) {
      x = convolve(x, computed(p[layer]), row.stride, row.padding);
      if (row.bias) x = add_bias(x, computed(p[layer + 1]));
      x = relu(x);
    }
    if (dtype != DType::f32) x = ir::convert(x, DType::f32);
    const Value weights = b.argument({DType::f32, x.shape()});
    if (!row.bias) p = {p[0], p[2]};
    descend(b, ir::reduce_sum(x * weights, {0, 1, 2, 3}) * scale, p);
  });
}

TEST(Network, ConvnetStep) {
  for (const Convnet& row : {Convnet{4, 1, 0, true}, Convnet{32, 1, 0, true},
                             Convnet{32, 1, 1, false}, Convnet{6, 2, 1, true}}) {
    expect_same(convnet_step(row, DType::f32, 1e-3), 512, "convnet", {-1, 1});
  }
}

// In bf16 the step is the f32 one, each value rounded a few times on its way. Positive numbers keep
// every relu on the side of 0 where it is, whatever is rounded before it.
TEST(Network, ConvnetStepInMixedBfloat16) {
  for (const Convnet& row :
       {Convnet{4, 1, 0, true}, Convnet{32, 1, 0, true}, Convnet{32, 1, 1, false}}) {
    const ir::Module exact = convnet_step(row, DType::f32, 1e-3);
    std::vector<Literal> arguments;
    std::vector<runtime::BufferPtr> buffers;
    const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
    for (ir::ValueId argument : exact.main().body.arguments) {
      const ir::Type& type = exact.main().type(argument);
      const auto seed = static_cast<uint32_t>(arguments.size() + 1);
      arguments.push_back(random_literal(type.dtype, type.shape, seed, {0, 1}));
      buffers.push_back(client->from_host(arguments.back()));
    }
    const std::vector<Literal> wanted = interpreter::evaluate(exact, arguments);
    const auto step = client->compile(convnet_step(row, DType::bf16, 1e-3));
    const auto results = step->execute(std::move(buffers));
    ASSERT_EQ(results.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Literal got = results[i]->to_literal();
      double most = 0;
      for (int64_t j = 0; j < got.size(); ++j) {
        most = std::max(most, std::abs(wanted[i].number_at(j)));
      }
      for (int64_t j = 0; j < got.size(); ++j) {
        ASSERT_NEAR(got.number_at(j), wanted[i].number_at(j), 0x1p-7 * most)
            << "result " << i << ", element " << j << ", " << row.channels << " channels";
      }
    }
  }
}

// GELU, layer normalization, softmax, dropout by comparison with given bits.
TEST(Network, TransformerStep) {
  expect_same(
      make_module([](Builder& b) {
        const int64_t batch = 3, words = 5, width = 8;
        std::vector<Value> p;
        for (const Shape& shape : {Shape{width, 3 * width}, Shape{width}, Shape{width},
                                   Shape{width, 16}, Shape{16}, Shape{16, width}}) {
          p.push_back(b.argument({DType::f32, shape}));
        }
        const Value x = b.argument({DType::f32, {batch, words, width}});
        const Value keep = b.argument({DType::pred, {batch, words, width}});
        const auto rows = [&](Value v, int64_t n) { return ir::reshape(v, {batch * words, n}); };
        const Value qkv =
            ir::reshape(ir::dot(rows(x, width), p[0]), {batch, words, 3, 2, width / 2});
        const auto head = [&](int64_t i) {
          const Value part = ir::slice(qkv, {0, 0, i, 0, 0}, {batch, words, i + 1, 2, width / 2});
          return ir::transpose(ir::reshape(part, {batch, words, 2, width / 2}), {0, 2, 1, 3});
        };
        Value scores = ir::dot_general(head(0), head(1), {{0, 1}, {0, 1}, {3}, {3}}) * 0.5;
        const Shape square = scores.shape();
        const Value most = ir::broadcast_in_dim(ir::reduce_max(scores, {3}), square, {0, 1, 2});
        const Value e = ir::unary(OpCode::exponential, scores - most);
        const Value attention = e / ir::broadcast_in_dim(ir::reduce_sum(e, {3}), square, {0, 1, 2});
        Value y = ir::dot_general(attention, head(2), {{0, 1}, {0, 1}, {3}, {2}});
        y = ir::reshape(ir::transpose(y, {0, 2, 1, 3}), {batch, words, width});
        y = ir::select(keep, y * 2.0, b.filled_like(y, 0)) + x;
        const auto spread = [&](Value v) { return ir::broadcast_in_dim(v, y.shape(), {0, 1}); };
        const Value centred = y - spread(ir::reduce_sum(y, {2}) * 0.125);
        const Value variance = ir::reduce_sum(centred * centred, {2}) * 0.125;
        const Value normal = centred * spread(ir::unary(OpCode::rsqrt, variance + 1e-3)) *
                                 ir::broadcast_in_dim(p[1], y.shape(), {2}) +
                             ir::broadcast_in_dim(p[2], y.shape(), {2});
        const Value inner = add_bias(ir::dot(rows(normal, width), p[3]), p[4]);
        const Value gelu = inner * 0.5 * (ir::unary(OpCode::erf, inner * 0.70710678) + 1.0);
        const Value out = rows(normal, width) + ir::dot(gelu, p[5]);
        descend(b, ir::reduce_sum(out * out, {0, 1}) * 1e-2, p);
      }),
      4096, "transformer", {-1, 1});
}

// The same step with each core's share of the batch and an all_reduce of the gradient.
TEST(Network, PerCoreStep) {
  ir::Module module = make_module([](Builder& b) {
    const Value w =
        b.argument({DType::f32, {6, 4}}, {.name = "w", .aliases_result = 0, .uniform = true});
    const Value x = b.argument({DType::f32, {3, 6}}, {.name = "x"});
    const Value y = relu(ir::dot(x, w));
    const Value gradient = ir::dot(ir::transpose(x, {1, 0}), y);
    b.result(w - ir::all_reduce(gradient, OpCode::add) * 0.01);
    b.result(ir::reduce_sum(y, {0, 1}));
  });
  module.num_replicas = 4;
  const Literal w = random_literal(DType::f32, {6, 4}, 1),
                x = random_literal(DType::f32, {4, 3, 6}, 2);
  const std::vector<Literal> wanted = interpreter::evaluate(module, {w, x});

  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 4);
  const auto results = client->compile(module)->execute(
      {client->from_host(w), client->from_host(x, {.kind = runtime::Placement::Kind::per_core})});
  EXPECT_EQ(results[0]->placement().kind, runtime::Placement::Kind::replicated);
  EXPECT_EQ(results[1]->placement().kind, runtime::Placement::Kind::per_core);
  for (int core = 0; core < 4; ++core) {
    const Literal new_w = results[0]->core_literal(core), loss = results[1]->core_literal(core);
    for (int64_t i = 0; i < new_w.size(); ++i) {
      EXPECT_NEAR(new_w.number_at(i), wanted[0].number_at(core * 24 + i), 1e-5);
    }
    EXPECT_NEAR(loss.number_at(0), wanted[1].number_at(core), 1e-4);
  }
}

// Elementwise ops in random order over a few shapes: clusters, views, reductions, in-place memory.
TEST(Network, RandomPrograms) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    uint32_t state = seed * 747796405u;
    const auto pick = [&](size_t n) {
      state = state * 1664525u + 1013904223u;
      return static_cast<size_t>(state >> 8) % n;
    };
    expect_same(
        make_module([&](Builder& b) {
          std::vector<Value> pool;
          for (int i = 0; i < 3; ++i) {
            pool.push_back(b.argument({DType::f32, {6, 6}}, {.name = "x", .aliases_result = i}));
          }
          const OpCode binary[] = {OpCode::add, OpCode::subtract, OpCode::multiply,
                                   OpCode::maximum};
          const OpCode unary[] = {OpCode::tanh, OpCode::logistic, OpCode::negate, OpCode::sine};
          for (int i = 0; i < 40; ++i) {
            const Value x = pool[pick(pool.size())], y = pool[pick(pool.size())];
            switch (pick(8)) {
              case 0:
                pool.push_back(ir::transpose(x, {1, 0}));
                break;
              case 1:
                pool.push_back(
                    ir::broadcast_in_dim(ir::reduce_sum(x, {static_cast<int64_t>(pick(2))}) * 0.2,
                                         {6, 6}, {static_cast<int64_t>(pick(2))}));
                break;
              case 2:
                pool.push_back(ir::unary(OpCode::tanh, ir::dot(x, y) * 0.1));
                break;
              case 3:
                pool.push_back(ir::select(ir::compare(x, y, ir::Direction::gt), y, x));
                break;
              case 4:
                pool.push_back(ir::unary(unary[pick(4)], x));
                break;
              case 5:
                pool.push_back(ir::reverse(ir::slice(x, {0, 0}, {6, 6}), {0}));
                break;
              default:
                pool.push_back(ir::unary(OpCode::tanh, ir::binary(binary[pick(4)], x, y)));
            }
          }
          for (int i = 0; i < 5; ++i) b.result(pool[pool.size() - 1 - pick(12)]);
        }),
        512, "random program " + std::to_string(seed), {-1, 1});
  }
}

}  // namespace
}  // namespace systolic
