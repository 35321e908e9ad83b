// One column of a FeatureSpace (feature_space.h): how its values become numbers, and what it has
// learnt of them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/nn/config/choice.h"
#include "systolic/nn/layers/preprocessing/discretization.h"
#include "systolic/nn/layers/preprocessing/hashing.h"
#include "systolic/nn/layers/preprocessing/integer_lookup.h"
#include "systolic/nn/layers/preprocessing/normalization.h"
#include "systolic/nn/layers/preprocessing/string_lookup.h"

namespace systolic::inline v0 {

// What a column of categories is encoded as: a row of 0 and 1, or a number.
struct FeatureOutputNames {
  SYSTOLIC_NAMES(throw "output_mode must be one of: one_hot int")
};
// A name of them.
using FeatureOutput = Choice<FeatureOutputNames>;

// Options of float_rescaled.
struct RescaledOptions {
  double scale = 1.0;   // what values are multiplied by
  double offset = 0.0;  // what is added then
};
// Options of float_discretized.
struct DiscretizedOptions {
  std::optional<int64_t> num_bins = {};     // the space's num_discretization_bins
  std::vector<double> bin_boundaries = {};  // instead of learning them
  FeatureOutput output_mode = "one_hot";    // or "int", the bin's number
};
// Options of integer_categorical and string_categorical.
struct CategoricalOptions {
  std::optional<int64_t> max_tokens = {};  // at most this many categories, the most frequent
  int64_t num_oov_indices = 1;             // places for those that are not known
  FeatureOutput output_mode = "one_hot";   // or "int", the category's number
};
// Options of integer_hashed and string_hashed.
struct HashedOptions {
  std::optional<int64_t> num_bins = {};   // the space's hashing_dim
  FeatureOutput output_mode = "one_hot";  // or "int", the bin's number
};

// What a FeatureSpace says for columns that leave it open.
struct FeatureDefaults {
  int64_t hashing_dim = 32;
  int64_t num_discretization_bins = 32;
};

// What one column has shown so far, while a space adapts.
class FeatureCounts {
 public:
  // Rows that come one by one are taken in batches of 32, as Keras takes them.
  void add(const class Feature& feature, const Literal& values);

 private:
  friend class Feature;
  void add_bins(const Literal& values);
  TokenCounts<std::string> texts_;
  TokenCounts<int64_t> integers_;
  RunningMoments moments_{{-1}};
  QuantileSummary quantiles_;
  std::vector<double> waiting_;
};

class Feature {
 public:
  // One of: float float_normalized float_rescaled float_discretized integer_categorical
  // string_categorical integer_hashed string_hashed; another one is an InvalidArgument.
  Feature(const char* kind);  // NOLINT: features are named where they are listed
  Feature(const std::string& kind) : Feature(kind.c_str()) {}  // NOLINT

  static Feature of(RescaledOptions options);
  static Feature of(DiscretizedOptions options);
  static Feature integers(CategoricalOptions options);
  static Feature texts(CategoricalOptions options);
  static Feature hashed(HashedOptions options);

  // Whether it learns from data, and has not been given what it would learn.
  bool adapts() const;
  bool is_adapted() const;
  void learn(FeatureCounts& counts, const FeatureDefaults& defaults, SourceLocation at);

  // [batch, ...] of the column's type to f32, or to i64 places where it has categories.
  Literal preprocessed(const Literal& values, const FeatureDefaults& defaults) const;
  // How many places there are; nothing for a column of floats.
  std::optional<int64_t> places(const FeatureDefaults& defaults) const;
  FeatureOutput output_mode() const { return output_; }

 private:
  friend class FeatureCounts;
  struct Hashed {
    std::optional<int64_t> num_bins;
  };
  struct Bins {
    std::optional<int64_t> num_bins;
    std::vector<double> boundaries;
    bool is_given = false;
  };
  using Rule =
      std::variant<RescaledOptions, Normalization, Bins, IntegerLookup, StringLookup, Hashed>;
  Feature(Rule rule, FeatureOutput output) : rule_(std::move(rule)), output_(output) {}

  Rule rule_;
  FeatureOutput output_ = "one_hot";
};

}  // namespace systolic::inline v0
