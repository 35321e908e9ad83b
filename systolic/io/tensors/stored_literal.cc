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
  make_bools(copy);
  return copy;
}

void make_bools(Literal& array) {
  if (array.dtype() != DType::pred) return;
  std::byte* bytes = array.mutable_raw();
  std::transform(bytes, bytes + array.byte_size(), bytes,
                 [](std::byte b) { return b != std::byte{0} ? std::byte{1} : b; });
}

}  // namespace io
}  // namespace systolic::inline v0
