// What Keras's files keep of an optimizer. Internal to train and saving.
#pragma once

#include <vector>

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {
namespace saving {

// The optimizer's variables in Keras's order, for "optimizer/vars": the number of steps, the
// learning rate where no schedule makes it, then the slots of `trainable`, Keras's order of the
// model's trainable variables. After these, what variables that have an optimizer of their own
// (tables of embeddings) are moved by, which Keras does not know.
std::vector<Variable> optimizer_variables(const Optimizer& optimizer,
                                          const std::vector<Variable>& trainable);

}  // namespace saving
}  // namespace systolic::inline v0
