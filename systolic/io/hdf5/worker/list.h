// What is in a file.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "systolic/io/hdf5/worker/fault.h"

namespace worker {

struct Listing {
  std::string tree;               // in the wire's form
  std::vector<haddr_t> datasets;  // where each of the tree's lies, in its order
};

// Walks the hard links from the root. A group that is reached twice, more than most_depth groups in
// each other and more than most_objects objects fail.
Listing list_file(hid_t file);

}  // namespace worker
