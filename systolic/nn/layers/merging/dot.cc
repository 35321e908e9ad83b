#include "systolic/nn/layers/merging/dot.h"

#include "systolic/base/error.h"
#include "systolic/nn/config/field_values.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

int checked_dot_axis(int64_t axis, const Tensor& x) {
  const int position = checked_axis("axes", axis, x.rank());
  if (position > 0) return position;
  raise<InvalidArgument>(
      {.what = str("axes name the batch of the input's ", x.shape()), .wanted = "1 or more"});
}

Tensor with_length_1(const Tensor& x, int axis) {
  const Tensor squares = sum(square(x), {.axis = axis, .keepdims = true});
  return x * rsqrt(maximum(squares, 1e-14));
}

// "abc" for three axes, from `first` on, and the batch's letter in front.
std::string letters_from(char first, int rank) {
  std::string letters = "a";
  for (int i = 1; i < rank; ++i) letters += static_cast<char>(first + i);
  return letters;
}

}  // namespace

Config to_config(DotAxes value) {
  return value.first == value.second ? Config(value.first)
                                     : Config(Config::List{value.first, value.second});
}

void from_config(const Config& config, DotAxes& value) {
  if (config.is_integer()) {
    value = config.integer();
    return;
  }
  const Config::List& pair = pair_of(config);
  value = DotAxes(pair[0].integer(), pair[1].integer());
}

Tensor Dot::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 2);
  if (xs.size() != 2) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"), .wanted = "two"});
  }
  Tensor x = xs[0], y = xs[1];
  const int first = checked_dot_axis(axes->first, x), second = checked_dot_axis(axes->second, y);
  if (x.shape()[first] != y.shape()[second]) {
    raise<InvalidArgument>({.what = str("axes ", first, " and ", second, " of inputs of ",
                                        x.shape(), " and ", y.shape()),
                            .wanted = "two axes of one size"});
  }
  if (normalize) {
    x = with_length_1(x, first);
    y = with_length_1(y, second);
  }
  std::string left = letters_from('a', x.rank()), right = letters_from('l', y.rank());
  left[static_cast<size_t>(first)] = right[static_cast<size_t>(second)] = 'z';
  std::string result = left;
  result.erase(static_cast<size_t>(first), 1);
  for (const char letter : right) {
    if (letter != 'a' && letter != 'z') result += letter;
  }
  const Tensor product = einsum(left + "," + right + "->" + result, x, y);
  return product.rank() == 1 ? expand_dims(product, 1) : product;
}

SYSTOLIC_DEFINE_LAYER(Dot)

}  // namespace systolic::inline v0
