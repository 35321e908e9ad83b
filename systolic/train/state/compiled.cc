#include "systolic/train/state/compiled.h"

namespace systolic::inline v0 {

const LossFunction* Compiled::loss_of(size_t output) const {
  const size_t i = losses.size() == 1 ? 0 : output;
  return i < losses.size() && losses[i] ? &*losses[i] : nullptr;
}

bool Compiled::takes_labels(size_t output) const {
  if (losses.empty() || loss_of(output) != nullptr) return true;
  return std::any_of(metrics.begin(), metrics.end(),
                     [&](const OutputMetric& one) { return one.output == output; });
}

size_t Compiled::place_of_labels(size_t output) const {
  size_t place = 0;
  for (size_t i = 0; i < output; ++i) place += takes_labels(i) ? 1 : 0;
  return place;
}

}  // namespace systolic::inline v0
