// A dataset's form and its numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker/fault.h"
#include "systolic/io/worker/program/channel.h"

namespace worker {

namespace wire = systolic::io::hdf5_wire;

struct DatasetForm {
  std::string type;  // as DType prints; "f32" where it is unreadable
  std::vector<hsize_t> dims;
  uint64_t place = wire::no_place;  // in the file, of numbers that lie there as an array has them
  uint64_t stored_bytes = 0;
  std::string unreadable;  // why its numbers cannot be read; empty where they can
};

DatasetForm form_of(hid_t dataset);

// Sends the numbers, row-major and little-endian, in pieces of at most the window's size.
void send_numbers(hid_t dataset, const Channel& channel);

}  // namespace worker
