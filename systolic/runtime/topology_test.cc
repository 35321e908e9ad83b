#include "systolic/runtime/topology.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using runtime::Topology;

TEST(Topology, OfOneProcessHasItsCoresAlone) {
  EXPECT_EQ(Topology(), Topology(1));
  const Topology topology(8);
  EXPECT_EQ(topology.num_processes(), 1);
  EXPECT_EQ(topology.process_index(), 0);
  EXPECT_EQ(topology.cores(), 8);
  EXPECT_EQ(topology.local_cores(), 8);
  EXPECT_EQ(topology.addressable_cores(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(topology.device_name(3), "/job:worker/replica:0/task:0/device:TPU:3");
  EXPECT_EQ(topology.host_name(0), "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST(Topology, OfFourProcessesIsSeenByEach) {
  for (int process = 0; process < 4; ++process) {
    const Topology topology(8, {.count = 4, .index = process});
    EXPECT_EQ(topology.num_processes(), 4);
    EXPECT_EQ(topology.process_index(), process);
    EXPECT_EQ(topology.cores(), 32);
    EXPECT_EQ(topology.local_cores(), 8);
    for (int core = 0; core < 32; ++core) {
      EXPECT_EQ(topology.core(core), (Topology::Core{core / 8, core % 8}));
      EXPECT_EQ(topology.is_addressable(core), core / 8 == process);
      EXPECT_EQ(topology.cores_of(core / 8)[static_cast<size_t>(core % 8)], core);
      EXPECT_EQ(topology.find_core(topology.device_name(core)), core);
    }
    EXPECT_EQ(topology.addressable_cores(), topology.cores_of(process));
    EXPECT_EQ(topology.device_name(26), "/job:worker/replica:0/task:3/device:TPU:2");
    EXPECT_EQ(topology.host_name(1), "/job:worker/replica:0/task:1/device:CPU:0");
  }
}

// The hosts of a v3-32 hold pairs of rows of its chips.
TEST(Topology, TakesCoresThatAreNotInTheOrderOfTheirProcesses) {
  std::vector<int> process_of;
  for (int core = 0; core < 32; ++core) process_of.push_back(core / 16 * 2 + core / 4 % 2);
  const Topology topology(process_of, {.count = 4, .index = 1});
  EXPECT_EQ(topology.addressable_cores(), (std::vector<int>{4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(topology.core(13), (Topology::Core{1, 5}));
  EXPECT_EQ(topology.device_name(13), "/job:worker/replica:0/task:1/device:TPU:5");
  EXPECT_FALSE(topology == Topology(8, {.count = 4, .index = 1}));
}

TEST(Topology, TakesProcessesOfDifferentSizes) {
  const Topology topology({0, 1, 1, 0, 0}, {.count = 2, .index = 1});
  EXPECT_EQ(topology.cores(), 5);
  EXPECT_EQ(topology.local_cores(), 2);
  EXPECT_EQ(topology.local_cores(0), 3);
}

TEST(Topology, FindsCoresByName) {
  struct Case {
    const char* name;
    int core;  // -1: none
  };
  const Topology topology(8, {.count = 4, .index = 2});
  for (const Case& c : {Case{"/TPU:0", 16},
                        {"/device:TPU:3", 19},
                        {"TPU:7", 23},
                        {"/job:worker/replica:0/task:0/device:TPU:1", 1},
                        {"/job:worker/replica:0/task:3/device:TPU:2", 26},
                        {"/TPU:8", -1},
                        {"/TPU:-1", -1},
                        {"/TPU:", -1},
                        {"/CPU:0", -1},
                        {"", -1},
                        {"/job:worker/replica:0/task:4/device:TPU:0", -1},
                        {"/job:worker/replica:0/task:x/device:TPU:0", -1},
                        {"/job:worker/replica:0/task:-1/device:TPU:0", -1},
                        {"/TPU:99999999999999999999", -1}}) {
    EXPECT_EQ(topology.find_core(c.name).value_or(-1), c.core) << c.name;
  }
}

TEST(Topology, RefusesWhatIsNone) {
  struct Case {
    std::function<void()> make;
    const char* what;
  };
  const Topology four(8, {.count = 4});
  for (const Case& c : {Case{[] { Topology(0); }, "a process with 0 cores"},
                        {[] { Topology(8, {.count = 0}); }, "process 0 of 0"},
                        {[] { Topology(8, {.count = 4, .index = 4}); }, "process 4 of 4"},
                        {[] { Topology(8, {.count = 4, .index = -1}); }, "process -1 of 4"},
                        {[] {
                           Topology({0, 2}, {.count = 2});
                         },
                         "core 1 is of process 2"},
                        {[] {
                           Topology({0, -1}, {.count = 2});
                         },
                         "core 1 is of process -1"},
                        {[] {
                           Topology({0, 0}, {.count = 2});
                         },
                         "process 1 has no core"},
                        {[&] { four.core(32); }, "core 32"},
                        {[&] { four.core(-1); }, "core -1"},
                        {[&] { four.cores_of(4); }, "process 4 of 4"}}) {
    EXPECT_CONTAINS(error_of(c.make), c.what);
  }
  EXPECT_FALSE(four.is_addressable(32));
  EXPECT_FALSE(four.is_addressable(-1));
}

}  // namespace
}  // namespace systolic
