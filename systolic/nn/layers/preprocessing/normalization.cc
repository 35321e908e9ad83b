#include "systolic/nn/layers/preprocessing/normalization.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The kept axes, counted from the first, in order.
std::vector<int> kept_axes(const std::vector<int64_t>& axis, int rank) {
  std::vector<int> kept;
  for (const int64_t one : axis) {
    if (one < -rank || one >= rank) {
      raise<InvalidArgument>({.what = str("axis ", one, " of an input with ", rank, " axes"),
                              .wanted = str("from ", -rank, " to ", rank - 1)});
    }
    kept.push_back(static_cast<int>(one < 0 ? one + rank : one));
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

// The statistics' axes at the last of the kept ones, 1 elsewhere.
Shape spread_shape(const Shape& statistics, const std::vector<int>& kept, const Shape& x,
                   const char* name) {
  std::vector<int64_t> sizes(static_cast<size_t>(x.rank()), 1);
  bool fits = statistics.rank() <= static_cast<int>(kept.size());
  for (int i = 1; fits && i <= statistics.rank(); ++i) {
    const int axis = kept[kept.size() - static_cast<size_t>(i)];
    const int64_t size = statistics[-i];
    fits = size == 1 || size == x[axis];
    sizes[static_cast<size_t>(axis)] = size;
  }
  // One value is for all, whatever the axes.
  if (!fits && statistics.rank() == 1 && statistics[0] == 1)
    return Shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  if (!fits) {
    raise<InvalidArgument>(
        {.what = str(name, " of shape ", statistics, " for an input of shape ", x),
         .wanted = "a number, or sizes of the axes that `axis` names"});
  }
  return Shape(sizes);
}

std::vector<int64_t> sizes_of_axes(const Shape& shape, const std::vector<int>& axes) {
  std::vector<int64_t> sizes;
  for (const int axis : axes) sizes.push_back(shape[axis]);
  return sizes;
}

// For each element, in order, which of the statistics it belongs to.
class StatisticsOfElements {
 public:
  StatisticsOfElements(const Shape& shape, const std::vector<int>& kept) : shape_(shape) {
    strides_.assign(static_cast<size_t>(shape.rank()), 0);
    position_.assign(strides_.size(), 0);
    int64_t stride = 1;
    for (auto axis = kept.rbegin(); axis != kept.rend(); ++axis) {
      strides_[static_cast<size_t>(*axis)] = stride;
      stride *= shape[*axis];
    }
  }
  size_t next() {
    const int64_t result = at_;
    for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      at_ += strides_[i];
      if (++position_[i] < shape_[axis]) break;
      at_ -= strides_[i] * shape_[axis];
      position_[i] = 0;
    }
    return static_cast<size_t>(result);
  }

 private:
  Shape shape_;
  std::vector<int64_t> strides_, position_;
  int64_t at_ = 0;
};

}  // namespace

void RunningMoments::add(const Literal& batch) {
  if (batch.size() == 0) return;
  const std::vector<int> kept = kept_axes(axis_, batch.rank());
  const std::vector<int64_t> sizes = sizes_of_axes(batch.shape(), kept);
  if (count_ > 0 && sizes != sizes_) {
    raise<InvalidArgument>({.what = str("adapt got a batch of shape ", batch.shape()),
                            .wanted = str("sizes ", Shape(sizes_), " of the axes ", join(axis_),
                                          ", as in the batch before")});
  }
  sizes_ = sizes;
  size_t statistics = 1;
  for (const int64_t size : sizes) statistics *= static_cast<size_t>(size);
  const double count = static_cast<double>(batch.size()) / static_cast<double>(statistics);
  std::vector<double> means(statistics, 0), squares(statistics, 0);
  StatisticsOfElements first(batch.shape(), kept), second(batch.shape(), kept);
  for (int64_t i = 0; i < batch.size(); ++i) means[first.next()] += batch.number_at(i) / count;
  for (int64_t i = 0; i < batch.size(); ++i) {
    const size_t place = second.next();
    const double deviation = batch.number_at(i) - means[place];
    squares[place] += deviation * deviation;
  }
  means_.resize(statistics, 0);
  squares_.resize(statistics, 0);
  const double total = count_ + count;
  for (size_t i = 0; i < statistics; ++i) {
    const double apart = means[i] - means_[i];
    squares_[i] += squares[i] + apart * apart * count_ * count / total;
    means_[i] += apart * count / total;
  }
  count_ = total;
}

void RunningMoments::check_not_empty() const {
  if (count_ > 0) return;
  raise<FailedPrecondition>({.what = "adapt found no values in the data", .wanted = "a batch"});
}

Literal RunningMoments::mean() const {
  check_not_empty();
  return Literal::from(means_, Shape(sizes_));
}

Literal RunningMoments::variance() const {
  check_not_empty();
  std::vector<double> variances = squares_;
  for (double& one : variances) one /= count_;
  return Literal::from(variances, Shape(sizes_));
}

void Normalization::adapt(const Literal& data, SourceLocation at) {
  const ErrorScope scope(kind, at);
  RunningMoments moments(axis);
  moments.add(data);
  learn(moments, at);
}

void Normalization::learn(const RunningMoments& moments, SourceLocation at) {
  const ErrorScope scope(kind, at);
  mean = moments.mean();
  variance = moments.variance();
}

Tensor Normalization::call(const Tensor& x, CallContext& context) const {
  if (mean.given() != variance.given()) {
    raise<InvalidArgument>(
        {.what = mean.given() ? "mean without variance" : "variance without mean",
         .wanted = "both, or neither and adapt(data)"});
  }
  const Tensor in = cast(x, statistics_dtype(x));
  const std::vector<int> kept = kept_axes(axis, x.rank());
  const auto spread = [&](const Statistics& given, const char* weight, const char* initial) {
    if (given.given()) {
      const Shape shape = spread_shape(given.array().shape(), kept, x.shape(), weight);
      return constant(given.array().reshape(shape).convert(in.dtype()));
    }
    const Shape sizes(sizes_of_axes(x.shape(), kept));
    const Variable value = context.add_weight(
        weight, sizes, {.initializer = Initializer::parse(initial), .trainable = false});
    return cast(reshape(value.value(), spread_shape(sizes, kept, x.shape(), weight)), in.dtype());
  };
  const Tensor means = spread(mean, "mean", "zeros");
  // A variance of 0 must not divide by 0 (Keras's epsilon).
  const Tensor deviations = maximum(sqrt(spread(variance, "variance", "ones")), 1e-7);
  if (!mean.given())  // of Keras's files; nothing reads it
    context.add_weight("count", {},
                       {.initializer = "zeros", .trainable = false, .dtype = DType::i32});
  return cast(invert ? means + in * deviations : (in - means) / deviations,
              context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(Normalization)

}  // namespace systolic::inline v0
