// A thread of the input pipeline: it stands back behind the threads that compute, and is joined
// when it goes away.
#pragma once

#include <functional>
#include <thread>

namespace systolic::inline v0 {
namespace data {

class WorkerThread {
 public:
  // `niceness` is that of setpriority: 0 to 19.
  WorkerThread(int niceness, std::function<void()> body);
  ~WorkerThread() { thread_.join(); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

 private:
  std::thread thread_;
};

// How many threads `asked` means: itself, or for autotune the processors of this machine.
int thread_count(int asked);

}  // namespace data
}  // namespace systolic::inline v0
