#include "systolic/nn/layers/preprocessing/discretization.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Values in order, each for as many as its weight says.
struct WeighedValues {
  std::vector<double> values, weights;
};

// y at `x`, between the points (xs, ys) along lines; beyond them the first or the last.
double interpolated(double x, const std::vector<double>& xs, const std::vector<double>& ys) {
  const auto above = std::upper_bound(xs.begin(), xs.end(), x);
  if (above == xs.begin()) return ys.front();
  if (above == xs.end()) return ys.back();
  const auto i = static_cast<size_t>(above - xs.begin());
  return ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
}

// Every `epsilon`-th part of the values.
WeighedValues summary_of(std::vector<double> sorted, double epsilon) {
  std::sort(sorted.begin(), sorted.end());
  const double step = std::max(static_cast<double>(sorted.size()) * epsilon, 1.0);
  WeighedValues result;
  for (auto i = static_cast<size_t>(step - 1); i < sorted.size(); i += static_cast<size_t>(step)) {
    result.values.push_back(sorted[i]);
    result.weights.push_back(step);
  }
  return result;
}

WeighedValues compressed(const WeighedValues& summary, double epsilon) {
  if (static_cast<double>(summary.values.size()) * epsilon < 1) return summary;
  std::vector<double> totals, shares;
  double total = 0;
  for (const double weight : summary.weights) totals.push_back(total += weight);
  for (const double so_far : totals) shares.push_back(so_far / total);
  WeighedValues result;
  double before = 0;
  const auto count = static_cast<int64_t>(std::ceil(1.0 / epsilon));
  for (int64_t i = 0; i < count; ++i) {
    const double share = epsilon + static_cast<double>(i) * epsilon;
    const double up_to = interpolated(share, shares, totals);
    result.values.push_back(interpolated(share, shares, summary.values));
    result.weights.push_back(up_to - before);
    before = up_to;
  }
  return result;
}

}  // namespace

void QuantileSummary::add(const Literal& batch) {
  if (batch.size() == 0) return;
  std::vector<double> numbers;
  for (int64_t i = 0; i < batch.size(); ++i)
    numbers.push_back(static_cast<float>(batch.number_at(i)));
  const WeighedValues added = summary_of(std::move(numbers), epsilon_);
  std::vector<std::pair<double, double>> both;
  for (size_t i = 0; i < added.values.size(); ++i)
    both.emplace_back(added.values[i], added.weights[i]);
  for (size_t i = 0; i < values_.size(); ++i) both.emplace_back(values_[i], weights_[i]);
  std::stable_sort(both.begin(), both.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  WeighedValues merged;
  for (const auto& [value, weight] : both) {
    merged.values.push_back(value);
    merged.weights.push_back(weight);
  }
  merged = compressed(merged, epsilon_);
  values_ = std::move(merged.values);
  weights_ = std::move(merged.weights);
}

std::vector<double> QuantileSummary::boundaries(int64_t num_bins) const {
  if (values_.empty())
    raise<FailedPrecondition>({.what = "there were no values to make bins of", .wanted = "some"});
  if (num_bins < 2) raise<InvalidArgument>({.what = str(num_bins, " bins"), .wanted = "2 or more"});
  std::vector<double> result =
      compressed({values_, weights_}, 1.0 / static_cast<double>(num_bins)).values;
  result.pop_back();
  for (double& boundary : result) boundary = static_cast<float>(boundary);
  return result;
}

std::vector<double> bin_boundaries_of(const Literal& values, int64_t num_bins, double epsilon) {
  if (values.size() == 0 || num_bins < 2 || !(epsilon > 0 && epsilon < 1)) {
    raise<InvalidArgument>({.what = str("bin_boundaries_of ", values.size(), " values, ", num_bins,
                                        " bins, epsilon ", epsilon),
                            .wanted = "one value or more, 2 bins or more, and an epsilon between "
                                      "0 and 1"});
  }
  QuantileSummary summary(epsilon);
  summary.add(values);
  return summary.boundaries(num_bins);
}

Tensor Discretization::call(const Tensor& x, CallContext& context) const {
  const std::vector<double>& boundaries = bin_boundaries.get();
  if (boundaries.empty() || !std::is_sorted(boundaries.begin(), boundaries.end())) {
    raise<InvalidArgument>({.what = str("bin_boundaries are ", join(boundaries)),
                            .wanted = "one or more, in order",
                            .hint = "bin_boundaries_of(values, num_bins) makes them of data"});
  }
  const auto count = static_cast<int64_t>(boundaries.size());
  const Tensor numbers = expand_dims(cast(x, DType::f32), -1);
  const Tensor limits = constant(Literal::from(boundaries, {count}).convert(DType::f32));
  const Tensor bins = sum(cast(numbers >= limits, DType::i32), {.axis = -1});
  return encode_categories(bins, output_mode, count + 1,
                           output_mode.is("int") ? DType::i32 : context.compute_dtype());
}

KerasForm Discretization::keras_form() {
  return {.silent = {{"num_bins", "*"}, {"epsilon", "*"}, {"sparse", "false"}}};
}

SYSTOLIC_DEFINE_LAYER(Discretization)

}  // namespace systolic::inline v0
