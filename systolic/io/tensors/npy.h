// NumPy's files: .npy (one array) and .npz (several under names);
// numpy.org/doc/stable/reference/generated/numpy.lib.format
//
//   Literal images = io::read_npy("images.npy");
//   Example both = io::read_npz("mnist.npz");       // both["x_train"], both["y_train"]
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "systolic/core/example.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// Numbers of any width and byte order, bool, complex, and byte strings ('S'); both memory orders.
// Arrays of Python objects carry programs and are refused. DataLoss for a header that does not fit
// the file.
Literal read_npy(const std::string& path, SourceLocation location = SourceLocation::current());
// The same from the bytes of a file; `name` is used in errors.
Literal parse_npy(std::string_view bytes, std::string_view name);

// What such bytes say of the array, by the beginning of the file alone.
TensorInfo parse_npy_type(std::string_view bytes, std::string_view name);

// Writes one array as a .npy file that numpy.load reads, in C order and little-endian. A type that
// NumPy lacks is an InvalidArgument.
void write_npy(const std::string& path, const Literal& array,
               SourceLocation location = SourceLocation::current());

// The arrays of a .npz file (stored or compressed), in the order of the file.
Example read_npz(const std::string& path, SourceLocation location = SourceLocation::current());
// The same file for arrays that are read one at a time. A compressed one is unpacked once more for
// its shape.
std::shared_ptr<const TensorFile> open_npz(const std::string& path,
                                           SourceLocation location = SourceLocation::current());
void write_npz(const std::string& path, const Example& arrays,
               SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
