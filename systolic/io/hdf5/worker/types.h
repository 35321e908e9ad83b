// libhdf5's types and ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "systolic/io/hdf5/worker/fault.h"

namespace worker {

// A type of numbers that an array of ours has.
struct NumberType {
  std::string name;  // as DType prints: "f32"
  Handle memory;     // with which libhdf5 reads and writes such an array
};

// That of a dataset or an attribute. Two bytes without a type are bf16: so h5py stores the bfloat16
// of ml_dtypes, and Keras's older files do not even say so beside. Nothing for all others.
std::optional<NumberType> number_type_of(hid_t file_type);

// The type that h5py writes for one of ours; for bf16 the one without a type.
Handle stored_type(std::string_view name);

// Strings of any length, in UTF-8.
Handle string_type();

// What a type is, for messages: "a compound".
std::string describe_type(hid_t type);

}  // namespace worker
