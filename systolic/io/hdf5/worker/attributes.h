// Attributes from and to the wire's form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker/fault.h"

namespace worker {

class AttributeReader {
 public:
  // Appends all of an object that are numbers or strings; others are left out.
  void append(hid_t object, systolic::io::hdf5_wire::Writer& out);

 private:
  std::optional<std::string> encode(hid_t object, const std::string& name);
  std::string read_strings(hid_t attribute, hid_t type, uint64_t count);
  void count_bytes(uint64_t bytes);
  uint64_t bytes_ = 0;  // of all attributes that were read
};

void create_attribute(hid_t object, systolic::io::hdf5_wire::Reader& in);

// The sizes of a space's axes; none for a scalar, 0 for a space that holds nothing.
std::vector<hsize_t> dims_of(hid_t space);
// Their product; more than 2^62 fails.
uint64_t elements_of(const std::vector<hsize_t>& dims);

}  // namespace worker
