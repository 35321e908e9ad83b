// Who owns a folder, and what becomes of that when a process ends.
#include "systolic/io/files/owner_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

TEST(OwnerLock, IsOneRunsAtATime) {
  const TemporaryFolder folder;
  const std::string path = folder / "owner.lock";
  std::optional<io::OwnerLock> lock(std::in_place, path, "Backup");
  EXPECT_EQ(lock->dead_owner(), "");
  expect_parts(message_of<FailedPrecondition>([&] { io::OwnerLock(path, "Backup"); }),
               {str("Backup: another run has '", path, "', process ", ::getpid(), " on "),
                "expected a folder for each run"});
  lock.reset();
  EXPECT_FALSE(io::exists(path));
  const io::OwnerLock again(path, "Backup");
  EXPECT_EQ(again.dead_owner(), "");
}

TEST(OwnerLock, OfADeadOwnerIsTakenOver) {
  const TemporaryFolder folder;
  const std::string path = folder / "owner.lock";
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const io::OwnerLock lock(path, "Backup");
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const std::string owner = str("process ", child, " on ");
  EXPECT_CONTAINS(message_of<FailedPrecondition>([&] { io::OwnerLock(path, "Backup"); }), owner);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(io::exists(path));
  const io::OwnerLock lock(path, "Backup");
  EXPECT_EQ(lock.dead_owner().substr(0, owner.size()), owner);
  for (const int end : ready) ::close(end);
}

TEST(OwnerLock, WhatItSaysMayBeAnything) {
  const TemporaryFolder folder;
  const std::string path = folder / "owner.lock";
  for (const std::string& text : {std::string(), std::string("\n\n\n"), std::string("host"),
                                  std::string("host\n-3\n"), std::string(100'000, 'x')}) {
    put_file(path, text);
    EXPECT_EQ(io::OwnerLock(path, "Backup").dead_owner(), "");
  }
  put_file(path, "node-3\n4711\n");
  EXPECT_EQ(io::OwnerLock(path, "Backup").dead_owner(), "process 4711 on node-3");
}

TEST(OwnerLock, NeedsAFolderThatItMayWriteTo) {
  const TemporaryFolder folder;
  EXPECT_THROW(io::OwnerLock(folder / "no/owner.lock", "Backup"), NotFound);
  ASSERT_EQ(::symlink("elsewhere", (folder / "owner.lock").c_str()), 0);
  EXPECT_THROW(io::OwnerLock(folder / "owner.lock", "Backup"), Unavailable);  // ELOOP: O_NOFOLLOW
}

}  // namespace
}  // namespace systolic
