// What preprocessing layers learnt of data and Keras keeps outside of their configuration:
// vocabularies among the assets of a .keras, weights of tokens and statistics among its arrays.
// Internal to saving.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "systolic/core/literal.h"
#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {
namespace saving {

// A file's parts by their paths in it; nothing where there is none.
struct LearnedStates {
  std::function<std::optional<std::string>(const std::string& path)> text;
  std::function<std::optional<Literal>(const std::string& path)> array;
};

// The configuration of a network with all that, as if the layers had been given it: for lookups and
// TextVectorization. With `statistics` for Normalization, too, which a network keeps as weights. A
// vocabulary that is not a list of what the layer takes is a DataLoss.
Config with_learned_states(const Config& network, const LearnedStates& states,
                           bool statistics = false);

}  // namespace saving
}  // namespace systolic::inline v0
