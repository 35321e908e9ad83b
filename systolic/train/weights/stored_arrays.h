// The arrays of a file of weights, each of which is read when it is asked for. Internal to train.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "systolic/io/tensors/tensor_file.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {

struct StoredArray {
  std::string name;
  ir::Type type;
  std::function<Literal()> read;  // DataLoss for one that is damaged
  std::function<void()> check;    // likewise, without holding the array
};
using StoredArrays = std::vector<StoredArray>;

struct StoredFile {
  StoredArrays arrays;  // in the order of the file
  std::map<std::string, std::string> metadata = {};
};

// Null where there is none of that name.
const StoredArray* find_array(const StoredArrays& arrays, const std::string& name);

StoredFile stored_file(std::shared_ptr<const io::TensorFile> file, SourceLocation location);

// A safetensors file. What its checksums say of the header is checked now, what they say of an
// array when that is read: DataLoss.
StoredFile open_checked(const std::string& path, SourceLocation location);

}  // namespace systolic::inline v0
