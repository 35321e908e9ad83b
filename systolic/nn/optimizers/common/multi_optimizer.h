// Several optimizers, each for variables of its own (keras.optimizers.MultiOptimizer).
//
//   model.compile({.optimizer = MultiOptimizer{.default_optimizer = SGD{},
//                                              .optimizers = {{"encoder/.*", Adam{}}}},
//                  .loss = "mse"});
//
// A variable goes to the optimizer whose key is its name ("dense/kernel"), else to the one whose
// key, as a regular expression (ECMAScript's), matches all of its name, else to the default. A name
// that several match, a key that is not an expression and optimizers inside that wrap others are an
// InvalidArgument. There is no learning rate to read or set here: change those inside.
#pragma once

#include <utility>
#include <vector>

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct MultiOptimizer {
  static constexpr const char* kind = "MultiOptimizer";
  Optimizer default_optimizer;
  std::vector<std::pair<std::string, Optimizer>> optimizers = {};
  std::string name = "multi_optimizer";
};

}  // namespace systolic::inline v0
