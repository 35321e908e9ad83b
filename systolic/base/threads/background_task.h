// Work of which one piece at a time is done beside the caller, such as writing a checkpoint while
// training goes on.
//
//   BackgroundTask writer;
//   writer.start([copy] { write(copy); });   // waits for the piece before
//   writer.poll();                           // between two steps: throws what the piece threw
//   writer.wait();
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <thread>

namespace systolic::inline v0 {

// For one thread that calls it. What a piece throws is thrown once, by the first of these functions
// that is called after it; the destructor waits and drops it.
class BackgroundTask {
 public:
  BackgroundTask() = default;
  ~BackgroundTask();
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Waits for the piece before. What the work holds goes when it is done. Where the system gives no
  // thread, it is done here.
  void start(std::function<void()> work);
  // Whether nothing is under way.
  bool poll();
  // Until nothing is under way.
  void wait();

 private:
  std::future<void> result_;
  std::optional<std::thread> thread_;
};

}  // namespace systolic::inline v0
