// The memory that a process may still take, from files as Linux has them.
#include "systolic/monitor/crash/memory_left.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace systolic {
namespace {

namespace fs = std::filesystem;

class MemoryLeft : public testing::Test {
 protected:
  MemoryLeft() {
    std::string pattern = (fs::temp_directory_path() / "systolic-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    write("proc/meminfo", "MemTotal:  8000 kB\nMemFree: 10 kB\nMemAvailable:  6000 kB\n");
  }
  ~MemoryLeft() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  void expect(int64_t left, int64_t limit) const {
    EXPECT_EQ(monitor::memory_left(root_).left, left);
    EXPECT_EQ(monitor::memory_left(root_).limit, limit);
  }

  std::string root_;
};

TEST_F(MemoryLeft, OfTheMachineWithoutGroups) { expect(6000 * 1024, 8000 * 1024); }

TEST_F(MemoryLeft, OfTheGroupThatHasTheLeast) {
  write("proc/self/cgroup", "1:cpu:/x\n0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/step/memory.current", "900000\n");
  expect(6000 * 1024, 8000 * 1024);
  write("sys/fs/cgroup/job/memory.max", "1000000\n");
  write("sys/fs/cgroup/job/memory.current", "950000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 20000\n");
  expect(70'000, 1'000'000);
  write("sys/fs/cgroup/memory.max", "5000\n");  // as in a container
  write("sys/fs/cgroup/memory.current", "6000\n");
  expect(0, 5000);
}

TEST_F(MemoryLeft, WhatIsNotThereIsNotKnown) {
  fs::remove_all(root_ + "/proc");
  expect(0, 0);
}

TEST(MemoryLeftHere, IsKnown) {
  const monitor::MemoryLeft here = monitor::memory_left();
  EXPECT_GT(here.left, 0);
  EXPECT_GT(here.limit, here.left);
}

}  // namespace
}  // namespace systolic
