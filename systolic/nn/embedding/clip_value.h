// The limits of a table's gradients: `.clipvalue = 0.1` is -0.1 to 0.1, `.clipvalue = {-1, 0.5}`
// and
// `{{}, 0.5}` are one for each direction, of which none is given.
#pragma once

#include <cmath>
#include <optional>

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

struct ClipValue {
  constexpr ClipValue() = default;
  ClipValue(double limit) : min(-std::abs(limit)), max(std::abs(limit)) {}  // NOLINT
  constexpr ClipValue(std::optional<double> least, std::optional<double> most)
      : min(least), max(most) {}

  std::optional<double> min, max;
};

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
