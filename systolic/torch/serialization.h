// Files of state_dicts (torch.save, torch.load): what PyTorch writes and reads, both ways.
//
//   torch::save(model.state_dict(), "model.bin");
//   model.load_state_dict(torch::load("model.bin"));
#pragma once

#include <string>

#include "systolic/torch/state_dict.h"
#include "systolic/torch/tensor.h"

namespace systolic::inline v0 {
namespace torch {

// torch.load(path, weights_only=True) gives the same names and values in PyTorch.
void save(const StateDict& state, const std::string& path, At at = At::current());

// A file of torch.save: of a dictionary of tensors, also from before PyTorch 1.6. Nothing that it
// asks for is run: what is more than tensors in dictionaries is an InvalidArgument, and damage is
// DataLoss (systolic/io/tensors/torch/torch_file.h).
StateDict load(const std::string& path, At at = At::current());

}  // namespace torch
}  // namespace systolic::inline v0
