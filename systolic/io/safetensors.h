// Safetensors, Hugging Face's format for weights: a JSON header with names, types and offsets, then
// the numbers (github.com/huggingface/safetensors, "Format"). A safetensors file holds data only,
// never a program.
//
//   io::write_safetensors("mnist.safetensors", weights, {{"format", "systolic"}});
//   const io::Safetensors file = io::read_safetensors("mnist.safetensors");
//   file.tensors["dense/kernel"]
#pragma once

#include <map>
#include <string>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace io {

struct Safetensors {
  Example tensors;  // in the order in which they lie in the file
  std::map<std::string, std::string> metadata;
};

// Maps the file: numbers are read from the disk when they are first used, and copied when written
// to. Refused, as a DataLoss that names the check as the format's own library does: a header longer
// than the file or 100,000,000 bytes, invalid JSON or UTF-8, duplicate names, unknown types,
// overflowing shapes, offsets that overlap, leave holes, or do not fit shape and type or the file.
Safetensors read_safetensors(const std::string& path,
                             SourceLocation location = SourceLocation::current());

// Atomic: a reader sees the old file or the new one. Strings and tokens are an InvalidArgument.
void write_safetensors(const std::string& path, const Example& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
