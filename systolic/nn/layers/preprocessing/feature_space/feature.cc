#include "systolic/nn/layers/preprocessing/feature_space/feature.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t rows_together = 32;

struct FeatureKindNames {
  SYSTOLIC_NAMES(throw "feature must be one of: float float_normalized float_rescaled float_discretized integer_categorical string_categorical integer_hashed string_hashed")  // NOLINT
};

Literal as_floats(const Literal& values, auto&& change) {
  Literal result = values.convert(DType::f32);
  for (float& value : result.mutable_data<float>()) value = change(value);
  return result;
}

Literal normalized(const Normalization& rule, const Literal& values) {
  const Literal &mean = rule.mean.array(), &variance = rule.variance.array();
  const int64_t columns = mean.size();
  if (values.shape()[-1] != columns) {
    raise<InvalidArgument>({.what = str("values of shape ", values.shape()),
                            .wanted = str(columns, " in each row, as adapt was given")});
  }
  Literal result = values.convert(DType::f32);
  const std::span<float> to = result.mutable_data<float>();
  for (size_t i = 0; i < to.size(); ++i) {
    const auto column = static_cast<int64_t>(i) % columns;
    const auto deviation = static_cast<float>(std::sqrt(variance.number_at(column)));
    to[i] = (to[i] - static_cast<float>(mean.number_at(column))) / std::max(deviation, 1e-7f);
  }
  return result;
}

Literal bins_of(const std::vector<double>& boundaries, const Literal& values) {
  Literal result(DType::i64, values.shape());
  const std::span<int64_t> to = result.mutable_data<int64_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    const double value = values.number_at(static_cast<int64_t>(i));
    to[i] = std::upper_bound(boundaries.begin(), boundaries.end(), value) - boundaries.begin();
  }
  return result;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

Feature::Feature(const char* kind) : rule_(RescaledOptions{}) {
  const auto choice = Choice<FeatureKindNames>::parse(kind);
  if (choice.is("float_normalized")) rule_ = Normalization{};
  if (choice.is("float_discretized")) *this = of(DiscretizedOptions{});
  if (choice.is("integer_categorical")) *this = integers({});
  if (choice.is("string_categorical")) *this = texts({});
  if (choice.is("integer_hashed") || choice.is("string_hashed")) *this = hashed({});
}

Feature Feature::of(RescaledOptions options) { return {options, "one_hot"}; }

Feature Feature::of(DiscretizedOptions options) {
  const bool is_given = !options.bin_boundaries.empty();
  return {Bins{options.num_bins, std::move(options.bin_boundaries), is_given}, options.output_mode};
}

Feature Feature::integers(CategoricalOptions options) {
  return {
      IntegerLookup{.max_tokens = options.max_tokens, .num_oov_indices = options.num_oov_indices},
      options.output_mode};
}

Feature Feature::texts(CategoricalOptions options) {
  return {
      StringLookup{.max_tokens = options.max_tokens, .num_oov_indices = options.num_oov_indices},
      options.output_mode};
}

Feature Feature::hashed(HashedOptions options) {
  return {Hashed{options.num_bins}, options.output_mode};
}

bool Feature::adapts() const {
  if (const Bins* bins = std::get_if<Bins>(&rule_)) return !bins->is_given;
  return !std::holds_alternative<RescaledOptions>(rule_) && !std::holds_alternative<Hashed>(rule_);
}

bool Feature::is_adapted() const {
  return std::visit(Overloaded{[](const Normalization& rule) { return rule.mean.given(); },
                               [](const Bins& rule) { return !rule.boundaries.empty(); },
                               [](const IntegerLookup& rule) { return !rule.vocabulary.empty(); },
                               [](const StringLookup& rule) { return !rule.vocabulary.empty(); },
                               [](const auto&) { return true; }},
                    rule_);
}

void FeatureCounts::add(const Feature& feature, const Literal& values) {
  const Literal rows = values.rank() < 2 ? values.reshape({values.size(), 1}) : values;
  std::visit(
      Overloaded{[&](const Normalization&) { moments_.add(rows); },
                 [&](const Feature::Bins&) { add_bins(values); },
                 [&](const IntegerLookup&) { count_tokens(integers_, rows); },
                 [&](const StringLookup&) { count_tokens(texts_, rows); }, [](const auto&) {}},
      feature.rule_);
}

void FeatureCounts::add_bins(const Literal& values) {
  if (values.rank() > 0) return quantiles_.add(values);
  waiting_.push_back(values.number_at(0));
  if (waiting_.size() < rows_together) return;
  quantiles_.add(Literal::from(waiting_, {static_cast<int64_t>(waiting_.size())}));
  waiting_.clear();
}

void Feature::learn(FeatureCounts& counts, const FeatureDefaults& defaults, SourceLocation at) {
  if (!adapts()) return;
  if (!counts.waiting_.empty()) {
    const auto count = static_cast<int64_t>(counts.waiting_.size());
    counts.quantiles_.add(Literal::from(counts.waiting_, {count}));
  }
  std::visit(Overloaded{[&](Normalization& rule) { rule.learn(counts.moments_, at); },
                        [&](Bins& rule) {
                          rule.boundaries = counts.quantiles_.boundaries(
                              rule.num_bins.value_or(defaults.num_discretization_bins));
                        },
                        [&](IntegerLookup& rule) { rule.learn(counts.integers_, at); },
                        [&](StringLookup& rule) { rule.learn(counts.texts_, at); }, [](auto&) {}},
             rule_);
}

Literal Feature::preprocessed(const Literal& values, const FeatureDefaults& defaults) const {
  return std::visit(
      Overloaded{
          [&](const RescaledOptions& rule) {
            const auto scale = static_cast<float>(rule.scale);
            const auto offset = static_cast<float>(rule.offset);
            return as_floats(values, [&](float x) { return x * scale + offset; });
          },
          [&](const Normalization& rule) { return normalized(rule, values); },
          [&](const Bins& rule) { return bins_of(rule.boundaries, values.convert(DType::f32)); },
          [&](const Hashed& rule) {
            return Hashing{.num_bins = rule.num_bins.value_or(defaults.hashing_dim)}(values);
          },
          [&](const auto& lookup) { return lookup(values); }},
      rule_);
}

std::optional<int64_t> Feature::places(const FeatureDefaults& defaults) const {
  using Places = std::optional<int64_t>;
  return std::visit(
      Overloaded{
          [](const RescaledOptions&) { return Places(); },
          [](const Normalization&) { return Places(); },
          [](const Bins& rule) { return Places(static_cast<int64_t>(rule.boundaries.size()) + 1); },
          [&](const Hashed& rule) { return Places(rule.num_bins.value_or(defaults.hashing_dim)); },
          [](const auto& lookup) { return Places(lookup.vocabulary_size()); }},
      rule_);
}

}  // namespace systolic::inline v0
