// Safetensors, Hugging Face's format for weights: a JSON header with names, types and offsets, then
// the numbers (github.com/huggingface/safetensors, "Format"). A safetensors file holds data only,
// never a program. io/tensors/folder/tensor_folder.h reads and writes checkpoints of several such
// files.
//
//   io::write_safetensors("mnist.safetensors", weights, {{"format", "systolic"}});
//   const io::Safetensors file = io::read_safetensors("mnist.safetensors");
//   file.tensors["dense/kernel"]
#pragma once

#include <map>
#include <memory>
#include <string>

#include "systolic/core/example.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// Opens a file to read its arrays one at a time: each read() reads the array's bytes, which are the
// array's own then, whatever becomes of the file. One that was cut since is a DataLoss.
//
// Refused, as a DataLoss that names the check as the format's own library does: a header longer
// than the file or 100,000,000 bytes, invalid JSON or UTF-8, duplicate names, unknown types,
// overflowing shapes, offsets that overlap, leave gaps, or do not fit shape and type or the file.
// Unimplemented for types that no array here has (F4, F6, F8_E8M0, F8 FNUZ).
std::shared_ptr<const TensorFile> open_safetensors(
    const std::string& path, SourceLocation location = SourceLocation::current());

struct Safetensors {
  Example tensors;  // in the order in which they lie in the file
  std::map<std::string, std::string> metadata;
};

// All arrays of a file that open_safetensors opens.
Safetensors read_safetensors(const std::string& path,
                             SourceLocation location = SourceLocation::current());

// Atomic: a reader sees the old file or the new one. InvalidArgument for strings and tokens.
void write_safetensors(const std::string& path, const Example& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
