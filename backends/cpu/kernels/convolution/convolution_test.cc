#include "backends/cpu/kernels/convolution/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution_choice.h"
#include "backends/cpu/kernels/convolution/convolution_parts.h"
#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

using kernels::ConvolutionBackward;
using kernels::ConvolutionForward;
using kernels::ConvolutionMethod;
using kernels::ConvolutionShape;

std::string to_string(const ConvolutionShape& s) {
  return str("batch ", s.batch, ", ", s.depth, "x", s.height, "x", s.width, "x", s.in_channels,
             " -> ", s.out_channels, ", kernel ", s.kernel_depth, "x", s.kernel_height, "x",
             s.kernel_width, ", stride ", s.stride_depth, "x", s.stride_height, "x", s.stride_width,
             ", padding ", s.pad_front, " ", s.pad_back, " ", s.pad_top, " ", s.pad_bottom, " ",
             s.pad_left, " ", s.pad_right, ", dilation ", s.dilation_depth, "x", s.dilation_height,
             "x", s.dilation_width, ", groups ", s.groups);
}

struct Results {
  std::vector<double> y, dx, dw, db;
};

struct Data {
  std::vector<double> x, w, bias, dy;
};

// Every product of the convolution once, in double: the definition. y has bias and relu; dy counts
// where y > 0.
Results oracle(const ConvolutionShape& s, const Data& data) {
  Results r{.y = std::vector<double>(data.dy.size()),
            .dx = std::vector<double>(data.x.size()),
            .dw = std::vector<double>(data.w.size()),
            .db = std::vector<double>(data.bias.size())};
  const int64_t od = s.out_depth(), oh = s.out_height(), ow = s.out_width();
  const int64_t gi = s.in_channels / s.groups, go = s.out_channels / s.groups;
  const auto each_product = [&](auto visit) {
    for (int64_t output = 0; output < s.batch * od * oh * ow; ++output) {
      const int64_t n = output / (od * oh * ow), oz = output / (oh * ow) % od,
                    oy = output / ow % oh, ox = output % ow;
      for (int64_t tap = 0; tap < s.taps(); ++tap) {
        const int64_t kz = tap / (s.kernel_height * s.kernel_width),
                      ky = tap / s.kernel_width % s.kernel_height, kx = tap % s.kernel_width;
        const int64_t iz = oz * s.stride_depth - s.pad_front + kz * s.dilation_depth;
        const int64_t iy = oy * s.stride_height - s.pad_top + ky * s.dilation_height;
        const int64_t ix = ox * s.stride_width - s.pad_left + kx * s.dilation_width;
        if (iz < 0 || iy < 0 || ix < 0 || iz >= s.depth || iy >= s.height || ix >= s.width)
          continue;
        const int64_t input = ((n * s.depth + iz) * s.height + iy) * s.width + ix;
        for (int64_t ci = 0; ci < gi; ++ci) {
          for (int64_t co = 0; co < s.out_channels; ++co) {
            visit(input * s.in_channels + co / go * gi + ci, (tap * gi + ci) * s.out_channels + co,
                  output * s.out_channels + co);
          }
        }
      }
    }
  };
  each_product([&](int64_t x, int64_t w, int64_t y) { r.y[y] += data.x[x] * data.w[w]; });
  std::vector<double> dy = data.dy;
  for (size_t i = 0; i < r.y.size(); ++i) {
    const size_t channel = i % data.bias.size();
    r.y[i] = std::max(0.0, r.y[i] + data.bias[channel]);
    if (!(r.y[i] > 0)) dy[i] = 0;
    r.db[channel] += dy[i];
  }
  each_product([&](int64_t x, int64_t w, int64_t y) {
    r.dx[x] += dy[y] * data.w[w];
    r.dw[w] += dy[y] * data.x[x];
  });
  return r;
}

// `y_wanted` is the oracle's, for the ReLU mask of the backward pass: rounding decides the sign of
// an output that is nearly zero.
template <class T>
Results computed(const ConvolutionShape& s, const Data& data, const std::vector<double>& y_wanted,
                 ConvolutionMethod method, int threads, bool data_gradient = true) {
  const auto x = converted<T>(data.x), w = converted<T>(data.w), bias = converted<T>(data.bias),
             dy = converted<T>(data.dy), mask = converted<T>(y_wanted);
  std::vector<T> dx(x.size(), T(9)), dw(w.size(), T(9)), db(bias.size(), T(9));
  AlignedBytes result(dy.size() * sizeof(T));  // where the program's arrays begin
  const std::span y(static_cast<T*>(result.data()), dy.size());
  std::fill(y.begin(), y.end(), T(9));
  ThreadPool pool(threads);
  ConvolutionForward forward(
      s, {.dtype = dtype_of<T>, .bias = true, .relu = true, .method = method}, threads);
  AlignedBytes scratch(forward.scratch_bytes());
  forward.run({.x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()}, scratch.data(),
              pool);
  ConvolutionBackward backward(s,
                               {.dtype = dtype_of<T>,
                                .data = data_gradient,
                                .bias_gradient = true,
                                .relu_mask = true,
                                .method = method},
                               threads);
  AlignedBytes more(backward.scratch_bytes());
  backward.run({.x = x.data(),
                .w = w.data(),
                .y = mask.data(),
                .dy = dy.data(),
                .dx = dx.data(),
                .dw = dw.data(),
                .db = db.data()},
               more.data(), pool);
  return {widened(std::vector<T>(y.begin(), y.end())), widened(dx), widened(dw), widened(db)};
}

// Data that T holds exactly, so that the oracle sees the same numbers.
template <class T>
Data data_of(const ConvolutionShape& s) {
  return {widened(test_data<T>(s.input_elements(), 1)),
          widened(test_data<T>(s.weight_elements(), 2)), widened(test_data<T>(s.out_channels, 3)),
          widened(test_data<T>(s.output_elements(), 4))};
}

template <class T>
void expect_agreement(const ConvolutionShape& s, ConvolutionMethod method,
                      std::vector<int> thread_counts, double tolerance, bool data_gradient = true) {
  const Data data = data_of<T>(s);
  const Results wanted = oracle(s, data);
  for (int threads : thread_counts) {
    const Results got = computed<T>(s, data, wanted.y, method, threads, data_gradient);
    const std::string text = str(to_string(s), ", threads ", threads);
    EXPECT_LE(relative_rms_error(got.y, wanted.y), tolerance) << "y: " << text;
    if (data_gradient) {
      EXPECT_LE(relative_rms_error(got.dx, wanted.dx), tolerance) << "dx: " << text;
    }
    EXPECT_LE(relative_rms_error(got.dw, wanted.dw), tolerance) << "dw: " << text;
    EXPECT_LE(relative_rms_error(got.db, wanted.db), tolerance) << "db: " << text;
  }
}

ConvolutionShape square(int64_t batch, int64_t size, int64_t in, int64_t out, int64_t kernel,
                        int64_t padding = 0) {
  return {.batch = batch,
          .height = size,
          .width = size,
          .in_channels = in,
          .out_channels = out,
          .kernel_height = kernel,
          .kernel_width = kernel,
          .pad_top = padding,
          .pad_bottom = padding,
          .pad_left = padding,
          .pad_right = padding};
}

// Anything a layer can ask for: strides, one-sided padding, dilation, groups, odd sizes and channel
// counts.
const std::vector<ConvolutionShape>& any_shapes() {
  static const std::vector<ConvolutionShape> table = [] {
    std::vector<ConvolutionShape> shapes = {
        square(1, 1, 1, 1, 1),       square(2, 8, 3, 5, 3),       square(3, 9, 1, 32, 3),
        square(2, 12, 16, 16, 3, 1), square(2, 7, 8, 24, 1),      square(1, 14, 4, 8, 5, 2),
        square(5, 6, 32, 7, 3, 2),   square(2, 10, 33, 20, 3, 1),
    };
    ConvolutionShape s = square(2, 11, 6, 10, 3, 1);
    s.stride_height = s.stride_width = 2;
    shapes.push_back(s);
    s = square(1, 13, 3, 16, 7, 3);
    s.stride_height = s.stride_width = 2;
    shapes.push_back(s);
    s = square(2, 12, 4, 6, 3, 2);
    s.dilation_height = s.dilation_width = 2;
    shapes.push_back(s);
    s = square(2, 9, 8, 12, 3, 1);
    s.groups = 4;
    shapes.push_back(s);
    s = square(2, 9, 8, 8, 3, 1);
    s.groups = 8;
    shapes.push_back(s);
    s = square(2, 9, 6, 12, 3, 1);  // depthwise with a multiplier of 2
    s.groups = 6;
    shapes.push_back(s);
    // A 1-D convolution with causal padding; TensorFlow's SAME for an even size: one more below and
    // right.
    shapes.push_back({.batch = 2,
                      .height = 1,
                      .width = 20,
                      .in_channels = 5,
                      .out_channels = 9,
                      .kernel_width = 4,
                      .pad_left = 3});
    shapes.push_back({.batch = 2,
                      .height = 10,
                      .width = 7,
                      .in_channels = 3,
                      .out_channels = 4,
                      .kernel_height = 3,
                      .kernel_width = 2,
                      .stride_height = 2,
                      .stride_width = 3,
                      .pad_bottom = 1,
                      .pad_right = 1});
    // Three dimensions.
    s = square(2, 6, 3, 5, 3, 1);
    s.depth = 5;
    s.kernel_depth = 2;
    s.pad_back = 1;
    shapes.push_back(s);
    s.stride_depth = 2;
    s.stride_width = 2;
    s.dilation_height = 2;
    s.pad_front = 2;
    shapes.push_back(s);
    s = square(1, 7, 8, 8, 3, 1);
    s.depth = s.kernel_depth = 3;
    s.groups = 4;
    shapes.push_back(s);
    s = square(2, 7, 4, 6, 3, 1);  // the kernel has no depth
    s.depth = 4;
    shapes.push_back(s);
    return shapes;
  }();
  return table;
}

TEST(Convolution, GenericAgreesWithTheDefinition) {
  for (const ConvolutionShape& s : any_shapes()) {
    expect_agreement<float>(s, ConvolutionMethod::generic, {2}, 1e-6);
    expect_agreement<double>(s, ConvolutionMethod::generic, {2}, 1e-14);
    expect_agreement<int32_t>(s, ConvolutionMethod::generic, {2}, 0);
    expect_agreement<float16>(s, ConvolutionMethod::generic, {1}, 1e-3);
  }
}

TEST(Convolution, AutomaticAgreesWithTheDefinition) {
  for (const ConvolutionShape& s : any_shapes()) {
    expect_agreement<float>(s, ConvolutionMethod::automatic, {1, 2, 5}, 1e-5);
    expect_agreement<double>(s, ConvolutionMethod::automatic, {2}, 1e-14);
    expect_agreement<bfloat16>(s, ConvolutionMethod::automatic, {2}, 1e-2);
    expect_agreement<float16>(s, ConvolutionMethod::automatic, {2}, 1e-3);
  }
}

// What Winograd takes: every size of the last tile, every padding, channels of whole vectors and
// not, batches smaller than the threads, images larger than a chunk, weights large enough for the
// threads to share one sum.
const std::vector<ConvolutionShape>& winograd_shapes() {
  static const std::vector<ConvolutionShape> table = [] {
    std::vector<ConvolutionShape> shapes = {
        square(1, 3, 1, 1, 3),        square(2, 6, 8, 8, 3),       square(3, 7, 16, 16, 3, 1),
        square(9, 8, 32, 32, 3),      square(2, 9, 5, 7, 3, 2),    square(2, 10, 33, 20, 3, 1),
        square(4, 26, 32, 32, 3),     square(1, 40, 12, 12, 3, 1), square(2, 5, 128, 136, 3),
        square(3, 14, 96, 160, 3, 1), square(1, 11, 300, 16, 3),   square(30, 5, 4, 4, 3, 1),
        square(1, 70, 20, 20, 3),     square(1, 90, 8, 180, 3),
    };
    ConvolutionShape s = square(2, 9, 12, 10, 3);
    s.width = 14;
    s.pad_top = 2;
    s.pad_left = 1;
    s.pad_right = 2;
    shapes.push_back(s);
    return shapes;
  }();
  return table;
}

TEST(Convolution, WinogradAgreesWithTheDefinition) {
  for (const ConvolutionShape& s : winograd_shapes()) {
    expect_agreement<float>(s, ConvolutionMethod::winograd, {1, 2, 5}, 1e-5);
    if (s.flops() > 2e7) continue;
    expect_agreement<bfloat16>(s, ConvolutionMethod::winograd, {2}, 1e-2);
    expect_agreement<float16>(s, ConvolutionMethod::winograd, {2}, 1e-3);
  }
}

TEST(Convolution, DirectAgreesWithTheDefinition) {
  for (const auto* shapes : {&any_shapes(), &winograd_shapes()}) {
    for (const ConvolutionShape& s : *shapes)
      expect_agreement<float>(s, ConvolutionMethod::direct, {1, 2, 5}, 3e-6);
  }
}

// Fewer images than threads, or a rest: threads share an image by bands of its rows.
const std::vector<ConvolutionShape>& shapes_of_bands() {
  static const std::vector<ConvolutionShape> table = [] {
    std::vector<ConvolutionShape> shapes = {square(1, 40, 24, 40, 1), square(3, 30, 16, 24, 3, 1)};
    ConvolutionShape s = square(1, 43, 12, 40, 5, 2);
    s.stride_height = s.stride_width = 2;
    s.pad_bottom = s.pad_right = 1;
    shapes.push_back(s);
    s = square(1, 33, 20, 24, 3, 4);  // the first and the last rows stand in the padding alone
    s.dilation_height = s.dilation_width = 3;
    shapes.push_back(s);
    s = square(1, 112, 64, 64, 3, 1);
    s.groups = 64;
    shapes.push_back(s);
    s = square(1, 64, 16, 24, 3);  // rows that no window reads
    s.stride_height = s.stride_width = 4;
    shapes.push_back(s);
    return shapes;
  }();
  return table;
}

TEST(Convolution, BandsOfAnImageAgreeWithTheDefinition) {
  for (const ConvolutionShape& s : shapes_of_bands()) {
    EXPECT_EQ(kernels::cut_convolution(s, 2).parts.size(), 2u * s.batch) << to_string(s);
    expect_agreement<float>(s, ConvolutionMethod::direct, {2, 3}, 3e-6);
    expect_agreement<float16>(s, ConvolutionMethod::direct, {2}, 1e-3);
  }
}

TEST(Convolution, PartsCoverTheOutputInItsOrder) {
  struct Row {
    ConvolutionShape shape;
    int threads;
    size_t parts, kinds;
  };
  const ConvolutionShape one = square(1, 40, 24, 40, 3, 1);
  for (const Row& row :
       {Row{one, 1, 1, 1}, Row{one, 2, 2, 2}, Row{one, 4, 4, 3},
        Row{square(1, 4, 8, 8, 3, 1), 2, 1, 1},      // too small for two threads
        Row{square(1, 3, 600, 600, 3, 1), 8, 1, 1},  // fewer rows than threads
        Row{square(2, 40, 24, 40, 3, 1), 2, 2, 1}, Row{square(6, 40, 24, 40, 3, 1), 4, 12, 2},
        Row{square(19, 40, 24, 40, 3, 1), 2, 10, 2}}) {
    const kernels::ConvolutionParts cut = kernels::cut_convolution(row.shape, row.threads);
    EXPECT_EQ(cut.parts.size(), row.parts) << to_string(row.shape) << ", " << row.threads;
    EXPECT_EQ(cut.kinds.size(), row.kinds) << to_string(row.shape) << ", " << row.threads;
    int64_t end = 0;
    for (const kernels::ConvolutionPart& part : cut.parts) {
      EXPECT_EQ(part.output_begin, end);
      end += part.output_elements;
      EXPECT_LE(part.input_begin + part.input_elements, row.shape.input_elements());
    }
    EXPECT_EQ(end, row.shape.output_elements());
  }
}

// bf16 sums the weights' gradient by the matrix unit where there is one and there are channels
// enough: images that make several chunks, and all that shifts a tap.
TEST(Convolution, DirectAgreesWithTheDefinitionInBfloat16) {
  ConvolutionShape dilated = square(3, 13, 24, 40, 3, 2);
  dilated.dilation_height = 2;
  dilated.dilation_width = 3;
  const std::vector<ConvolutionShape> more = {dilated, square(40, 12, 32, 64, 3),
                                              square(2, 8, 48, 33, 5, 1), square(3, 7, 16, 20, 2),
                                              square(2, 6, 70, 16, 1)};
  for (const auto* shapes : {&any_shapes(), &winograd_shapes(), &more}) {
    for (const ConvolutionShape& s : *shapes) {
      if (s.flops() > 1e8) continue;
      expect_agreement<bfloat16>(s, ConvolutionMethod::direct, {1, 2, 5}, 1e-2);
      expect_agreement<bfloat16>(s, ConvolutionMethod::direct, {2}, 1e-2, /*data=*/false);
    }
  }
}

TEST(Convolution, PatchesAgreeWithTheDefinition) {
  for (const auto* shapes : {&any_shapes(), &winograd_shapes()}) {
    for (const ConvolutionShape& s : *shapes) {
      if (s.groups > 1 || s.has_depth() || s.weight_elements() / s.out_channels > 256 ||
          s.flops() > 1e7)
        continue;
      expect_agreement<float>(s, ConvolutionMethod::patches, {1, 2, 5}, 3e-6, /*data=*/false);
      expect_agreement<bfloat16>(s, ConvolutionMethod::patches, {2}, 1e-2, /*data=*/false);
      expect_agreement<float16>(s, ConvolutionMethod::patches, {2}, 1e-3, /*data=*/false);
    }
  }
}

// Channels of whole vectors, and a result that is written around the caches.
TEST(Convolution, PatchesOfWholeVectorsAgreeWithTheDefinition) {
  for (const ConvolutionShape& s : {square(3, 10, 1, 64, 3), square(200, 28, 1, 32, 3)}) {
    expect_agreement<float>(s, ConvolutionMethod::patches, {2}, 3e-6, /*data=*/false);
    expect_agreement<bfloat16>(s, ConvolutionMethod::patches, {1, 2}, 1e-2, /*data=*/false);
    expect_agreement<float16>(s, ConvolutionMethod::patches, {2}, 1e-3, /*data=*/false);
  }
}

TEST(Convolution, TheFasterMethodIsChosen) {
  using kernels::ConvolutionPass;
  const auto chosen = [](const ConvolutionShape& s, ConvolutionPass pass,
                         DType dtype = DType::f32) {
    return kernels::choose_convolution(s, dtype, pass);
  };
  for (ConvolutionPass pass :
       {ConvolutionPass::forward, ConvolutionPass::backward, ConvolutionPass::weights_only}) {
    EXPECT_EQ(chosen(square(200, 26, 256, 256, 3), pass), ConvolutionMethod::winograd);
    EXPECT_EQ(chosen(square(200, 26, 32, 32, 3), pass), ConvolutionMethod::winograd);
    EXPECT_EQ(chosen(square(200, 26, 256, 256, 1), pass), ConvolutionMethod::direct);
    ConvolutionShape strided = square(200, 26, 256, 256, 3);
    strided.stride_height = 2;
    EXPECT_EQ(chosen(strided, pass), ConvolutionMethod::direct);
    // One channel: patches, but for data gradients, and for small results that need no streaming.
    EXPECT_EQ(chosen(square(200, 28, 1, 32, 3), pass), pass == ConvolutionPass::backward
                                                           ? ConvolutionMethod::direct
                                                           : ConvolutionMethod::patches);
    EXPECT_EQ(chosen(square(2, 28, 1, 32, 3), pass), pass == ConvolutionPass::weights_only
                                                         ? ConvolutionMethod::patches
                                                         : ConvolutionMethod::direct);
  }
}

TEST(Convolution, TheEnvironmentOverridesTheChoice) {
  const auto chosen = [](const ConvolutionShape& s) {
    return kernels::choose_convolution(s, DType::f32, kernels::ConvolutionPass::forward);
  };
  setenv("SYSTOLIC_CONV", "direct", 1);
  EXPECT_EQ(chosen(square(2, 26, 64, 64, 3)), ConvolutionMethod::direct);
  EXPECT_EQ(chosen(square(2, 26, 1, 64, 3)), ConvolutionMethod::direct);
  setenv("SYSTOLIC_CONV", "winograd", 1);
  EXPECT_EQ(chosen(square(2, 26, 1, 1, 3)), ConvolutionMethod::winograd);
  setenv("SYSTOLIC_CONV", "fast", 1);
  EXPECT_THROW(chosen(square(2, 26, 64, 64, 3)), InvalidArgument);
  unsetenv("SYSTOLIC_CONV");
}

// Only one of the gradients, without mask and bias.
TEST(Convolution, GradientsCanBeHadOneByOne) {
  for (ConvolutionMethod method :
       {ConvolutionMethod::generic, ConvolutionMethod::direct, ConvolutionMethod::winograd}) {
    const ConvolutionShape s = square(3, 10, 16, 24, 3, 1);
    const auto x = test_data<float>(s.input_elements(), 1),
               w = test_data<float>(s.weight_elements(), 2),
               dy = test_data<float>(s.output_elements(), 4);
    ThreadPool pool(2);
    std::vector<float> dx(x.size()), dw(w.size()), dx_alone(x.size()), dw_alone(w.size());
    const auto run = [&](bool data, bool weights, float* dx_out, float* dw_out) {
      ConvolutionBackward backward(s, {.data = data, .weights = weights, .method = method}, 2);
      AlignedBytes scratch(backward.scratch_bytes());
      backward.run({.x = weights ? x.data() : nullptr,
                    .w = data ? w.data() : nullptr,
                    .dy = dy.data(),
                    .dx = dx_out,
                    .dw = dw_out},
                   scratch.data(), pool);
    };
    run(true, true, dx.data(), dw.data());
    run(true, false, dx_alone.data(), nullptr);
    run(false, true, nullptr, dw_alone.data());
    EXPECT_EQ(dx, dx_alone);
    EXPECT_EQ(dw, dw_alone);
    EXPECT_NE(dx, std::vector<float>(x.size()));
    EXPECT_NE(dw, std::vector<float>(w.size()));
  }
}

// No element of a result may depend on how the threads happened to run.
TEST(Convolution, GivesTheSameBitsEachTime) {
  for (ConvolutionMethod method : {ConvolutionMethod::direct, ConvolutionMethod::winograd}) {
    for (const ConvolutionShape& s : {square(9, 12, 16, 16, 3), square(4, 9, 128, 136, 3, 1)}) {
      const Data data = data_of<float>(s);
      const std::vector<double>& mask = data.dy;
      const Results first = computed<float>(s, data, mask, method, 3);
      for (int i = 0; i < 3; ++i) {
        const Results again = computed<float>(s, data, mask, method, 3);
        EXPECT_EQ(first.y, again.y);
        EXPECT_EQ(first.dx, again.dx);
        EXPECT_EQ(first.dw, again.dw);
        EXPECT_EQ(first.db, again.db);
      }
    }
  }
}

}  // namespace
}  // namespace systolic
