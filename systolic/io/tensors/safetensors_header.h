// The header of a safetensors file: JSON with the name, type, shape and place of each array
// (github.com/huggingface/safetensors, "Format"). What checks it: safetensors.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // in the order in which they lie in the file
  std::vector<uint64_t> offsets;    // where each begins, counted from the header's end
  std::map<std::string, std::string> metadata;
};

inline constexpr uint64_t most_safetensors_header_bytes = 100'000'000;

// The format's name of a type; "" where it has none.
std::string_view safetensors_type_name(DType dtype);

// Reads the JSON text of `data_bytes` bytes of numbers. `path` and `location` are for errors.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes,
                                           const std::string& path, SourceLocation location);

// DataLoss that starts with the name that the format's own library gives to the check.
[[noreturn]] void raise_bad_safetensors(const std::string& path, std::string_view check,
                                        const std::string& what, SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
