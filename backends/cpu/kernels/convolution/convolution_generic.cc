#include <algorithm>
#include <array>

#include "backends/cpu/kernels/convolution/convolution_implementation.h"
#include "backends/cpu/kernels/generic_arithmetic.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t block = 64;  // output channels summed at a time

using Position = std::array<int64_t, 3>;  // depth, height, width

// One axis of the image under the kernel.
struct Axis {
  int64_t size, outputs, kernel, stride, padding, dilation;

  // Where element `k` of the window at `output` reads the input; -1 in the padding.
  int64_t input(int64_t output, int64_t k) const {
    const int64_t at = output * stride - padding + k * dilation;
    return at < size ? at : -1;
  }
  // The output that reads `input` by element `k` of its window; -1 if none does.
  int64_t output(int64_t input, int64_t k) const {
    const int64_t from = input + padding - k * dilation;
    return from < 0 || from % stride != 0 || from / stride >= outputs ? -1 : from / stride;
  }
};

// Index arithmetic that the three loops share. Pixels and taps of the kernel are numbered in
// row-major order, pixels through the whole batch.
struct Geometry {
  explicit Geometry(const ConvolutionShape& s)
      : s(s),
        axes{Axis{s.depth, s.out_depth(), s.kernel_depth, s.stride_depth, s.pad_front,
                  s.dilation_depth},
             Axis{s.height, s.out_height(), s.kernel_height, s.stride_height, s.pad_top,
                  s.dilation_height},
             Axis{s.width, s.out_width(), s.kernel_width, s.stride_width, s.pad_left,
                  s.dilation_width}},
        group_in(s.in_channels / s.groups),
        group_out(s.out_channels / s.groups) {
    for (const Axis& axis : axes) {
      image_pixels *= axis.size;
      output_pixels *= axis.outputs;
    }
  }

  // The numbers along each axis of number `index` within sizes of axes.
  template <int64_t Axis::*size>
  Position position(int64_t index) const {
    Position at;
    for (size_t i = 3; i-- > 0; index /= axes[i].*size) at[i] = index % (axes[i].*size);
    return at;
  }
  template <int64_t Axis::*size>
  int64_t number(const Position& at) const {
    return (at[0] * (axes[1].*size) + at[1]) * (axes[2].*size) + at[2];
  }

  // Calls visit(tap, input pixel) for all inputs of an output pixel.
  template <class Visit>
  void inputs_of(int64_t output_pixel, Visit visit) const {
    visit_taps<&Axis::size>(
        position<&Axis::outputs>(output_pixel % output_pixels),
        output_pixel / output_pixels * image_pixels,
        [](const Axis& axis, int64_t at, int64_t k) { return axis.input(at, k); }, visit);
  }
  // Calls visit(tap, output pixel) for all outputs that read an input pixel.
  template <class Visit>
  void outputs_of(int64_t input_pixel, Visit visit) const {
    visit_taps<&Axis::outputs>(
        position<&Axis::size>(input_pixel % image_pixels),
        input_pixel / image_pixels * output_pixels,
        [](const Axis& axis, int64_t at, int64_t k) { return axis.output(at, k); }, visit);
  }
  // Calls visit(output pixel, input pixel) for all that meet at a tap.
  template <class Visit>
  void pairs_of(int64_t tap, Visit visit) const {
    const Position k = position<&Axis::kernel>(tap);
    for (int64_t pixel = 0; pixel < s.batch * output_pixels; ++pixel) {
      Position at = position<&Axis::outputs>(pixel % output_pixels);
      bool inside = true;
      for (size_t i = 0; i < 3; ++i) {
        at[i] = axes[i].input(at[i], k[i]);
        inside = inside && at[i] >= 0;
      }
      if (inside) visit(pixel, pixel / output_pixels * image_pixels + number<&Axis::size>(at));
    }
  }

  int64_t weight(int64_t tap, int64_t ci) const { return (tap * group_in + ci) * s.out_channels; }

  const ConvolutionShape& s;
  std::array<Axis, 3> axes;
  int64_t group_in, group_out;
  int64_t image_pixels = 1, output_pixels = 1;  // of one image

 private:
  // visit(tap, first + the pixel that `other` gives for `at` and the tap), where there is one.
  template <int64_t Axis::*size, class Other, class Visit>
  void visit_taps(const Position& at, int64_t first, Other other, Visit visit) const {
    for (int64_t kz = 0; kz < axes[0].kernel; ++kz) {
      const int64_t z = other(axes[0], at[0], kz);
      if (z < 0) continue;
      for (int64_t ky = 0; ky < axes[1].kernel; ++ky) {
        const int64_t y = other(axes[1], at[1], ky);
        if (y < 0) continue;
        for (int64_t kx = 0; kx < axes[2].kernel; ++kx) {
          const int64_t x = other(axes[2], at[2], kx);
          if (x >= 0) visit(number<&Axis::kernel>({kz, ky, kx}), first + number<size>({z, y, x}));
        }
      }
    }
  }
};

template <class T>
struct GenericForward final : ConvolutionForward::Implementation {
  using Implementation::Implementation;
  using Sum = Accumulator<T>;
  ConvolutionMethod method() const override { return ConvolutionMethod::generic; }
  size_t scratch_bytes() const override { return 0; }

  void run(const ConvolutionForwardOperands& p, void*, ThreadPool& pool) const override {
    const Geometry g(shape);
    pool.parallel_for(shape.batch * g.output_pixels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) pixel(g, p, i);
    });
  }

  void pixel(const Geometry& g, const ConvolutionForwardOperands& p, int64_t pixel) const {
    for (int64_t group = 0; group < shape.groups; ++group) {
      for (int64_t c = 0; c < g.group_out; c += block) {
        channels(g, p, pixel, group, group * g.group_out + c, std::min(block, g.group_out - c));
      }
    }
  }

  void channels(const Geometry& g, const ConvolutionForwardOperands& p, int64_t pixel,
                int64_t group, int64_t first, int64_t count) const {
    std::array<Sum, block> sums{};
    g.inputs_of(pixel, [&](int64_t tap, int64_t input) {
      const T* x = static_cast<const T*>(p.x) + input * shape.in_channels + group * g.group_in;
      for (int64_t ci = 0; ci < g.group_in; ++ci) {
        const T* w = static_cast<const T*>(p.w) + g.weight(tap, ci) + first;
        for (int64_t c = 0; c < count; ++c) add_product(sums[static_cast<size_t>(c)], x[ci], w[c]);
      }
    });
    T* y = static_cast<T*>(p.y) + pixel * shape.out_channels + first;
    for (int64_t c = 0; c < count; ++c) {
      Sum sum = sums[static_cast<size_t>(c)];
      if (options.bias) add_value(sum, static_cast<const T*>(p.bias)[first + c]);
      if (options.relu) sum = at_most<T>(rectified<T>(sum), options.most);
      y[c] = static_cast<T>(sum);
    }
  }
};

template <class T>
struct GenericBackward final : ConvolutionBackward::Implementation {
  using Implementation::Implementation;
  using Sum = Accumulator<T>;
  ConvolutionMethod method() const override { return ConvolutionMethod::generic; }
  size_t scratch_bytes() const override { return 0; }

  void run(const ConvolutionBackwardOperands& p, void*, ThreadPool& pool) const override {
    const Geometry g(shape);
    if (options.data) {
      pool.parallel_for(shape.batch * g.image_pixels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) data_pixel(g, p, i);
      });
    }
    if (options.weights) {
      const int64_t rows = shape.taps() * g.group_in;
      pool.parallel_for(rows * shape.out_channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          weight_gradient(g, p, i / shape.out_channels, i % shape.out_channels);
      });
    }
    if (options.bias_gradient) {
      pool.parallel_for(shape.out_channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) bias_gradient(g, p, c);
      });
    }
  }

  // dy where it counts.
  T gradient(const ConvolutionBackwardOperands& p, int64_t index) const {
    if constexpr (!is_complex_type<T>) {
      if (options.relu_mask && !(static_cast<const T*>(p.y)[index] > T(0))) return T(0);
    }
    return static_cast<const T*>(p.dy)[index];
  }

  void data_pixel(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t pixel) const {
    for (int64_t channel = 0; channel < shape.in_channels; ++channel) {
      const int64_t first = channel / g.group_in * g.group_out;
      Sum sum{};
      g.outputs_of(pixel, [&](int64_t tap, int64_t output) {
        const int64_t dy = output * shape.out_channels + first;
        const T* w = static_cast<const T*>(p.w) + g.weight(tap, channel % g.group_in) + first;
        for (int64_t c = 0; c < g.group_out; ++c) add_product(sum, gradient(p, dy + c), w[c]);
      });
      static_cast<T*>(p.dx)[pixel * shape.in_channels + channel] = static_cast<T>(sum);
    }
  }

  void weight_gradient(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t row,
                       int64_t co) const {
    const int64_t channel = co / g.group_out * g.group_in + row % g.group_in;
    Sum sum{};
    g.pairs_of(row / g.group_in, [&](int64_t output, int64_t input) {
      add_product(sum, static_cast<const T*>(p.x)[input * shape.in_channels + channel],
                  gradient(p, output * shape.out_channels + co));
    });
    static_cast<T*>(p.dw)[row * shape.out_channels + co] = static_cast<T>(sum);
  }

  void bias_gradient(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t co) const {
    Sum sum{};
    for (int64_t pixel = 0; pixel < shape.batch * g.output_pixels; ++pixel) {
      add_value(sum, gradient(p, pixel * shape.out_channels + co));
    }
    static_cast<T*>(p.db)[co] = static_cast<T>(sum);
  }
};

}  // namespace

ForwardImplementation make_generic_forward(const ConvolutionShape& shape,
                                           const ConvolutionForwardOptions& options) {
  return visit_dtype(options.dtype, [&](auto tag) -> ForwardImplementation {
    return std::make_unique<GenericForward<typename decltype(tag)::type>>(shape, options);
  });
}

BackwardImplementation make_generic_backward(const ConvolutionShape& shape,
                                             const ConvolutionBackwardOptions& options) {
  return visit_dtype(options.dtype, [&](auto tag) -> BackwardImplementation {
    return std::make_unique<GenericBackward<typename decltype(tag)::type>>(shape, options);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
