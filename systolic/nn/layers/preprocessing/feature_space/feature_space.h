// Columns of a table to numbers that a model takes (keras.utils.FeatureSpace): each by the rule
// that is named for it, and crosses of several. It runs on the host, in a pipeline.
//
//   FeatureSpace space{
//       .features = {{"age", "float_normalized"},
//                    {"city", FeatureSpace::string_categorical({.max_tokens = 100})},
//                    {"weekday", "integer_categorical"}},
//       .crosses = {{"city", "weekday"}}};
//   space.adapt(train.map([](const Example& e) { return without_label(e); }));
//   train = train.batch(32).map([=](const Example& e) { return std::pair(space(e), e["label"]); });
//   Model model = Sequential({Input{.shape = {space.size()}}, Dense{.units = 1}});
//
// Values of a column: [batch], [batch, values], or one. Rules by name:
//   float                 as they are
//   float_normalized      mean 0 and variance 1, by what was learnt
//   float_rescaled        value * scale + offset
//   float_discretized     the bin of about as many values in each, learnt or given
//   integer_categorical, string_categorical     the place in a vocabulary, learnt
//   integer_hashed, string_hashed               the bin of their hash
// Categories are encoded as rows of 0 and 1, or with .output_mode = "int" left as numbers, which
// each() alone can give.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/layers/preprocessing/feature_space/feature.h"

namespace systolic::inline v0 {

// Options of FeatureSpace::cross.
struct CrossOptions {
  std::optional<int64_t> crossing_dim = {};  // bins; the space's
  FeatureOutput output_mode = "one_hot";     // or "int", the bin's number
};

// Columns of categories that are taken together, to a bin by their hash.
struct FeatureCross {
  FeatureCross(std::initializer_list<std::string> names) : feature_names(names) {}
  FeatureCross(std::vector<std::string> names, CrossOptions its_options)
      : feature_names(std::move(names)), options(its_options) {}
  std::string name() const;  // "city_X_weekday"

  std::vector<std::string> feature_names;
  CrossOptions options = {};
};

struct FeatureSpace {
  std::vector<std::pair<std::string, Feature>> features = {};
  std::vector<FeatureCross> crosses = {};
  int64_t crossing_dim = 32;
  int64_t hashing_dim = 32;
  int64_t num_discretization_bins = 32;
  SourceLocation location = SourceLocation::current();

  static Feature float_rescaled(RescaledOptions options) { return Feature::of(options); }
  static Feature float_discretized(DiscretizedOptions options) {
    return Feature::of(std::move(options));
  }
  static Feature integer_categorical(CategoricalOptions options) {
    return Feature::integers(options);
  }
  static Feature string_categorical(CategoricalOptions options) { return Feature::texts(options); }
  static Feature integer_hashed(HashedOptions options) { return Feature::hashed(options); }
  static Feature string_hashed(HashedOptions options) { return Feature::hashed(options); }
  static FeatureCross cross(std::vector<std::string> names, CrossOptions options) {
    return {std::move(names), options};
  }

  // Learns what its columns learn, of a dataset of rows or batches, each with all columns that
  // learn. A second adapt replaces the first. Columns by arrays: adapt({{"age", ages}, ...}).
  template <class Rows>
  requires requires(const Rows& rows) { rows.begin(); }
  void adapt(const Rows& rows, SourceLocation at = SourceLocation::current()) {
    std::vector<FeatureCounts> counts(features.size());
    for (const Example& row : rows) count(row, counts);
    learn(counts, at);
  }
  void adapt(const Example& columns, SourceLocation at = SourceLocation::current());

  // All features of a batch or a row side by side: f32 [batch, size()] or [size()], in the order of
  // the columns' names, crosses last. FailedPrecondition before adapt, NotFound for a column that
  // is not there, InvalidArgument for one that is left as a number.
  Literal operator()(const Example& values, SourceLocation at = SourceLocation::current()) const;
  // Each by its name, in the same order (Keras's output_mode="dict").
  Example each(const Example& values, SourceLocation at = SourceLocation::current()) const;
  // How many numbers a row becomes, where each column has one value.
  int64_t size() const;

  void count(const Example& row, std::vector<FeatureCounts>& counts) const;
  void learn(std::vector<FeatureCounts>& counts, SourceLocation at);
};

}  // namespace systolic::inline v0
