#include "systolic/nn/layers/preprocessing/feature_space/feature_space.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/hashed_crossing.h"
#include "systolic/preprocessing/encode.h"

namespace systolic::inline v0 {
namespace {

FeatureDefaults defaults_of(const FeatureSpace& space) {
  return {.hashing_dim = space.hashing_dim,
          .num_discretization_bins = space.num_discretization_bins};
}

void check_space(const FeatureSpace& space) {
  std::map<std::string, int> times;
  for (const auto& [name, feature] : space.features) ++times[name];
  for (const auto& [name, count] : times) {
    if (count > 1)
      raise<InvalidArgument>(
          {.what = str("feature '", name, "' is there ", count, " times"), .wanted = "once"});
  }
  for (const FeatureCross& cross : space.crosses) {
    for (const std::string& name : cross.feature_names) {
      if (times.count(name) == 0)
        raise<InvalidArgument>({.what = str("a cross of '", name, "', which is no feature"),
                                .wanted = "names of features"});
    }
  }
  if (space.features.empty())
    raise<InvalidArgument>({.what = "a FeatureSpace without features", .wanted = "one or more"});
}

void check_adapted(const FeatureSpace& space) {
  check_space(space);
  for (const auto& [name, feature] : space.features) {
    if (!feature.is_adapted())
      raise<FailedPrecondition>({.what = str("feature '", name, "' has learnt nothing"),
                                 .wanted = "adapt(dataset) before"});
  }
}

template <class Items, class Name>
std::vector<size_t> order_by_name(const Items& items, Name&& name_of) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return name_of(items[a]) < name_of(items[b]); });
  return order;
}

int64_t bins_of(const FeatureSpace& space, const FeatureCross& cross) {
  return cross.options.crossing_dim.value_or(space.crossing_dim);
}

// Places as rows of 0 and 1, floats and numbers as they are.
Literal encoded(const Literal& values, std::optional<int64_t> places, FeatureOutput output) {
  if (!places || output.is("int")) return values;
  return encode_places(values, "multi_hot", *places);
}

Literal first_row(const Literal& values, bool is_row) {
  return is_row && values.rank() == 2 && values.shape()[0] == 1 ? values.row(0) : values;
}

// [batch, ...] of each side by side.
Literal joined(const std::vector<Literal>& parts) {
  const int64_t rows = parts[0].shape()[0];
  int64_t width = 0;
  for (const Literal& part : parts) width += part.size() / std::max<int64_t>(rows, 1);
  Literal result(DType::f32, {rows, width});
  auto to = result.mutable_data<float>().begin();
  for (int64_t row = 0; row < rows; ++row) {
    for (const Literal& part : parts) {
      const int64_t columns = part.size() / rows;
      to = std::copy_n(part.data<float>().begin() + row * columns, columns, to);
    }
  }
  return result;
}

}  // namespace

std::string FeatureCross::name() const {
  std::string result;
  for (const std::string& one : feature_names) result += (result.empty() ? "" : "_X_") + one;
  return result;
}

void FeatureSpace::count(const Example& row, std::vector<FeatureCounts>& counts) const {
  for (size_t i = 0; i < features.size(); ++i) {
    const auto& [name, feature] = features[i];
    if (feature.adapts()) counts[i].add(feature, row[name]);
  }
}

void FeatureSpace::learn(std::vector<FeatureCounts>& counts, SourceLocation at) {
  const ErrorScope scope("FeatureSpace", at);
  check_space(*this);
  for (size_t i = 0; i < features.size(); ++i)
    features[i].second.learn(counts[i], defaults_of(*this), at);
}

void FeatureSpace::adapt(const Example& columns, SourceLocation at) {
  const ErrorScope scope("FeatureSpace", at);
  std::vector<FeatureCounts> counts(features.size());
  for (size_t i = 0; i < features.size(); ++i) {
    const auto& [name, feature] = features[i];
    if (!feature.adapts()) continue;
    const Literal& values = columns[name];
    for (int64_t row = 0; row < values.shape()[0]; ++row) counts[i].add(feature, values.row(row));
  }
  learn(counts, at);
}

Example FeatureSpace::each(const Example& values, SourceLocation at) const {
  const ErrorScope scope("FeatureSpace", at);
  check_adapted(*this);
  const FeatureDefaults defaults = defaults_of(*this);
  bool is_row = false;
  std::map<std::string, Literal> preprocessed;
  for (const auto& [name, feature] : features) {
    const Literal& given = values[name];
    is_row = is_row || given.rank() == 0;
    const Literal rows = given.rank() < 2 ? given.reshape({given.size(), 1}) : given;
    preprocessed.emplace(name, feature.preprocessed(rows, defaults));
  }
  Example::Components result;
  for (const size_t i : order_by_name(features, [](const auto& one) { return one.first; })) {
    const auto& [name, feature] = features[i];
    const Literal one =
        encoded(preprocessed.at(name), feature.places(defaults), feature.output_mode());
    result.emplace_back(name, first_row(one, is_row));
  }
  for (const size_t i : order_by_name(crosses, [](const auto& one) { return one.name(); })) {
    const FeatureCross& cross = crosses[i];
    std::vector<Literal> crossed;
    for (const std::string& name : cross.feature_names) crossed.push_back(preprocessed.at(name));
    const int64_t bins = bins_of(*this, cross);
    const Literal places = HashedCrossing{.num_bins = bins}(crossed, at);
    result.emplace_back(cross.name(),
                        first_row(encoded(places, bins, cross.options.output_mode), is_row));
  }
  return Example(std::move(result));
}

Literal FeatureSpace::operator()(const Example& values, SourceLocation at) const {
  const ErrorScope scope("FeatureSpace", at);
  const Example all = each(values, at);
  std::vector<Literal> parts;
  bool is_row = false;
  for (size_t i = 0; i < all.size(); ++i) {
    const Literal& part = all.value(i);
    if (part.dtype() != DType::f32) {
      raise<InvalidArgument>({.what = str("feature '", all.name(i), "' is left as a number"),
                              .wanted = "one that is encoded: output_mode \"one_hot\"",
                              .hint = "each() gives features by their names"});
    }
    is_row = is_row || part.rank() == 1;
    parts.push_back(part.rank() == 1 ? part.reshape({1, part.size()}) : part);
  }
  const Literal result = joined(parts);
  return is_row ? result.row(0) : result;
}

int64_t FeatureSpace::size() const {
  const ErrorScope scope("FeatureSpace", location);
  check_adapted(*this);
  int64_t total = 0;
  for (const auto& [name, feature] : features) {
    const std::optional<int64_t> places = feature.places(defaults_of(*this));
    total += places && feature.output_mode().is("one_hot") ? *places : 1;
  }
  for (const FeatureCross& cross : crosses)
    total += cross.options.output_mode.is("one_hot") ? bins_of(*this, cross) : 1;
  return total;
}

}  // namespace systolic::inline v0
