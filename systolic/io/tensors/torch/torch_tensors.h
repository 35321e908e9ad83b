// The tensors that the pickle of a PyTorch file describes: views into storages, whose numbers lie
// elsewhere in the file (torch/_utils.py, _rebuild_tensor_v2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/tensors/tensor_file.h"
#include "systolic/io/tensors/torch/pickle.h"

namespace systolic::inline v0 {
namespace io {

struct TorchTensor {
  TensorInfo info;
  std::string storage;            // the key of its storage
  uint64_t storage_bytes = 0;     // that the pickle claims of it
  uint64_t offset = 0;            // in the storage, in elements
  std::vector<uint64_t> strides;  // in elements
  bool contiguous = true;         // row-major without gaps
};

// What the pickles of tensors may name: OrderedDict, storages, types, and the functions that
// assemble tensors.
bool is_torch_global(std::string_view global);

// The tensors of a dictionary, under their keys, in its order; those of dictionaries inside it
// under "outer.inner". What is not a tensor (a step's number) is skipped. `name` is for errors.
// DataLoss for tensors that reach beyond their storage, Unimplemented for sparse and quantized
// ones.
std::vector<TorchTensor> torch_tensors(const PickleValue& root, const std::string& name,
                                       SourceLocation location);
// The one tensor that the root is, without a name.
std::vector<TorchTensor> torch_tensor(const PickleValue& root, const std::string& name,
                                      SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
