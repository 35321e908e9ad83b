// PyTorch's files (torch.save of a dictionary of tensors): pytorch_model.bin, model.pt.
//
// They hold a pickle, which is a program; here it is read as data and never run
// (io/tensors/torch/pickle.h). io/tensors/folder/tensor_folder.h reads several such files as one.
#pragma once

#include <memory>
#include <string>

#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// Opens a file of PyTorch 1.6 and newer (a ZIP archive) or of an older one. On the local disk it is
// mapped; a remote one is read whole. Tensors that share numbers in the file share memory.
//
// InvalidArgument for a pickle that asks for anything but tensors in dictionaries, naming what it
// asks for; DataLoss for damage, checksums included. Dictionaries in dictionaries give names such
// as "model.weight"; numbers and texts next to the tensors are skipped.
std::shared_ptr<const TensorFile> open_torch_file(
    const std::string& path, SourceLocation location = SourceLocation::current());

// A file of one tensor alone, as torch.save(tensor, path) writes it since PyTorch 1.6. The same
// errors.
Literal read_torch_tensor(const std::string& path,
                          SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
