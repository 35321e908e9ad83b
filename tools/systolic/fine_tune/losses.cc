#include "tools/systolic/fine_tune/losses.h"

#include <algorithm>
#include <cmath>

namespace tool::fine_tune {

using namespace systolic;

double cross_entropy(std::span<const float> scores, size_t label) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(score - most);
  return std::log(sum) + most - scores[label];
}

double token_loss(const Literal& logits, const std::vector<std::vector<int32_t>>& labels,
                  int64_t batch, bool pads_in_front) {
  const auto length = static_cast<size_t>(logits.shape()[1]),
             classes = static_cast<size_t>(logits.shape()[2]);
  double sum_of_batches = 0;
  for (size_t first = 0; first < labels.size(); first += static_cast<size_t>(batch)) {
    const size_t last = std::min(labels.size(), first + static_cast<size_t>(batch));
    double sum = 0, count = 0;
    for (size_t row = first; row < last; ++row) {
      const size_t begin = row * length + (pads_in_front ? length - labels[row].size() : 0);
      for (size_t token = 0; token < labels[row].size(); ++token) {
        if (labels[row][token] < 0) continue;
        sum += cross_entropy(logits.data<float>().subspan((begin + token) * classes, classes),
                             static_cast<size_t>(labels[row][token]));
        ++count;
      }
    }
    if (count > 0) sum_of_batches += sum / count * static_cast<double>(last - first);
  }
  return sum_of_batches / static_cast<double>(labels.size());
}

}  // namespace tool::fine_tune
