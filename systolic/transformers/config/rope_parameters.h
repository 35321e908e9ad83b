// How positions turn queries and keys (RoPE: Su et al. 2021, arXiv 2104.09864), as
// `rope_parameters` of a config.json says it.
//
//   LlamaConfig{.rope_parameters = {.rope_type = "llama3", .rope_theta = 5e5, .factor = 8,
//                                   .original_max_position_embeddings = 8192}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/config/config_fields.h"

namespace systolic::inline v0 {

struct RopeParameters {
  // "default"; "linear": positions are divided by `factor`; "dynamic": as "default" up to as many
  // positions as the model has; "llama3", "yarn" (Peng et al. 2023, arXiv 2309.00071): low
  // frequencies are divided more than high ones.
  std::string rope_type = "default";
  double rope_theta = 10000;
  // The part of a head's numbers that is turned; all of them.
  std::optional<double> partial_rotary_factor = {};
  std::optional<double> factor = {};  // of "yarn" also positions / original ones
  // The model's positions before they were stretched; max_position_embeddings.
  std::optional<int64_t> original_max_position_embeddings = {};
  // "llama3": wavelengths of more than original / low positions are divided, of less than
  // original / high are not.
  double low_freq_factor = 1, high_freq_factor = 4;
  // "yarn": turns within the original positions, of frequencies that stay and that are divided.
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;  // these bounds to whole frequencies
  std::optional<double> mscale = {}, mscale_all_dim = {};
  // Sines and cosines are multiplied by it; the scaling's own rule without.
  std::optional<double> attention_factor = {};

  // Names the fields. InvalidArgument for what is out of bounds, Unimplemented for another type.
  void transfer(ConfigFields& fields);
};

// What a head's halves are turned by: position · frequency, the sine and cosine times `factor`.
struct RopeFrequencies {
  std::vector<double> frequencies;  // half as many as there are numbers that are turned
  double factor = 1;
};

// For heads of `size` numbers, of a model with that many `positions`.
RopeFrequencies rope_frequencies(const RopeParameters& parameters, int64_t size, int64_t positions);

// How many of a head's numbers are turned; even.
int64_t rotated_size(const RopeParameters& parameters, int64_t size);

}  // namespace systolic::inline v0
