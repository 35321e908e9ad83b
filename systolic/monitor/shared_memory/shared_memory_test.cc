// What is written is read; files that lie, are cut or belong to others are refused.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/monitor/shared_memory/status_layout.h"
#include "systolic/monitor/shared_memory/status_reader.h"
#include "systolic/monitor/shared_memory/status_writer.h"
#include "systolic/monitor/terminal/screen.h"

namespace systolic {
namespace {

using monitor::RunStatus;
using monitor::StatusHeader;
using monitor::StatusReader;
using monitor::StatusWriter;

class SharedMemory : public testing::Test {
 protected:
  SharedMemory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "systolic-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~SharedMemory() override { std::filesystem::remove_all(folder_); }
  std::string own_file() const { return str(folder_, "/", getpid()); }
  void put(const void* bytes, size_t size, size_t at = 0) const {
    std::fstream file(own_file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }

  std::string folder_;
};

std::unique_ptr<RunStatus> some_status() {
  auto status = std::make_unique<RunStatus>();
  status->process = getpid();
  status->process_start = monitor::process_start(getpid());
  status->name = "convnet";
  status->loss = 0.5;
  return status;
}

TEST_F(SharedMemory, WhatIsWrittenIsRead) {
  {
    StatusWriter writer(folder_);
    const StatusReader reader(getpid(), folder_);
    EXPECT_EQ(reader.read(), nullptr);  // nothing yet
    EXPECT_EQ(reader.why_nothing(), "it has not written anything yet");
    const auto status = some_status();
    writer.write(*status);
    const auto read = reader.read();
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->name.view(), "convnet");
    EXPECT_EQ(read->loss, 0.5);
    EXPECT_EQ(reader.process_state(*read), monitor::ProcessState::there);
    EXPECT_EQ(monitor::newest_process(folder_), getpid());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));  // it has come to its end
  EXPECT_THROW(monitor::newest_process(folder_), NotFound);
  EXPECT_THROW(StatusReader(getpid(), folder_), NotFound);
}

TEST_F(SharedMemory, AFileThatIsCutHurtsNeitherSide) {
  StatusWriter writer(folder_);
  const auto status = some_status();
  writer.write(*status);
  const StatusReader reader(getpid(), folder_);
  ASSERT_EQ(truncate(own_file().c_str(), 100), 0);
  EXPECT_EQ(reader.read(), nullptr);
  EXPECT_EQ(reader.why_nothing(), str("its file is cut: 100 of ",
                                      sizeof(StatusHeader) + sizeof(RunStatus), " bytes are left"));
  ASSERT_EQ(truncate(own_file().c_str(), 10), 0);
  EXPECT_CONTAINS(error_of([&] { StatusReader(getpid(), folder_); }),
                  "a file that is cut to 10 bytes");
  writer.write(*status);
  EXPECT_NE(reader.read(), nullptr);
}

TEST_F(SharedMemory, WhateverLiesThereIsShownWithoutHarm) {
  StatusWriter writer(folder_);
  writer.write(*some_status());
  const StatusReader reader(getpid(), folder_);
  std::mt19937 random(7);
  std::vector<char> noise(sizeof(RunStatus));
  for (int round = 0; round < 20; ++round) {
    for (char& byte : noise) byte = static_cast<char>(random());
    put(noise.data(), noise.size(), sizeof(StatusHeader));
    const auto read = reader.read();
    ASSERT_NE(read, nullptr);
    for (const std::string& line : monitor::screen(*read, {.columns = 60, .rows = 40})) {
      for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << round;
    }
    EXPECT_FALSE(monitor::status_line(*read, monitor::ProcessState::there, 0).empty());
  }
}

TEST_F(SharedMemory, OtherFilesAreRefused) {
  StatusWriter writer(folder_);
  writer.write(*some_status());
  StatusHeader header{.version = 99, .sequence = 2};
  put(&header, sizeof header);
  EXPECT_THROW(StatusReader(getpid(), folder_), FailedPrecondition);
  header = {.magic = {'n', 'o'}, .sequence = 2};
  put(&header, sizeof header);
  EXPECT_THROW(StatusReader(getpid(), folder_), DataLoss);
  std::filesystem::remove(own_file());
  std::filesystem::create_symlink("/etc/passwd", own_file());
  EXPECT_THROW(StatusReader(getpid(), folder_), NotFound);
  std::filesystem::remove(own_file());
  ASSERT_EQ(mkfifo(own_file().c_str(), S_IRUSR | S_IWUSR), 0);
  EXPECT_THROW(StatusReader(getpid(), folder_), DataLoss);
}

TEST_F(SharedMemory, FoldersThatOthersCouldChangeAreRefused) {
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_THROW(StatusWriter{folder_}, PermissionDenied);
  EXPECT_THROW(monitor::newest_process(folder_), PermissionDenied);
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  const std::string link = folder_ + "/link";
  std::filesystem::create_symlink(folder_, link);
  EXPECT_THROW(StatusWriter{link}, PermissionDenied);
  EXPECT_THROW(StatusWriter{folder_ + "/no/folder"}, Unavailable);
}

TEST_F(SharedMemory, WhatWasLeftLongAgoIsRemoved) {
  const auto leave = [&](int64_t process, int hours) {
    const std::string path = str(folder_, "/", process);
    std::ofstream(path) << "left";
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    return path;
  };
  const std::string old = leave(0x7FFFFFF1, 2), recent = leave(0x7FFFFFF2, 0);
  { const StatusWriter writer(folder_); }
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(recent));  // a crash to look at
}

// The newest run is one that can be read, and whose process is the one that wrote it.
TEST_F(SharedMemory, TheNewestRunIsOneThatIsThere) {
  StatusWriter writer(folder_);
  writer.write(*some_status());
  const auto copy = [&](int64_t process,
                        const std::function<void(StatusHeader&, RunStatus&)>& change) {
    StatusHeader header{.sequence = 2};
    auto status = some_status();
    status->process = process;
    change(header, *status);
    std::ofstream file(str(folder_, "/", process), std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(status.get()), sizeof *status);
  };
  const auto is_newest = [&](int64_t process) {
    std::filesystem::last_write_time(
        str(folder_, "/", process),
        std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  };
  // Process 1 is there, and was started at another time: it has the number of one that is gone.
  copy(1, [](StatusHeader&, RunStatus& status) { status.process_start = 7; });
  is_newest(1);
  EXPECT_EQ(monitor::newest_process(folder_), getpid());
  copy(1, [](StatusHeader& header, RunStatus&) { header.version = 1; });
  is_newest(1);
  EXPECT_EQ(monitor::newest_process(folder_), getpid());
  std::filesystem::remove(own_file());
  EXPECT_THROW(monitor::newest_process(folder_), FailedPrecondition);
  copy(0x7FFFFFF2, [](StatusHeader&, RunStatus&) {});  // gone, and all that is there
  EXPECT_EQ(monitor::newest_process(folder_), 0x7FFFFFF2);
}

}  // namespace
}  // namespace systolic
