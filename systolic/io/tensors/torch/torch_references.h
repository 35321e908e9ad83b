// The files of torch_xla.utils.serialization (xser), which keep each tensor in a file of its own:
// PATH holds the names, and for each the number i of PATH.tensors/tensor_i.pt.
//
//   io::write_torch_references("net.pt", {{"weight", w}, {"bias", b}});
//   for (const auto& [name, value] : io::read_torch_references("net.pt")) ...
#pragma once

#include <string>

#include "systolic/io/tensors/torch/torch_file_write.h"

namespace systolic::inline v0 {
namespace io {

// What xser.save of a state_dict writes: the folder is made anew, and PATH gets its name when all
// tensors are there. Errors of write_torch_file.
void write_torch_references(const std::string& path, const NamedLiterals& tensors,
                            SourceLocation location = SourceLocation::current());

// In the order of the file; of dictionaries in dictionaries under "outer.inner". Nothing that the
// pickle asks for is run: InvalidArgument, naming it, for another class than TensorReference.
// DataLoss for damage, and for a reference to a tensor that has no file.
NamedLiterals read_torch_references(const std::string& path,
                                    SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
