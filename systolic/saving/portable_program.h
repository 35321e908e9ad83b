// The forward pass of a model as a StableHLO program for others. Internal to saving.
#pragma once

#include <vector>

#include "systolic/nn/network/network.h"
#include "systolic/stablehlo/program.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

struct PortableProgram {
  stablehlo::Program program;          // arguments: the inputs, then the weights
  std::vector<NamedVariable> weights;  // in that order
};

// For any number of rows: its sizes are "?". A model that does not compute each row alone, or draws
// at random, is an Unimplemented.
PortableProgram any_batch_program(const Model& model);
PortableProgram fixed_batch_program(const Model& model, int64_t rows);

}  // namespace saving
}  // namespace systolic::inline v0
