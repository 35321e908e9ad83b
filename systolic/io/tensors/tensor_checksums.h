// Checksums in the metadata of a safetensors file, so that a bit that changed on the disk is found:
// CRC-32C of each array, and of all names, types, shapes and the rest of the metadata. Other
// readers of the format see one more entry, and read on.
//
//   io::write_safetensors("run/state.safetensors", tensors,
//                         io::with_checksums(tensors, {{"epoch", "3"}}));
//   const io::Safetensors file = io::read_safetensors("run/state.safetensors");
//   io::check_checksums("run/state.safetensors", file);
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "systolic/io/files/file.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// The metadata with the two entries that say what the file holds: "format", and "crc32c", which is
// the header's checksum and those of the arrays in the order of their names, as hexadecimal digits.
std::map<std::string, std::string> with_checksums(const Example& tensors,
                                                  std::map<std::string, std::string> metadata);

// A DataLoss names the arrays that differ, or the header. False where the file was written without
// checksums.
bool check_checksums(const std::string& path, const Safetensors& file,
                     SourceLocation location = SourceLocation::current());

// The checksums of an open file, for arrays that are read one at a time.
//
//   const auto file = io::open_safetensors("run/state.safetensors");
//   const io::TensorChecksums checksums(*file);
//   const Literal array = file->read(3);
//   checksums.check(3, array);
class TensorChecksums {
 public:
  // A DataLoss says that the header is another than was written.
  explicit TensorChecksums(const TensorFile& file,
                           SourceLocation location = SourceLocation::current());

  // A DataLoss names the i-th of the file's arrays where it is another than was written. A file
  // without checksums has nothing to compare.
  void check(size_t i, const Literal& array,
             SourceLocation location = SourceLocation::current()) const;

  // The same without holding the array.
  void check(size_t i, const TensorFile& file,
             SourceLocation location = SourceLocation::current()) const;

 private:
  void compare(size_t i, const std::string& checksum, SourceLocation location) const;

  std::string path_;
  std::vector<std::pair<std::string, std::string>> arrays_;  // names and checksums
};

}  // namespace io
}  // namespace systolic::inline v0
