// A file for libhdf5 that is a part of an open one: libhdf5 opens nothing by itself, so that what a
// file says of other files leads nowhere.
#pragma once

#include <hdf5.h>

#include <cstdint>

#include "systolic/io/hdf5/worker/fault.h"

namespace worker {

struct FilePart {
  int descriptor = -1;
  uint64_t offset = 0, bytes = 0;
};

// A list of properties for H5Fopen and H5Fcreate, whose name then does not matter.
Handle properties_of(const FilePart& part);

}  // namespace worker
