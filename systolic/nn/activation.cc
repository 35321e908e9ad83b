#include "systolic/nn/activation.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/nn/one_class.h"
#include "systolic/nn/remat.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor softmax_of_classes(const Tensor& x) {
  warn_of_one_class("softmax", x, -1, "sigmoid");
  return softmax(x);
}

Tensor log_softmax_of_classes(const Tensor& x) {
  warn_of_one_class("log_softmax", x, -1, "log_sigmoid");
  return log_softmax(x);
}

// What lies within the threshold of 0 becomes 0.
constexpr double shrink_threshold = 0.5;

Tensor hard_shrink(const Tensor& x) { return where(abs(x) > shrink_threshold, x, 0.0); }

Tensor soft_shrink(const Tensor& x) {
  return where(abs(x) > shrink_threshold, x - shrink_threshold * sign(x), 0.0);
}

Tensor squareplus(const Tensor& x) { return (x + sqrt(square(x) + 4.0)) / 2.0; }

Tensor sparse_plus(const Tensor& x) {
  return where(x <= -1.0, 0.0, where(x < 1.0, square(x + 1.0) / 4.0, x));
}

Tensor sparse_sigmoid(const Tensor& x) {
  return where(x <= -1.0, 0.0, where(x < 1.0, 0.5 * (x + 1.0), 1.0));
}

// After Martins and Astudillo 2016, and as Keras 3.15 computes it: what all are lowered by is made
// of the running sums of those that are left, where the paper has their sum. The two are the same
// where one is left.
Tensor sparsemax(const Tensor& x) {
  const Tensor sorted = sort(x, -1, true), sums = cumsum(sorted, -1);
  const Tensor places = cast(range(x.shape()[-1]), x.dtype()) + 1.0;
  const Tensor is_left = sorted - (sums - 1.0) / places > 0.0;
  const ReduceOptions along{.axis = -1, .keepdims = true};
  const Tensor count = sum(cast(is_left, x.dtype()), along);
  return maximum(x - (sum(where(is_left, sums, 0.0), along) - 1.0) / count, 0.0);
}

Tensor glu(const Tensor& x) {
  if (x.rank() == 0 || x.shape()[-1] % 2 != 0) {
    raise<InvalidArgument>({.what = str("glu of shape ", x.shape()),
                            .wanted = "a last axis of even size: its second half gates the first"});
  }
  const std::vector<Tensor> halves = split(x, 2, -1);
  return halves[0] * sigmoid(halves[1]);
}

struct Row {
  std::string_view name;
  Tensor (*apply)(const Tensor& x);
};

#define SYSTOLIC_ACTIVATION_ROW(name, ...) \
  {name, [](const Tensor& x) -> Tensor { return __VA_ARGS__; }},
constexpr Row rows[] = {SYSTOLIC_ACTIVATIONS(SYSTOLIC_ACTIVATION_ROW)};

}  // namespace

Activation Activation::parse(std::string_view name, SourceLocation location) {
  Activation result;
  result.position_ =
      parse_choice(ActivationNames::subject, name, Choice<ActivationNames>::known(), location);
  return result;
}

std::string_view Activation::name() const {
  return function_ ? "function" : ActivationNames::names[static_cast<size_t>(position_)];
}

Tensor Activation::operator()(const Tensor& x) const {
  std::optional<RecomputeScope> again;
  if (internal::ActivationRemat::recomputes()) again.emplace();
  return function_ ? (*function_)(x) : rows[position_].apply(x);
}

Config to_config(const Activation& activation) {
  if (activation.name() == "function") {
    raise<Unimplemented>({.what = "an activation that is a C++ function has no text form",
                          .hint = "use a named activation, or a layer of your own"});
  }
  return activation.name();
}

void from_config(const Config& config, Activation& activation) {
  activation = Activation::parse(config.text_value());
}

}  // namespace systolic::inline v0
