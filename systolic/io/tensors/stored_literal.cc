#include "systolic/io/tensors/stored_literal.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systolic::inline v0 {
namespace io {

Literal stored_literal(const TensorInfo& tensor, const std::byte* data,
                       std::shared_ptr<const void> owner) {
  const auto alignment = static_cast<size_t>(byte_width(real_part_type(tensor.dtype)));
  const bool aligned = reinterpret_cast<uintptr_t>(data) % alignment == 0;
  if (aligned && tensor.dtype != DType::pred)
    return Literal::wrap(tensor.dtype, tensor.shape, data, std::move(owner));
  Literal copy(tensor.dtype, tensor.shape);
  const size_t size = tensor.byte_size();
  std::byte* out = copy.mutable_raw();
  if (size > 0) std::memcpy(out, data, size);
  if (tensor.dtype == DType::pred) {  // a bool that is neither 0 nor 1 is undefined behaviour
    std::transform(out, out + size, out,
                   [](std::byte b) { return b != std::byte{0} ? std::byte{1} : b; });
  }
  return copy;
}

}  // namespace io
}  // namespace systolic::inline v0
