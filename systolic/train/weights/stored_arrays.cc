#include "systolic/train/weights/stored_arrays.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_checksums.h"

namespace systolic::inline v0 {

const StoredArray* find_array(const StoredArrays& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const StoredArray& one) { return one.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

StoredFile stored_file(std::shared_ptr<const io::TensorFile> file, SourceLocation location) {
  StoredFile stored{.arrays = {}, .metadata = file->metadata()};
  for (size_t i = 0; i < file->tensors().size(); ++i) {
    const io::TensorInfo& one = file->tensors()[i];
    const auto read = [file, i, location] { return file->read(i, location); };
    stored.arrays.push_back({one.name, {one.dtype, one.shape}, read, read});
  }
  return stored;
}

StoredFile open_checked(const std::string& path, SourceLocation location) {
  const auto file = io::open_safetensors(path, location);
  const auto checksums = std::make_shared<const io::TensorChecksums>(*file, location);
  StoredFile stored = stored_file(file, location);
  for (size_t i = 0; i < stored.arrays.size(); ++i) {
    stored.arrays[i].read = [file, checksums, i, location] {
      Literal array = file->read(i, location);
      checksums->check(i, array, location);
      return array;
    };
    stored.arrays[i].check = [file, checksums, i, location] {
      checksums->check(i, *file, location);
    };
  }
  return stored;
}

}  // namespace systolic::inline v0
