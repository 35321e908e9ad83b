// Numbers to the bin in which they lie (keras.layers.Discretization): bin i holds what is at least
// boundary i - 1 and below boundary i.
//
//   Discretization{.bin_boundaries = {0, 1, 2}}                      [-0.5, 1, 7] -> [0, 2, 3]
//   Discretization{.bin_boundaries = bin_boundaries_of(ages, 10)}    bins of about as many each
//
// output_mode "one_hot", "multi_hot" and "count" encode the bins as CategoryEncoding does. Output:
// integers i32 for "int", else of the layer's type. No boundaries, and boundaries that do not grow,
// are an InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/categories.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Discretization {
  static constexpr const char* kind = "Discretization";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<std::vector<double>> bin_boundaries;
  CategoryOutput output_mode = "int";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = Discretization>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("bin_boundaries", &Self::bin_boundaries),
                                     field("output_mode", &Self::output_mode)),
                          common_fields<Self>());
  }
};

// Boundaries of `num_bins` bins with about as many of the values in each (Discretization.adapt of
// Keras, of data that is one array). `epsilon` is the share of the values by which a boundary may
// be off. No values, and fewer than 2 bins, are an InvalidArgument.
std::vector<double> bin_boundaries_of(const Literal& values, int64_t num_bins,
                                      double epsilon = 0.01);

// The same of values that come in batches: what is kept is about 1 / epsilon of them, merged as
// Keras merges it, so that the boundaries are those of Keras for the same batches.
class QuantileSummary {
 public:
  explicit QuantileSummary(double epsilon = 0.01) : epsilon_(epsilon) {}
  void add(const Literal& batch);
  // FailedPrecondition where no values were added.
  std::vector<double> boundaries(int64_t num_bins) const;

 private:
  double epsilon_;
  std::vector<double> values_, weights_;  // in order; each for as many as its weight says
};

extern template Layer::Layer(Discretization);

}  // namespace systolic::inline v0
