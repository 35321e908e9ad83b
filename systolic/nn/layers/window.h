// How a kernel or a pool moves over the axes between batch and channels: the geometry of all
// convolutions and poolings. Internal to nn.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/config/size3.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// One number for each spatial axis.
inline std::vector<int64_t> spatial_sizes(int64_t size) { return {size}; }
inline std::vector<int64_t> spatial_sizes(Size2 size) { return {size.height, size.width}; }
inline std::vector<int64_t> spatial_sizes(Size3 size) {
  return {size.depth, size.height, size.width};
}
template <class T>
std::vector<int64_t> spatial_sizes(const Required<T>& size) {
  return spatial_sizes(size.get());
}

// The names of the axes in errors: "[batch, height, width, channels]" for two.
std::string_view spatial_axes(int rank);

struct Window {
  std::vector<int64_t> size, strides, dilation;
  Padding padding;
  std::string_view size_field;  // its name in the layer: "kernel_size"
  bool takes_causal = false;
};

// From a layer's kernel_size, strides, dilation_rate and padding.
template <class Spec>
Window kernel_window(const Spec& spec) {
  return {.size = spatial_sizes(spec.kernel_size),
          .strides = spatial_sizes(spec.strides),
          .dilation = spatial_sizes(spec.dilation_rate),
          .padding = spec.padding,
          .size_field = "kernel_size"};
}

// From a layer's pool_size, strides and padding; without strides, windows lie side by side.
template <class Spec>
Window pool_window(const Spec& spec) {
  const std::vector<int64_t> size = spatial_sizes(spec.pool_size);
  return {.size = size,
          .strides = spatial_sizes(spec.strides.value_or(spec.pool_size)),
          .dilation = std::vector<int64_t>(size.size(), 1),
          .padding = spec.padding,
          .size_field = "pool_size"};
}

// x is [batch, spatial..., channels] with an axis for each size of the window, sizes are positive,
// the padding is one that the layer takes: else InvalidArgument.
void check_window(const Tensor& x, const Window& window);

// (before, after) for each spatial axis of x; a window that does not fit is an InvalidArgument.
std::vector<std::pair<int64_t, int64_t>> spatial_padding(const Tensor& x, const Window& window);

}  // namespace systolic::inline v0
