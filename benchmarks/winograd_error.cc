// How far Winograd's convolution is from the direct one, on the second convolution of the MNIST
// convnet: relative rms error of the result and of both gradients.
// Prints {"relative_rms_error": the largest}.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic {
namespace {

using Floats = std::vector<float>;

struct Results {
  Floats y, dx, dw;
};

Floats normal(int64_t count, uint32_t seed, float deviation) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> distribution(0, deviation);
  Floats values(static_cast<size_t>(count));
  for (float& value : values) value = distribution(bits);
  return values;
}

// Images of a ReLU, weights of Keras's initializer's size, gradients of a mean over the batch.
Results compute(const kernels::ConvolutionShape& shape, kernels::ConvolutionMethod method) {
  Floats x = normal(shape.input_elements(), 1, 1);
  for (float& value : x) value = std::max(value, 0.0f);
  const auto fan = static_cast<float>(9 * (shape.in_channels + shape.out_channels));
  const Floats w = normal(shape.weight_elements(), 2, std::sqrt(2.0f / fan));
  const Floats dy = normal(shape.output_elements(), 3, 1.0f / static_cast<float>(shape.batch));
  Results results{Floats(dy.size()), Floats(x.size()), Floats(w.size())};

  ThreadPool pool(2);
  const kernels::ConvolutionForward forward(shape, {.method = method}, 2);
  const kernels::ConvolutionBackward backward(shape, {.method = method}, 2);
  std::vector<double> scratch(std::max(forward.scratch_bytes(), backward.scratch_bytes()) / 8 + 16);
  void* aligned = scratch.data();
  size_t space = scratch.size() * 8;
  std::align(64, space - 64, aligned, space);
  forward.run({.x = x.data(), .w = w.data(), .y = results.y.data()}, aligned, pool);
  backward.run({.x = x.data(),
                .w = w.data(),
                .dy = dy.data(),
                .dx = results.dx.data(),
                .dw = results.dw.data()},
               aligned, pool);
  return results;
}

double relative_rms_error(const Floats& got, const Floats& wanted) {
  double error = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double difference = static_cast<double>(got[i]) - wanted[i];
    error += difference * difference;
    size += static_cast<double>(wanted[i]) * wanted[i];
  }
  return std::sqrt(error / size);
}

// The largest of the three errors.
double report(int64_t batch, int64_t filters) {
  const kernels::ConvolutionShape shape{.batch = batch,
                                        .height = 26,
                                        .width = 26,
                                        .in_channels = filters,
                                        .out_channels = filters,
                                        .kernel_height = 3,
                                        .kernel_width = 3};
  const Results got = compute(shape, kernels::ConvolutionMethod::winograd);
  const Results wanted = compute(shape, kernels::ConvolutionMethod::direct);
  const double y = relative_rms_error(got.y, wanted.y);
  const double dx = relative_rms_error(got.dx, wanted.dx);
  const double dw = relative_rms_error(got.dw, wanted.dw);
  std::fprintf(stderr, "%lld filters: forward %.3g, input gradient %.3g, weight gradient %.3g\n",
               static_cast<long long>(filters), y, dx, dw);
  return std::max({y, dx, dw});
}

}  // namespace
}  // namespace systolic

int main() {
  const double small = systolic::report(200, 32);
  const double large = systolic::report(200, 256);
  std::printf("{\"relative_rms_error\": %.3g}\n", std::max(small, large));
}
