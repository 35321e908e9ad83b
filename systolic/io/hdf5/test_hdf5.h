// What tests of HDF5 share.
#pragma once

#include <gtest/gtest.h>

#include "systolic/io/files/test_files.h"
#include "systolic/io/hdf5/worker_image.h"

namespace systolic {

// A build without libhdf5 has nothing to test.
class NeedsHdf5 : public testing::Test {
 protected:
  void SetUp() override {
    if (io::worker_image().empty()) GTEST_SKIP() << "this build has no HDF5";
  }
};

}  // namespace systolic
