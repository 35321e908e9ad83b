// What killed writers leave, and what living ones do beside each other.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

using Files = std::vector<std::unique_ptr<io::AtomicFile>>;

Files begin_to_write(const std::string& path, int count) {
  Files files;
  for (int i = 0; i < count; ++i) {
    files.push_back(std::make_unique<io::AtomicFile>(path));
    files.back()->write(str("half of ", i));
  }
  return files;
}

size_t files_in(const TemporaryFolder& folder) { return io::glob(folder / "*").size(); }

TEST(TemporaryFile, WhatKilledWritersLeftGoesWithTheNextWrite) {
  for (const int count : {1, 3}) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
      const Files files = begin_to_write(folder / "x", count);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(files_in(folder), static_cast<size_t>(count));
    EXPECT_FALSE(io::exists(folder / "x"));
    io::write_file(folder / "y", "another file");
    EXPECT_EQ(files_in(folder), static_cast<size_t>(count + 1));
    io::write_file(folder / "x", "whole");
    EXPECT_EQ(io::read_file(folder / "x"), "whole");
    EXPECT_EQ(files_in(folder), 2u);
  }
}

TEST(TemporaryFile, GapsBetweenWhatKilledWritersLeftDoNotHideTheRest) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    Files files = begin_to_write(folder / "x", 5);
    for (const size_t done : {1, 2}) files[done].reset();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(files_in(folder), 3u);
  io::write_file(folder / "x", "whole");
  EXPECT_EQ(files_in(folder), 1u);
}

// Whoever made what was left may have it open, or have let others write to it.
TEST(TemporaryFile, WhatWasLeftIsNotWrittenTo) {
  const TemporaryFolder folder;
  std::string left;
  {
    const Files files = begin_to_write(folder / "x", 1);
    left = io::glob(folder / "x.tmp-*").at(0);
  }
  const int descriptor = ::open(left.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::fchmod(descriptor, 0666), 0);
  io::write_file(folder / "x", "whole");
  io::write_file(folder / "new", "whole");
  EXPECT_EQ(::write(descriptor, "another's", 9), 9);
  ::close(descriptor);
  EXPECT_EQ(io::read_file(folder / "x"), "whole");
  struct stat status {
  }, of_new{};
  ASSERT_EQ(::stat((folder / "x").c_str(), &status), 0);
  ASSERT_EQ(::stat((folder / "new").c_str(), &of_new), 0);
  EXPECT_EQ(status.st_mode, of_new.st_mode);
  EXPECT_EQ(files_in(folder), 2u);
}

// The child goes on once this process has written the file that it is writing.
TEST(TemporaryFile, ALivingWriterOfAnotherProcessKeepsIts) {
  const TemporaryFolder folder;
  int begun[2], go_on[2];
  ASSERT_EQ(::pipe(begun), 0);
  ASSERT_EQ(::pipe(go_on), 0);
  char byte = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(go_on[1]);
    const Files files = begin_to_write(folder / "x", 1);
    if (::write(begun[1], &byte, 1) != 1 || ::read(go_on[0], &byte, 1) != 1) ::_exit(1);
    files[0]->write(", and the other half");
    files[0]->commit();
    ::_exit(0);
  }
  ::close(begun[1]);
  ASSERT_EQ(::read(begun[0], &byte, 1), 1);
  io::write_file(folder / "x", "of the parent");
  EXPECT_EQ(io::read_file(folder / "x"), "of the parent");
  EXPECT_EQ(files_in(folder), 2u);
  ASSERT_EQ(::write(go_on[1], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(io::read_file(folder / "x"), "half of 0, and the other half");
  EXPECT_EQ(files_in(folder), 1u);
  for (const int end : {begun[0], go_on[0], go_on[1]}) ::close(end);
}

TEST(TemporaryFile, WritersOfOneProcessKeepTheirs) {
  const TemporaryFolder folder;
  Files files = begin_to_write(folder / "x", 3);
  EXPECT_EQ(files_in(folder), 3u);
  files[0]->commit();
  files.push_back(std::move(begin_to_write(folder / "x", 1)[0]));
  EXPECT_EQ(files_in(folder), 4u);
  for (size_t i : {2, 1}) {
    files[i]->commit();
    EXPECT_EQ(io::read_file(folder / "x"), str("half of ", i));
  }
  files.clear();
  EXPECT_EQ(io::read_file(folder / "x"), "half of 1");
  EXPECT_EQ(files_in(folder), 1u);
}

// Neither those of another host, nor what only has such a name.
TEST(TemporaryFile, WhatIsNotOursStays) {
  const TemporaryFolder folder;
  std::string ours;
  {
    const Files files = begin_to_write(folder / "x", 1);
    ours = io::glob(folder / "x.tmp-*").at(0);
  }
  ASSERT_EQ(::symlink("elsewhere", ours.c_str()), 0);
  for (const std::string& name : {folder / "x.tmp-00000000-0", folder / "x.tmp-1-1"})
    io::write_file(name, "of another");
  io::write_file(folder / "x", "whole");
  EXPECT_EQ(io::read_file(folder / "x"), "whole");
  EXPECT_EQ(io::read_file(folder / "x.tmp-00000000-0"), "of another");
  EXPECT_FALSE(io::exists(folder / "elsewhere"));
  EXPECT_EQ(files_in(folder), 4u);
}

}  // namespace
}  // namespace systolic
