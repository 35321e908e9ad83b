// (x - mean) / sqrt(variance) by statistics of the data (keras.layers.Normalization), or with
// `invert` x * sqrt(variance) + mean.
//
//   Normalization normalize{};
//   normalize.adapt(x_train);                              // a mean and variance for each feature
//   Model model = Sequential({Input{.shape = {8}}, normalize, Dense{.units = 1}});
//
//   Normalization{.mean = {0.5}, .variance = {0.25}}
//
// `axis`: which axes have statistics of their own, the batch's counted, too; empty: one mean and
// variance for all. Given statistics are a number, or have an axis for each of the last of these,
// of its size or 1. Where neither they nor `adapt` say them, they are weights that are not trained,
// "mean" (0), "variance" (1) and "count", as a file of Keras has them.
//
// Computes in f32 (f64 for f64) and gives the layer's type. InvalidArgument: a mean without a
// variance, shapes that do not fit.
#pragma once

#include "systolic/core/example.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/statistics.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// Mean and variance of batches that come one after the other (Chan, Golub, LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979), in f64.
class RunningMoments {
 public:
  explicit RunningMoments(std::vector<int64_t> axis) : axis_(std::move(axis)) {}
  // InvalidArgument for other sizes of the axes than before.
  void add(const Literal& batch);
  // FailedPrecondition where nothing was added.
  Literal mean() const;
  Literal variance() const;

 private:
  void check_not_empty() const;
  std::vector<int64_t> axis_;
  std::vector<int64_t> sizes_;
  std::vector<double> means_, squares_;  // squares of deviations, summed
  double count_ = 0;
};

struct Normalization {
  static constexpr const char* kind = "Normalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  static constexpr bool casts_inputs = false;  // statistics_dtype.h
  std::vector<int64_t> axis = {-1};
  Statistics mean = {};
  Statistics variance = {};
  bool invert = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Normalization{...}; l(x)

  // Sets mean and variance to those of an array, the batch first, or of batches such as a Dataset
  // of one array. FailedPrecondition where there is none.
  void adapt(const Literal& data, SourceLocation at = SourceLocation::current());
  template <class Batches>
  requires requires(const Batches& batches) { batches.begin(); }
  void adapt(const Batches& batches, SourceLocation at = SourceLocation::current()) {
    RunningMoments moments(axis);
    for (const Example& batch : batches) moments.add(batch.only(at));
    learn(moments, at);
  }
  void learn(const RunningMoments& moments, SourceLocation at);

  template <class Self = Normalization>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("axis", &Self::axis), field("mean", &Self::mean),
                   field("variance", &Self::variance), field("invert", &Self::invert)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(Normalization);

}  // namespace systolic::inline v0
