#include "examples/petals/macro_f1.h"

#include <map>

#include "systolic/base/error.h"

namespace examples {

double macro_f1(const std::vector<int64_t>& labels, const std::vector<int64_t>& answers) {
  if (labels.empty() || labels.size() != answers.size()) {
    systolic::raise<systolic::InvalidArgument>(
        {.what = "macro_f1",
         .got = systolic::str(labels.size(), " labels and ", answers.size(), " answers"),
         .wanted = "as many of both, one at least"});
  }
  // F1 = 2 hits / (labels of the class + answers of the class).
  struct Counts {
    int64_t hits = 0, labels = 0, answers = 0;
  };
  std::map<int64_t, Counts> classes;
  for (size_t i = 0; i < labels.size(); ++i) {
    ++classes[labels[i]].labels;
    ++classes[answers[i]].answers;
    if (labels[i] == answers[i]) ++classes[labels[i]].hits;
  }
  double sum = 0;
  for (const auto& [name, counts] : classes)
    sum += 2.0 * static_cast<double>(counts.hits) /
           static_cast<double>(counts.labels + counts.answers);
  return sum / static_cast<double>(classes.size());
}

std::vector<int64_t> best_classes(const systolic::Literal& scores) {
  const int64_t rows = scores.shape()[0], classes = scores.shape()[1];
  std::vector<int64_t> best;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t largest = 0;
    for (int64_t i = 1; i < classes; ++i) {
      if (scores.number_at(row * classes + i) > scores.number_at(row * classes + largest))
        largest = i;
    }
    best.push_back(largest);
  }
  return best;
}

}  // namespace examples
