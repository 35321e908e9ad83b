// Files of torch_xla.utils.serialization (imported as xser): each tensor in a file of its own, so
// that a host holds one at a time. torch_xla's xser.load reads what is written here, and the
// reverse.
//
//   xser::save(model.state_dict(), "net.pt");       // and net.pt.tensors/tensor_0.pt, ...
//   model.load_state_dict(xser::load("net.pt"));
#pragma once

#include <string>

#include "systolic/torch/state_dict.h"
#include "systolic/torch_xla/xm.h"

namespace systolic::inline v0 {
namespace xser {

using At = SourceLocation;

// All ordinals call it, and return when the files are there. The folder PATH.tensors is made anew.
void save(const torch::StateDict& state, const std::string& path, xm::SaveOptions options = {},
          At at = At::current());

// The tensors by name, in the order of the file. Nothing that the file asks for is run: what is
// more than references in dictionaries is an InvalidArgument, damage and a missing tensor are
// DataLoss (systolic/io/tensors/torch/torch_references.h).
torch::StateDict load(const std::string& path, At at = At::current());

}  // namespace xser
}  // namespace systolic::inline v0
