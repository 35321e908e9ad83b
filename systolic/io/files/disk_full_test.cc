// A disk that is full: a file system of 64 KiB, which a child process mounts where only it sees it;
// or files that may grow no further.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/core/example.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/scratch_file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/io/tensors/npy.h"

namespace systolic {
namespace {

constexpr int cannot_prepare = 77;

bool mount_small_disk(const std::string& folder) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // What is mounted below stays below.
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

// ulimit -f, by a program that takes no signal of it.
bool bound_files(const std::string& /*folder*/) {
  const rlimit bound{64 << 10, 64 << 10};
  ::signal(SIGXFSZ, SIG_IGN);
  return ::setrlimit(RLIMIT_FSIZE, &bound) == 0;
}

// What went wrong, as text; empty where all held.
std::string faults(const std::string& folder) {
  io::write_file(folder + "/old", "the old one");
  const std::string large(size_t{1} << 20, 'x');
  const std::string path = folder + "/old";
  const struct {
    const char* name;
    std::string named;  // in the error
    std::function<void()> write;
  } writers[] = {
      {"write_file", path, [&] { io::write_file(folder + "/old", large); }},
      {"AtomicFile", path,
       [&] {
         io::AtomicFile file(folder + "/old");
         for (size_t at = 0; at < large.size(); at += 1000) file.write(large.data() + at, 1000);
         file.commit();
       }},
      {"TFRecordWriter", path,
       [&] {
         io::TFRecordWriter writer(folder + "/old");
         for (int i = 0; i < 100; ++i) writer.write(std::string_view(large).substr(0, 10'000));
         writer.close();
       }},
      {"ScratchFile", folder, [&] { io::ScratchFile(folder).write(large.data(), large.size()); }},
  };
  std::string text;
  for (const auto& [name, named, write] : writers) {
    const std::string error = error_of(write);
    if (!contains(error, "ResourceExhausted") || !contains(error, named + "'"))
      text += str(name, ": ", error, "\n");
    if (io::read_file(folder + "/old") != "the old one") text += str(name, ": the old file\n");
    const auto left = std::filesystem::directory_iterator(folder);
    const auto count = std::distance(begin(left), end(left));
    if (count != 1) text += str(name, " leaves ", count, " files\n");
  }
  return text;
}

// The exit status of a child that writes there, once it has prepared itself.
int status_of_writing(const std::string& folder, bool (*prepare)(const std::string&)) {
  std::filesystem::create_directories(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!prepare(folder)) ::_exit(cannot_prepare);
    const std::string text = faults(folder);
    std::fputs(text.c_str(), stderr);
    ::_exit(text.empty() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status)
             ? WEXITSTATUS(status)
             : -1;
}

TEST(DiskFull, IsAnErrorThatLeavesTheOldFile) {
  const TemporaryFolder folder;
  const int status = status_of_writing(folder / "disk", mount_small_disk);
  if (status == cannot_prepare) GTEST_SKIP() << "this system lets no program mount a small disk";
  EXPECT_EQ(status, 0);
}

TEST(DiskFull, SoIsAFileBeyondTheBoundOfTheProcess) {
  const TemporaryFolder folder;
  EXPECT_EQ(status_of_writing(folder / "bounded", bound_files), 0);
}

}  // namespace
}  // namespace systolic
