// How often a pipeline of remote files waits for its server, within a memory budget: with a server
// whose answers all come at once, each time nothing else is left to do.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/test_gcs_server.h"

namespace systolic {
namespace {

constexpr int64_t megabyte = int64_t{1} << 20, budget = 32 * megabyte, file_bytes = 16 * megabyte;
constexpr int64_t file_count = 8;

// How often all threads but this one went to sleep so far; -1 where one of them is awake.
int64_t sleeps_of_all_others() {
  const std::string own = str(::syscall(SYS_gettid));
  int64_t sum = 0;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* task = ::readdir(tasks)) {
    const std::string id = task->d_name;
    if (id == own || id[0] == '.') continue;
    std::ifstream status(str("/proc/self/task/", id, "/status"));
    for (std::string line; sum >= 0 && std::getline(status, line);) {
      if (line.rfind("State:", 0) == 0 && line.find("S (") == std::string::npos) sum = -1;
      if (line.rfind("voluntary_ctxt", 0) == 0) sum += std::stoll(line.substr(line.find(':') + 1));
    }
    if (sum < 0) break;
  }
  ::closedir(tasks);
  return sum;
}

// Keeps who asks until everybody waits, and then lets all of them go: a round trip.
class RoundTrips {
 public:
  RoundTrips() : thread_([this] { run(); }) {}
  ~RoundTrips() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    next_.notify_all();
    thread_.join();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    next_.wait(lock, [&, now = count_] { return stopping_ || count_ != now; });
  }
  int64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  void run() {
    for (int64_t before = -1;; std::this_thread::yield()) {
      const int64_t sleeps = sleeps_of_all_others();
      const bool all_asleep = sleeps >= 0 && sleeps == std::exchange(before, sleeps);
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (!all_asleep || waiting_ == 0) continue;
      waiting_ = 0;
      ++count_;
      next_.notify_all();
    }
  }
  mutable std::mutex mutex_;
  std::condition_variable next_;
  int64_t count_ = 0, waiting_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

int64_t round_trips(int64_t record_bytes, int parallel_reads) {
  const TemporaryFolder folder;
  {
    io::TFRecordWriter writer(folder / "records");
    const std::string record(static_cast<size_t>(record_bytes), 'x');
    for (int64_t i = 0; i < file_bytes / record_bytes; ++i) writer.write(record);
  }
  TestGcsServer server;
  server.put("records", io::read_file(folder / "records"));
  storage::GcsOptions options;
  options.endpoint = server.url();
  options.credentials = storage::anonymous_credentials();
  io::register_file_system("gs", storage::gcs_file_system(options));
  const std::vector<std::string> files(file_count, "gs://bucket/records");
  const data::Dataset dataset = data::tfrecords(files, {.num_parallel_reads = parallel_reads})
                                    .prefetch(data::autotune)
                                    .with_options({.memory_budget_bytes = budget});
  RoundTrips trips;
  server.set_guard([&](const TestRequest&, TestGcsServer&) {
    trips.wait();
    return std::optional<TestResponse>();
  });
  int64_t count = 0;
  {
    data::Iterator iterator = dataset.iterator();
    while (iterator.next()) ++count;
  }
  server.set_guard({});
  EXPECT_EQ(count, file_count * (file_bytes / record_bytes));
  io::register_file_system("gs", storage::gcs_file_system());
  return trips.count();
}

// A quarter of the budget may be on its way, so that the bytes alone take 16 round trips; 8 files
// open and begin in 3, and take up to 4 until their ranges are as large as there is room for. What
// else there is comes from turns of 16 records, which are as large as what may be held of a file,
// or larger.
TEST(RoundTrips, AreFewWithinASmallBudget) {
  struct Row {
    int64_t record_bytes;
    int parallel_reads;
    int64_t most;
  };
  for (const Row& row : {Row{1024, 8, 36}, Row{16384, 8, 40}, Row{131072, 8, 64},
                         Row{1000000, 8, 200}, Row{131072, 1, 48}}) {
    EXPECT_LE(round_trips(row.record_bytes, row.parallel_reads), row.most)
        << row.record_bytes << " bytes, " << row.parallel_reads << " at a time";
  }
}

}  // namespace
}  // namespace systolic
