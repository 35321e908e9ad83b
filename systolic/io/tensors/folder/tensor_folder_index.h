// The index of a checkpoint of several files (transformers, "Sharded checkpoints"):
//   {"metadata": {"total_size": 123}, "weight_map": {"a.weight":
//   "model-00001-of-00002.safetensors"}}
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// From the names of tensors to names of files next to the index.
using WeightMap = std::map<std::string, std::string, std::less<>>;

// DataLoss where the file is not an index, or names a file that is not next to it ("../x", "a/b");
// ResourceExhausted where it has more than 100,000,000 bytes.
WeightMap read_tensor_folder_index(const std::string& path, SourceLocation location);

std::string tensor_folder_index_text(const WeightMap& map, uint64_t total_bytes);

}  // namespace io
}  // namespace systolic::inline v0
