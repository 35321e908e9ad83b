// Every element, and nothing beside them.
#include "backends/cpu/kernels/movement/fill_run.h"

#include <gtest/gtest.h>

#include <vector>

namespace systolic {
namespace {

TEST(FillRun, WritesSoManyElements) {
  for (int64_t count = 0; count <= 70; ++count) {
    for (int64_t begin = 0; begin < 3; ++begin) {
      std::vector<uint32_t> to(static_cast<size_t>(begin + count + 2), 7), wanted = to;
      kernels::fill_run_32(0xdeadbeef, count, to.data() + begin);
      for (int64_t i = begin; i < begin + count; ++i) wanted[static_cast<size_t>(i)] = 0xdeadbeef;
      EXPECT_EQ(to, wanted) << count << " from " << begin;
    }
  }
}

}  // namespace
}  // namespace systolic
