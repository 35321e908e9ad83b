// The forward pass of a model as a program. Internal to saving.
#pragma once

#include <vector>

#include "systolic/trace/program/program.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// For this many rows; the arguments are the inputs, then what arguments_of gives.
Program traced_predict(const Model& model, int64_t rows);

// The weights that the program reads, in the order of its arguments.
std::vector<NamedVariable> arguments_of(const Program& program, const Model& model);

}  // namespace saving
}  // namespace systolic::inline v0
