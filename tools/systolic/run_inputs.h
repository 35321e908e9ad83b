// What a program that is run by hand is given.
#pragma once

#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace tool {

// Where an argument comes from: "zeros", "ones", "random", "random:SEED", "array.npy",
// "arrays.npz:NAME".
struct InputSpec {
  enum class Kind { zeros, ones, random, array };
  Kind kind = Kind::zeros;
  uint64_t seed = 1;
  systolic::Literal array = {};
  std::string text;
};

// The arguments that `texts` say, in the order of the program's; a .npz without a name stands for
// all of its arrays in their order. Files are read here.
std::vector<InputSpec> parse_inputs(const std::vector<std::string>& texts);

// An array of this type. An array of a file must be of it. Random: floats uniform in [0, 1), whole
// numbers 0 or 1; the same for the same seed and `position`.
systolic::Literal make_input(const InputSpec& spec, const systolic::ir::Type& type,
                             size_t position);

}  // namespace tool
