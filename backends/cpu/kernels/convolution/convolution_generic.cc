#include <algorithm>
#include <array>

#include "backends/cpu/kernels/convolution/convolution_implementation.h"
#include "backends/cpu/kernels/generic_arithmetic.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t block = 64;  // output channels summed at a time

// Index arithmetic that the three loops share.
struct Geometry {
  explicit Geometry(const ConvolutionShape& s)
      : s(s),
        oh(s.out_height()),
        ow(s.out_width()),
        group_in(s.in_channels / s.groups),
        group_out(s.out_channels / s.groups) {}

  // Input row or column of an output position; may lie outside.
  int64_t input_y(int64_t oy, int64_t ky) const {
    return oy * s.stride_height - s.pad_top + ky * s.dilation_height;
  }
  int64_t input_x(int64_t ox, int64_t kx) const {
    return ox * s.stride_width - s.pad_left + kx * s.dilation_width;
  }
  // The output row or column that reads this input at this kernel position; -1 if none does.
  static int64_t output_of(int64_t from, int64_t stride, int64_t size) {
    return from < 0 || from % stride != 0 || from / stride >= size ? -1 : from / stride;
  }
  int64_t output_y(int64_t iy, int64_t ky) const {
    return output_of(iy + s.pad_top - ky * s.dilation_height, s.stride_height, oh);
  }
  int64_t output_x(int64_t ix, int64_t kx) const {
    return output_of(ix + s.pad_left - kx * s.dilation_width, s.stride_width, ow);
  }
  bool inside(int64_t iy, int64_t ix) const {
    return iy >= 0 && iy < s.height && ix >= 0 && ix < s.width;
  }

  int64_t input(int64_t n, int64_t iy, int64_t ix) const {
    return ((n * s.height + iy) * s.width + ix) * s.in_channels;
  }
  int64_t output(int64_t n, int64_t oy, int64_t ox) const {
    return ((n * oh + oy) * ow + ox) * s.out_channels;
  }
  int64_t weight(int64_t ky, int64_t kx, int64_t ci) const {
    return ((ky * s.kernel_width + kx) * group_in + ci) * s.out_channels;
  }

  const ConvolutionShape& s;
  int64_t oh, ow, group_in, group_out;
};

template <class T>
struct GenericForward final : ConvolutionForward::Implementation {
  using Implementation::Implementation;
  using Sum = Accumulator<T>;
  ConvolutionMethod method() const override { return ConvolutionMethod::generic; }
  size_t scratch_bytes() const override { return 0; }

  void run(const ConvolutionForwardOperands& p, void*, ThreadPool& pool) const override {
    const Geometry g(shape);
    pool.parallel_for(shape.batch * g.oh * g.ow, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) pixel(g, p, i / g.ow / g.oh, i / g.ow % g.oh, i % g.ow);
    });
  }

  void pixel(const Geometry& g, const ConvolutionForwardOperands& p, int64_t n, int64_t oy,
             int64_t ox) const {
    for (int64_t group = 0; group < shape.groups; ++group) {
      for (int64_t c = 0; c < g.group_out; c += block) {
        channels(g, p, n, oy, ox, group, group * g.group_out + c, std::min(block, g.group_out - c));
      }
    }
  }

  void channels(const Geometry& g, const ConvolutionForwardOperands& p, int64_t n, int64_t oy,
                int64_t ox, int64_t group, int64_t first, int64_t count) const {
    std::array<Sum, block> sums{};
    for (int64_t ky = 0; ky < shape.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < shape.kernel_width; ++kx) {
        const int64_t iy = g.input_y(oy, ky), ix = g.input_x(ox, kx);
        if (!g.inside(iy, ix)) continue;
        const T* x = static_cast<const T*>(p.x) + g.input(n, iy, ix) + group * g.group_in;
        for (int64_t ci = 0; ci < g.group_in; ++ci) {
          const T* w = static_cast<const T*>(p.w) + g.weight(ky, kx, ci) + first;
          for (int64_t c = 0; c < count; ++c)
            add_product(sums[static_cast<size_t>(c)], x[ci], w[c]);
        }
      }
    }
    T* y = static_cast<T*>(p.y) + g.output(n, oy, ox) + first;
    for (int64_t c = 0; c < count; ++c) {
      Sum sum = sums[static_cast<size_t>(c)];
      if (options.bias) add_value(sum, static_cast<const T*>(p.bias)[first + c]);
      if (options.relu) sum = rectified<T>(sum);
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
      pool.parallel_for(shape.batch * shape.height * shape.width, 1,
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            data_pixel(g, p, i / shape.width / shape.height,
                                       i / shape.width % shape.height, i % shape.width);
                          }
                        });
    }
    if (options.weights) {
      const int64_t rows = shape.kernel_height * shape.kernel_width * g.group_in;
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

  void data_pixel(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t n, int64_t iy,
                  int64_t ix) const {
    for (int64_t channel = 0; channel < shape.in_channels; ++channel) {
      const int64_t group = channel / g.group_in;
      Sum sum{};
      for (int64_t ky = 0; ky < shape.kernel_height; ++ky) {
        for (int64_t kx = 0; kx < shape.kernel_width; ++kx) {
          const int64_t oy = g.output_y(iy, ky), ox = g.output_x(ix, kx);
          if (oy < 0 || ox < 0) continue;
          const int64_t first = group * g.group_out, dy = g.output(n, oy, ox) + first;
          const T* w = static_cast<const T*>(p.w) + g.weight(ky, kx, channel % g.group_in) + first;
          for (int64_t c = 0; c < g.group_out; ++c) add_product(sum, gradient(p, dy + c), w[c]);
        }
      }
      static_cast<T*>(p.dx)[g.input(n, iy, ix) + channel] = static_cast<T>(sum);
    }
  }

  void weight_gradient(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t row,
                       int64_t co) const {
    const int64_t ci = row % g.group_in, kx = row / g.group_in % shape.kernel_width,
                  ky = row / g.group_in / shape.kernel_width;
    const int64_t channel = co / g.group_out * g.group_in + ci;
    Sum sum{};
    for (int64_t n = 0; n < shape.batch; ++n) {
      for (int64_t oy = 0; oy < g.oh; ++oy) {
        for (int64_t ox = 0; ox < g.ow; ++ox) {
          const int64_t iy = g.input_y(oy, ky), ix = g.input_x(ox, kx);
          if (!g.inside(iy, ix)) continue;
          add_product(sum, static_cast<const T*>(p.x)[g.input(n, iy, ix) + channel],
                      gradient(p, g.output(n, oy, ox) + co));
        }
      }
    }
    static_cast<T*>(p.dw)[row * shape.out_channels + co] = static_cast<T>(sum);
  }

  void bias_gradient(const Geometry& g, const ConvolutionBackwardOperands& p, int64_t co) const {
    Sum sum{};
    for (int64_t pixel = 0; pixel < shape.batch * g.oh * g.ow; ++pixel) {
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
