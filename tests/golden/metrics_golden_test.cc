// Every metric against Keras's, after each of several updates.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"

namespace systolic {
namespace {

// Quotients of sums of a dozen terms; the areas add up 200 of them.
constexpr double tolerance = 2e-6;

// As in make_metrics.py.
std::map<std::string, std::function<Metric()>> metrics() {
  return {
      {"mean", [] { return Mean{}; }},
      {"sum", [] { return Sum{}; }},
      {"accuracy", [] { return Accuracy{}; }},
      {"binary accuracy", [] { return BinaryAccuracy{}; }},
      {"binary accuracy at 0.3", [] { return BinaryAccuracy{.threshold = 0.3}; }},
      {"categorical accuracy", [] { return CategoricalAccuracy{}; }},
      {"sparse categorical accuracy", [] { return SparseCategoricalAccuracy{}; }},
      {"top 5", [] { return TopKCategoricalAccuracy{}; }},
      {"top 2", [] { return TopKCategoricalAccuracy{.k = 2}; }},
      {"sparse top 5", [] { return SparseTopKCategoricalAccuracy{}; }},
      {"sparse top 3", [] { return SparseTopKCategoricalAccuracy{.k = 3}; }},
      {"auc", [] { return Metric("auc"); }},
      {"auc of 7 thresholds", [] { return AUC{.num_thresholds = 7}; }},
      {"auc of logits", [] { return AUC{.from_logits = true}; }},
      {"auc of precision and recall", [] { return AUC{.curve = "PR"}; }},
      {"auc from below", [] { return AUC{.num_thresholds = 9, .summation_method = "minoring"}; }},
      {"auc from above", [] { return AUC{.num_thresholds = 9, .summation_method = "majoring"}; }},
      {"precision-recall auc from above",
       [] { return AUC{.num_thresholds = 9, .curve = "PR", .summation_method = "majoring"}; }},
      {"precision", [] { return Precision{}; }},
      {"precision at 0.7", [] { return Precision{.thresholds = 0.7}; }},
      {"precision at three",
       [] {
         return Precision{.thresholds = {0.2, 0.5, 0.9}};
       }},
      {"precision of the top 2", [] { return Precision{.top_k = 2}; }},
      {"precision of class 1", [] { return Precision{.class_id = 1}; }},
      {"recall", [] { return Metric("recall"); }},
      {"recall at 0.7", [] { return Recall{.thresholds = 0.7}; }},
      {"recall at three",
       [] {
         return Recall{.thresholds = {0.2, 0.5, 0.9}};
       }},
      {"recall of the top 2", [] { return Recall{.top_k = 2}; }},
      {"recall of class 1", [] { return Recall{.class_id = 1}; }},
      {"mse", [] { return MeanSquaredError{}; }},
      {"mae", [] { return MeanAbsoluteError{}; }},
      {"rmse", [] { return RootMeanSquaredError{}; }},
      {"f1", [] { return F1Score{}; }},
      {"f1, micro", [] { return F1Score{.average = "micro"}; }},
      {"f1, macro", [] { return F1Score{.average = "macro"}; }},
      {"f1, weighted", [] { return F1Score{.average = "weighted"}; }},
      {"f1 at 0.4", [] { return F1Score{.threshold = 0.4}; }},
      {"f of beta 2", [] { return FBetaScore{.beta = 2}; }},
      {"f of beta 0.5 at 0.4",
       [] { return FBetaScore{.average = "macro", .beta = 0.5, .threshold = 0.4}; }},
  };
}

// One of a stream's updates: [labels, predictions, weight or null] or [values, weight or null].
void update(const Metric& metric, const Json& arrays) {
  MetricOptions options;
  if (!arrays.back().is_null()) options.sample_weight = literal_of(arrays.back());
  const Tensor first = literal_of(arrays.at(0));
  if (arrays.size() == 2) return metric.update_state(first, options);
  metric.update_state(first, literal_of(arrays.at(1)), options);
}

TEST(MetricsGolden, GiveWhatKerasGives) {
  const Json file = golden_file("metrics");
  const auto known = metrics();
  std::map<std::string, int> seen;
  for (const Json& one : file.at("cases")) {
    const std::string name = one.at("metric"), data = one.at("data");
    SCOPED_TRACE(str(name, " of ", data));
    ++seen[name];
    const Metric metric = known.at(name)();
    const Json& stream = file.at("data").at(data);
    for (size_t i = 0; i < stream.size(); ++i) {
      EXPECT_NO_THROW(update(metric, stream.at(i)));
      expect_close(metric.result().literal(), one.at("results").at(i), tolerance,
                   str("after update ", i + 1));
    }
  }
  EXPECT_EQ(seen.size(), known.size());
}

}  // namespace
}  // namespace systolic
