// IDX files, the format of MNIST (yann.lecun.com/exdb/mnist): element type, sizes, then big-endian
// numbers.
//
//   Literal images = io::read_idx("train-images-idx3-ubyte");     // u8(60000, 28, 28)
#pragma once

#include <string>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

// Reads an IDX file, as it is or under GZIP. DataLoss for sizes that do not fit the file.
Literal read_idx(const std::string& path, SourceLocation location = SourceLocation::current());

// Writes u8, i8, i16, i32, f32 or f64; InvalidArgument for another element type.
void write_idx(const std::string& path, const Literal& array,
               SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
