// A file of named arrays that are read one at a time: safetensors, PyTorch's pytorch_model.bin.
// io/tensors/folder/tensor_folder.h puts several together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

// What a file says of one of its arrays.
struct TensorInfo {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  size_t byte_size() const {
    return static_cast<size_t>(shape.elements()) * static_cast<size_t>(byte_width(dtype));
  }
};

// Opening checks all that can be checked without the numbers. Functions may be called by several
// threads.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  virtual const std::string& path() const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual const std::map<std::string, std::string>& metadata() const = 0;
  // The i-th of tensors(): in memory of its own (safetensors), or a view of the mapped file where
  // its bytes lie as a Literal wants them (PyTorch), read from the disk when first used and copied
  // when written to.
  virtual Literal read(size_t i, SourceLocation location = SourceLocation::current()) const = 0;
  // Shows the bytes of the i-th one piece after the other, to look at all of them without holding
  // them.
  using SeePiece = std::function<void(const std::byte* data, size_t size)>;
  virtual void each_piece(size_t i, const SeePiece& see,
                          SourceLocation location = SourceLocation::current()) const {
    const Literal array = read(i, location);
    see(array.raw(), array.byte_size());
  }
};

}  // namespace io
}  // namespace systolic::inline v0
