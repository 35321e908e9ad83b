// An array from the bytes of a file.
#pragma once

#include <memory>

#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// Little-endian row-major numbers that `owner` keeps, as many as the shape has: a view, or a copy
// where they are not aligned or are bools (a file may hold others than 0 and 1).
Literal stored_literal(const TensorInfo& tensor, const std::byte* data,
                       std::shared_ptr<const void> owner);

// Bools that are neither 0 nor 1, which C++ does not know, become 1.
void make_bools(Literal& array);

}  // namespace io
}  // namespace systolic::inline v0
