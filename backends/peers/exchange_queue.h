// Exchanges between processes, on a thread of its own: sums travel while the program computes on.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace peers {

// All exchanges of a process go through one queue, in the order in which the program comes to them,
// which is that of the other processes.
class ExchangeQueue {
 public:
  using Work = std::function<void(runtime::Peers&)>;

  explicit ExchangeQueue(runtime::PeersPtr peers);
  // What has not begun is dropped.
  ~ExchangeQueue();
  ExchangeQueue(const ExchangeQueue&) = delete;
  ExchangeQueue& operator=(const ExchangeQueue&) = delete;

  const runtime::Peers& peers() const { return *peers_; }

  // Queues the work; wait() with the ticket returns once it is done, and throws what it threw. Each
  // ticket is waited for once.
  uint32_t start(Work work);
  void wait(uint32_t ticket);
  void run(Work work) { wait(start(std::move(work))); }

 private:
  struct Job {
    uint32_t ticket;
    Work work;
  };
  void loop();

  runtime::PeersPtr peers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::map<uint32_t, std::exception_ptr> done_;  // null where nothing was thrown
  uint32_t next_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace peers
}  // namespace systolic::inline v0
