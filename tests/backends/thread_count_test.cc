// How many threads compute must not show in the results of programs that are planned for one
// number.
#include <gtest/gtest.h>

#include <cstdlib>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/error.h"
#include "systolic/ir/window.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

Value convolve(Value x, Value w, int64_t stride) {
  ir::ConvolutionAttributes a = ir::channels_last_convolution(2);
  a.window_strides = {stride, stride};
  a.padding = {{1, 1}, {1, 1}};
  return ir::convolution(x, w, a);
}

Value with_bias(Value x, Value bias) {
  return x + ir::broadcast_in_dim(bias, x.shape(), {x.rank() - 1});
}
Value relu(Value x) { return ir::binary(OpCode::maximum, x, x.builder().filled_like(x, 0)); }

// A training step of a convnet: two convolutions (the second by `stride`), two dense layers, the
// sum of squares as the loss. Results: the new parameters, the loss.
ir::Module step(DType dtype, int64_t batch, int64_t channels, int64_t stride) {
  return make_module([&](Builder& b) {
    const int64_t size = 14, after = size / stride, units = 96;
    std::vector<Value> p;
    for (const Shape& shape :
         {Shape{3, 3, 3, channels}, Shape{channels}, Shape{3, 3, channels, channels},
          Shape{channels}, Shape{after * after * channels, units}, Shape{units},
          Shape{units, 10}}) {
      p.push_back(b.argument({dtype, shape}));
    }
    Value x = b.argument({dtype, {batch, size, size, 3}});
    x = relu(with_bias(convolve(x, p[0], 1), p[1]));
    x = relu(with_bias(convolve(x, p[2], stride), p[3]));
    x = relu(with_bias(ir::dot(ir::reshape(x, {batch, after * after * channels}), p[4]), p[5]));
    const Value y = ir::dot(x, p[6]);
    const Value loss = ir::reduce_sum(y * y, {0, 1}) * 1e-3;
    const ir::ValueId outputs[] = {loss.id()};
    std::vector<ir::ValueId> sources;
    for (Value parameter : p) sources.push_back(parameter.id());
    const auto gradients = autodiff::gradient(b, {.outputs = outputs, .sources = sources});
    for (size_t i = 0; i < p.size(); ++i) b.result(p[i] - b.value(gradients[i]) * 0.01);
    b.result(loss);
  });
}

class ThreadCount : public ::testing::Test {
 protected:
  ThreadCount() { setenv("SYSTOLIC_PLANNED_THREADS", "4", 1); }
  ~ThreadCount() override { unsetenv("SYSTOLIC_PLANNED_THREADS"); }
};

TEST_F(ThreadCount, RefusesAPlanForNothing) {
  for (const char* text : {"0", "-2", "many", "5000"}) {
    setenv("SYSTOLIC_PLANNED_THREADS", text, 1);
    EXPECT_THROW(run_with(1, step(DType::f32, 2, 4, 1)), InvalidArgument) << text;
  }
}

TEST_F(ThreadCount, ChangesNoBitOfATrainingStep) {
  struct Row {
    DType dtype;
    int64_t batch, channels, stride;
  };
  // Winograd and not, with a batch that does not divide, small and large sums.
  const Row rows[] = {{DType::f32, 16, 16, 1}, {DType::f32, 5, 32, 1},  {DType::f32, 16, 8, 2},
                      {DType::f32, 3, 64, 1},  {DType::bf16, 8, 16, 1}, {DType::f32, 64, 4, 1}};
  for (const Row& row : rows) {
    const ir::Module module = step(row.dtype, row.batch, row.channels, row.stride);
    const std::vector<Literal> one = run_with(1, module);
    for (int threads : {2, 3, 4}) {
      const std::vector<Literal> more = run_with(threads, module);
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(same_bits(one[i], more[i]))
            << threads << " threads, batch " << row.batch << ", " << row.channels
            << " channels, stride " << row.stride << ", result " << i;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
