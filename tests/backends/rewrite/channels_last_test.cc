// Networks whose channels stand before the image, as PyTorch's do, or elsewhere.
#include "backends/cpu/rewrite/channels_last.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/autodiff/gradient.h"
#include "systolic/ir/window.h"
#include "systolic/passes/optimize.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::OpCode;
using ir::Value;

// Which axis is what, of one array or of all that are images.
struct Order {
  std::string name;
  int64_t batch, channels;
  Axes image;

  int rank() const { return static_cast<int>(image.size()) + 2; }
  Shape shape(int64_t n, int64_t c, int64_t size) const {
    Shape shape(std::vector<int64_t>(static_cast<size_t>(rank()), size));
    shape.set(static_cast<int>(batch), n);
    shape.set(static_cast<int>(channels), c);
    return shape;
  }
  // A window over the image.
  ir::WindowAttributes window(int64_t size, int64_t stride, int64_t padding) const {
    const Axes ones(static_cast<size_t>(rank()), 1);
    ir::WindowAttributes a{ones, ones, ones, ones, ir::Padding(ones.size())};
    for (int64_t axis : image) {
      const auto i = static_cast<size_t>(axis);
      a.window_dimensions[i] = size;
      a.window_strides[i] = stride;
      a.padding[i] = {padding, 0};
    }
    return a;
  }
};

const Order orders[] = {{"NCHW", 0, 1, {2, 3}}, {"CHWN", 3, 0, {1, 2}}, {"HNWC", 1, 3, {0, 2}},
                        {"NHCW", 0, 2, {1, 3}}, {"NCW", 0, 1, {2}},     {"NHWC", 0, 3, {1, 2}}};

// The kernel has its output channels first, as PyTorch's.
Value convolve(const Order& order, Value x, Value kernel) {
  ir::ConvolutionAttributes a = ir::channels_last_convolution(static_cast<int>(order.image.size()));
  a.input_batch_dimension = a.output_batch_dimension = order.batch;
  a.input_feature_dimension = a.output_feature_dimension = order.channels;
  a.input_spatial_dimensions = a.output_spatial_dimensions = order.image;
  a.kernel_output_feature_dimension = 0;
  a.kernel_input_feature_dimension = 1;
  for (size_t i = 0; i < order.image.size(); ++i) {
    a.kernel_spatial_dimensions[i] = static_cast<int64_t>(i) + 2;
    a.padding[i] = {1, 1};
  }
  return ir::convolution(x, kernel, a);
}

Value relu(Value x) { return ir::binary(OpCode::maximum, x, x.builder().filled_like(x, 0)); }

// Less its mean over batch and image, through an array that keeps their axes.
Value centred(const Order& order, Value x) {
  Axes axes = order.image;
  axes.push_back(order.batch);
  std::sort(axes.begin(), axes.end());
  Shape kept = x.shape();
  for (int64_t axis : axes) kept.set(static_cast<int>(axis), 1);
  Axes all(static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  const double count =
      static_cast<double>(x.shape().elements()) / static_cast<double>(kept.elements());
  const Value mean = ir::reshape(ir::reduce_sum(x, axes), kept) / count;
  return x - ir::broadcast_in_dim(mean, x.shape(), all);
}

// A training step: convolution, bias, relu, pooling, convolution, normalization, a mask as it came,
// a sum with what went in, a dense layer.
ir::Module training_step(const Order& order, int64_t channels) {
  return make_module([&](Builder& b) {
    const auto image_rank = order.image.size();
    const auto kernel = [&](int64_t in) {
      Shape shape(std::vector<int64_t>(image_rank + 2, 3));
      shape.set(0, channels);
      shape.set(1, in);
      return b.argument({DType::f32, shape});
    };
    const std::vector<Value> p{kernel(3), b.argument({DType::f32, {channels}}), kernel(channels)};
    const Value x = b.argument({DType::f32, order.shape(2, 3, 6)});
    const Value keep = b.argument({DType::pred, order.shape(2, channels, 3)});
    Value y = convolve(order, x, p[0]);
    y = relu(y + ir::broadcast_in_dim(p[1], y.shape(), {order.channels}));
    y = ir::reduce_window(y, OpCode::maximum, order.window(2, 2, 0));
    const Value inner = centred(order, convolve(order, y, p[2]));
    y = ir::select(keep, relu(inner), b.filled_like(inner, 0.25)) + y;
    y = ir::reduce_window(y, OpCode::add, order.window(2, 1, 1));
    const Value flat = ir::reshape(y, {y.shape().elements()});
    const Value loss = ir::reduce_sum(flat * b.argument({DType::f32, flat.shape()}), {0});
    const ir::ValueId outputs[] = {loss.id()};
    std::vector<ir::ValueId> sources;
    for (Value parameter : p) sources.push_back(parameter.id());
    for (ir::ValueId found : autodiff::gradient(b, {.outputs = outputs, .sources = sources})) {
      b.result(b.value(found));
    }
    b.result(loss);
    b.result(y);
  });
}

TEST(ChannelsLast, TrainingSteps) {
  for (const Order& order : orders) {
    for (int64_t channels : {4, 16}) {
      expect_same(training_step(order, channels), 4096, order.name, {-1, 1});
    }
  }
}

// Among a window's equal elements the first gets the gradient, in the program's order.
TEST(ChannelsLast, EqualElementsOfAWindow) {
  std::vector<Order> all(std::begin(orders), std::end(orders));
  all.push_back({"NCWH", 0, 1, {3, 2}});
  const auto whole = [](Value x) { return ir::unary(OpCode::round_nearest_even, x); };
  for (const Order& order : all) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = whole(b.argument({DType::f32, order.shape(2, 3, 6)}));
                  Shape kernel(std::vector<int64_t>(order.image.size() + 2, 3));
                  kernel.set(0, 16);
                  const Value y = convolve(order, x, whole(b.argument({DType::f32, kernel})));
                  const Value pooled = ir::reduce_window(y, OpCode::maximum, order.window(3, 2, 1));
                  const Value weighted = pooled * b.argument({DType::f32, pooled.shape()});
                  Axes axes(static_cast<size_t>(y.rank()));
                  std::iota(axes.begin(), axes.end(), 0);
                  const ir::ValueId outputs[] = {ir::reduce_sum(weighted, axes).id()};
                  const ir::ValueId sources[] = {y.id()};
                  for (ir::ValueId found :
                       autodiff::gradient(b, {.outputs = outputs, .sources = sources})) {
                    b.result(b.value(found));
                  }
                }),
                8, order.name, {-2, 2});
  }
}

// The axes that are left may change places.
TEST(ChannelsLast, Reductions) {
  for (const Order& order : orders) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, order.shape(2, 3, 5)});
                  Shape kernel(std::vector<int64_t>(order.image.size() + 2, 3));
                  kernel.set(0, 4);
                  const Value y = convolve(order, x, b.argument({DType::f32, kernel}));
                  for (int64_t axis = 0; axis < y.rank(); ++axis) {
                    const Value z = ir::reduce_sum(y, {axis});
                    b.result(z);
                    b.result(z * b.argument({DType::f32, z.shape()}));
                    b.result(ir::reduce_max(y * y, {axis, (axis + 1) % y.rank()}));
                  }
                }),
                256, order.name, {-1, 1});
  }
}

// What the second convolution reads, and its gradients, lies as they compute: of all arrays of a
// step only those are turned that come as they are, go out, or are laid out flat.
TEST(ChannelsLast, TransposesMeet) {
  const Order& order = orders[0];
  const ir::Module module = passes::optimize(cpu::put_channels_last(training_step(order, 16)));
  const ir::Function& main = module.main();
  std::vector<ir::ValueId> turned;
  for (const ir::Op& op : main.body.ops) {
    if (op.code == OpCode::transpose) turned.push_back(op.results[0]);
  }
  int convolutions = 0, pooled = 0;
  for (const ir::Op& op : main.body.ops) {
    if (op.code == OpCode::convolution) {
      ++convolutions;
      for (ir::ValueId operand : op.operands) {
        const bool kernel = main.type(operand).shape.elements() == 16 * 16 * 3 * 3;
        EXPECT_TRUE(kernel || std::count(turned.begin(), turned.end(), operand) == 0);
      }
    }
    if (op.code == OpCode::select_and_scatter) {
      ++pooled;
      EXPECT_EQ(main.type(op.results[0]).shape, (Shape{2, 6, 6, 16}));
      EXPECT_EQ(std::count(turned.begin(), turned.end(), op.operands[1]), 0);
    }
  }
  EXPECT_EQ(convolutions, 5);
  EXPECT_EQ(pooled, 1);
}

// The first convolution and its kernel's gradient read one copy of the image.
TEST(ChannelsLast, TheImageIsTurnedOnce) {
  const ir::Module module = passes::optimize(cpu::put_channels_last(training_step(orders[0], 16)));
  const cpu::Plan plan = cpu::Planner(module, module.main(), 1, cpu::lower_block).finish();
  const auto copies = std::count_if(
      plan.steps.begin(), plan.steps.end(),
      [](const cpu::Step& step) { return step.text == "copy for convolution f32[2,1,6,6,3]"; });
  EXPECT_EQ(copies, 1);
}

}  // namespace
}  // namespace systolic
