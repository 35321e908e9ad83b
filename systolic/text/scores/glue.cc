#include "systolic/text/scores/glue.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

using Numbers = std::vector<double>;

double accuracy(const Numbers& predictions, const Numbers& references) {
  int64_t right = 0;
  for (size_t i = 0; i < references.size(); ++i) right += predictions[i] == references[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(references.size());
}

double f1_of_class_1(const Numbers& predictions, const Numbers& references) {
  int64_t both = 0;
  for (size_t i = 0; i < references.size(); ++i)
    both += predictions[i] == 1 && references[i] == 1 ? 1 : 0;
  const int64_t all = std::ranges::count(predictions, 1.0) + std::ranges::count(references, 1.0);
  return all == 0 ? 0 : 2 * static_cast<double>(both) / static_cast<double>(all);
}

// The correlation of the tables of classes, of which there may be any number (Gorodkin 2004).
double matthews_correlation(const Numbers& predictions, const Numbers& references) {
  std::map<double, std::pair<double, double>> counts;  // of a class: predicted, and what there is
  for (const double one : predictions) ++counts[one].first;
  for (const double one : references) ++counts[one].second;
  const auto rows = static_cast<double>(references.size());
  double both = accuracy(predictions, references) * rows * rows;
  double of_predictions = rows * rows, of_references = rows * rows;
  for (const auto& [number, count] : counts) {
    both -= count.first * count.second;
    of_predictions -= count.first * count.first;
    of_references -= count.second * count.second;
  }
  const double product = of_predictions * of_references;
  return product == 0 ? 0 : both / std::sqrt(product);
}

double pearson(const Numbers& a, const Numbers& b) {
  const auto rows = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / rows;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / rows;
  double both = 0, of_a = 0, of_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    of_a += (a[i] - mean_a) * (a[i] - mean_a);
    of_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return both / std::sqrt(of_a * of_b);
}

// From 1; equal values share the mean of theirs.
Numbers ranks(const Numbers& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  Numbers result(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) result[order[i]] = rank;
  }
  return result;
}

}  // namespace

NamedScores glue_scores(std::string_view task, const std::vector<double>& predictions,
                        const std::vector<double>& references, SourceLocation location) {
  if (predictions.empty() || predictions.size() != references.size()) {
    raise<InvalidArgument>({.what = str("glue_scores of ", predictions.size(), " predictions and ",
                                        references.size(), " references"),
                            .wanted = "as many of each, and at least one",
                            .location = location});
  }
  if (task == "cola")
    return {{"matthews_correlation", matthews_correlation(predictions, references)}};
  if (task == "stsb") {
    return {{"pearson", pearson(predictions, references)},
            {"spearmanr", pearson(ranks(predictions), ranks(references))}};
  }
  const double right = accuracy(predictions, references);
  if (task == "mrpc" || task == "qqp")
    return {{"accuracy", right}, {"f1", f1_of_class_1(predictions, references)}};
  for (const char* one : {"sst2", "mnli", "qnli", "rte", "wnli"}) {
    if (task == one) return {{"accuracy", right}};
  }
  raise<InvalidArgument>({.what = str("glue_scores of the task '", task, "'"),
                          .wanted = "cola, sst2, mrpc, qqp, stsb, mnli, qnli, rte or wnli",
                          .location = location});
}

}  // namespace systolic::inline v0
