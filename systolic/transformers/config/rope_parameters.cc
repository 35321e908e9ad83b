#include "systolic/transformers/config/rope_parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/transformers/config/limits.h"

namespace systolic::inline v0 {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;
constexpr double largest_theta = 1e15, largest_factor = 1e6;

// The frequency of each pair of numbers that are turned together.
using Frequencies = std::vector<double>;

Frequencies plain(double theta, int64_t size) {
  Frequencies result;
  for (int64_t i = 0; i < size; i += 2)
    result.push_back(std::pow(theta, -static_cast<double>(i) / static_cast<double>(size)));
  return result;
}

// A wavelength between the two bounds is divided by something between 1 and the factor.
void scale_as_llama3(Frequencies& frequencies, const RopeParameters& p, double original) {
  const double factor = p.factor.value_or(1);
  const double low = p.low_freq_factor, high = p.high_freq_factor;
  for (double& frequency : frequencies) {
    const double wavelength = full_turn / frequency;
    const double kept = std::clamp((original / wavelength - low) / (high - low), 0.0, 1.0);
    frequency *= kept + (1 - kept) / factor;
  }
}

// Section 3.2 of YaRN: the index of the frequency that makes so many turns within the positions.
double index_of_turns(double turns, const RopeParameters& p, int64_t size, double original) {
  return static_cast<double>(size) * std::log(original / (turns * full_turn)) /
         (2 * std::log(p.rope_theta));
}

void scale_as_yarn(Frequencies& frequencies, const RopeParameters& p, int64_t size, double original,
                   double factor) {
  double first = index_of_turns(p.beta_fast, p, size, original);
  double last = index_of_turns(p.beta_slow, p, size, original);
  if (p.truncate) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, static_cast<double>(size - 1));
  if (first == last) last += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const double divided = std::clamp((static_cast<double>(i) - first) / (last - first), 0.0, 1.0);
    frequencies[i] *= divided / factor + (1 - divided);
  }
}

double yarn_scale(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

double yarn_attention_factor(const RopeParameters& p, double factor) {
  if (p.attention_factor) return *p.attention_factor;
  const double scale = p.mscale.value_or(0), of_all = p.mscale_all_dim.value_or(0);
  if (scale != 0 && of_all != 0) return yarn_scale(factor, scale) / yarn_scale(factor, of_all);
  return yarn_scale(factor, 1);
}

}  // namespace

void RopeParameters::transfer(ConfigFields& fields) {
  // Older files have the type under another name.
  if (fields.reads() && fields.entries().find("rope_type") == nullptr &&
      fields.entries().find("type") != nullptr) {
    fields.choice("type", rope_type, {"default", "linear", "dynamic", "llama3", "yarn"});
  }
  fields.choice("rope_type", rope_type, {"default", "linear", "dynamic", "llama3", "yarn"});
  if (fields.reads()) fields.only("type", rope_type);
  fields.number("rope_theta", rope_theta, 1, largest_theta);
  const auto where = [&](bool writes, const auto& name) {
    if (fields.reads() || writes) name();
  };
  where(partial_rotary_factor.has_value(),
        [&] { fields.number("partial_rotary_factor", partial_rotary_factor, 0, 1); });
  where(factor.has_value(), [&] { fields.number("factor", factor, 1, largest_factor); });
  where(original_max_position_embeddings.has_value(), [&] {
    fields.integer("original_max_position_embeddings", original_max_position_embeddings, 1,
                   limits::positions);
  });
  where(rope_type == "llama3", [&] {
    fields.number("low_freq_factor", low_freq_factor, 0, largest_factor);
    fields.number("high_freq_factor", high_freq_factor, 0, largest_factor);
  });
  where(rope_type == "yarn", [&] {
    fields.number("beta_fast", beta_fast, 0, largest_factor);
    fields.number("beta_slow", beta_slow, 0, largest_factor);
    fields.boolean("truncate", truncate);
    fields.number("mscale", mscale, 0, largest_factor);
    fields.number("mscale_all_dim", mscale_all_dim, 0, largest_factor);
    fields.number("attention_factor", attention_factor, 0, largest_factor);
  });
  if (!fields.reads()) return;
  if (!factor && rope_type != "default" && rope_type != "yarn")
    fields.fail("factor", "none", str("a number, for rope_type \"", rope_type, "\""));
  if (rope_type == "llama3" && !(high_freq_factor > low_freq_factor))
    fields.fail("high_freq_factor", str(high_freq_factor),
                str("more than low_freq_factor, ", low_freq_factor));
  if (rope_type == "yarn" && !(beta_fast > 0 && beta_slow > 0 && rope_theta > 1))
    fields.fail("beta_slow", str(beta_slow), "above 0, as beta_fast, and rope_theta above 1");
}

int64_t rotated_size(const RopeParameters& parameters, int64_t size) {
  const auto turned = static_cast<int64_t>(static_cast<double>(size) *
                                           parameters.partial_rotary_factor.value_or(1));
  return turned / 2 * 2;
}

RopeFrequencies rope_frequencies(const RopeParameters& parameters, int64_t size,
                                 int64_t positions) {
  const int64_t turned = rotated_size(parameters, size);
  const auto original =
      static_cast<double>(parameters.original_max_position_embeddings.value_or(positions));
  RopeFrequencies result{.frequencies = plain(parameters.rope_theta, turned)};
  if (parameters.rope_type == "linear") {
    for (double& frequency : result.frequencies) frequency /= parameters.factor.value_or(1);
  } else if (parameters.rope_type == "llama3") {
    scale_as_llama3(result.frequencies, parameters, original);
  } else if (parameters.rope_type == "yarn") {
    const double factor = parameters.factor.value_or(static_cast<double>(positions) / original);
    scale_as_yarn(result.frequencies, parameters, turned, original, factor);
    result.factor = yarn_attention_factor(parameters, factor);
  }
  return result;
}

}  // namespace systolic::inline v0
