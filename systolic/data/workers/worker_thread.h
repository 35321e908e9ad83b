// A thread of the input pipeline: it yields to the threads that compute, and is joined when it goes
// away.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace systolic::inline v0 {
namespace data {

class WorkerThread {
 public:
  // `niceness` is that of setpriority: 0 to 19. ResourceExhausted where the system gives no more
  // threads.
  WorkerThread(int niceness, std::function<void()> body);
  ~WorkerThread() { thread_.join(); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

 private:
  std::thread thread_;
};

// Starts up to `count` threads. If the system gives fewer, but at least one, it makes do with
// these.
std::vector<std::unique_ptr<WorkerThread>> start_workers(int count, int niceness,
                                                         const std::function<void()>& body);

// One more; null where the system gives none.
std::unique_ptr<WorkerThread> start_another(int niceness, std::function<void()> body);

// More threads in one stage are a mistake, and would take the whole system's.
constexpr int most_threads = 1024;
// Whether a stage may ask for this many: 1 to most_threads, or autotune.
bool valid_thread_count(int asked);

}  // namespace data
}  // namespace systolic::inline v0
