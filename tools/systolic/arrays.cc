#include <ostream>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using namespace systolic;

Example arrays_of(const std::string& file) {
  const auto ends_in = [&](std::string_view end) {
    return file.size() >= end.size() &&
           file.compare(file.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_in(".safetensors")) return io::read_safetensors(file).tensors;
  if (ends_in(".npz")) return io::read_npz(file);
  if (ends_in(".npy")) return {{"array", io::read_npy(file)}};
  raise<InvalidArgument>({.what = str("'", file, "' has a name that says no format"),
                          .wanted = "a file that ends in .safetensors, .npz or .npy"});
}

}  // namespace

int list_arrays(const std::string& file, std::ostream& out) {
  const Example arrays = arrays_of(file);
  int64_t elements = 0;
  for (const auto& [name, value] : arrays) {
    out << name << ": " << to_string(value.dtype()) << to_string(value.shape()) << ", "
        << bytes_text(static_cast<int64_t>(value.byte_size())) << "\n";
    elements += value.size();
  }
  out << arrays.size() << " arrays, " << with_commas(elements) << " numbers, "
      << bytes_text(static_cast<int64_t>(arrays.byte_size())) << "\n";
  return 0;
}

}  // namespace tool
