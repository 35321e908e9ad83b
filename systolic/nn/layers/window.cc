#include "systolic/nn/layers/window.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {
namespace {

void check_sizes(std::string_view field, const std::vector<int64_t>& sizes) {
  for (const int64_t size : sizes) check_positive(field, size);
}

}  // namespace

std::string_view spatial_axes(int rank) {
  constexpr std::string_view names[] = {"[batch, steps, channels]",
                                        "[batch, height, width, channels]",
                                        "[batch, depth, height, width, channels]"};
  return names[rank - 1];
}

void check_window(const Tensor& x, const Window& window) {
  if (window.padding.is("causal") && !window.takes_causal) {
    raise<InvalidArgument>({.what = "padding is 'causal'", .wanted = "'valid' or 'same'"});
  }
  check_sizes(window.size_field, window.size);
  check_sizes("strides", window.strides);
  check_sizes("dilation_rate", window.dilation);
  const auto rank = static_cast<int>(window.size.size());
  check_rank(x, rank + 2, spatial_axes(rank));
}

std::vector<std::pair<int64_t, int64_t>> spatial_padding(const Tensor& x, const Window& window) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (size_t i = 0; i < window.size.size(); ++i) {
    const int64_t size = x.shape()[static_cast<int>(i) + 1];
    const int64_t reach = (window.size[i] - 1) * window.dilation[i] + 1;
    if (window.padding.is("same")) {
      result.push_back(same_padding(size, window.size[i], window.strides[i], window.dilation[i]));
    } else if (window.padding.is("causal")) {
      result.emplace_back(reach - 1, 0);
    } else if (reach > size) {
      raise<InvalidArgument>({.what = str("a window of ", reach, " does not fit into the input's ",
                                          x.shape().slice(1, x.rank() - 1)),
                              .hint = "use .padding = \"same\", or a smaller window"});
    } else {
      result.emplace_back(0, 0);
    }
  }
  return result;
}

}  // namespace systolic::inline v0
