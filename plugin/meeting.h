// Where the devices of one program meet when they are run one by one, each from its own thread, as
// PyTorch/XLA does it: cores that exchange values run in lockstep here, so the last one to come
// runs the program for all.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "plugin/handle.h"

namespace systolic::inline v0 {
namespace plugin {

class Meeting {
 public:
  // One call for all devices.
  using RunAll = std::function<void(abi::LoadedExecutableExecuteArgs&)>;

  // For this many devices; whoever waits longer than that leaves with a DeadlineExceeded.
  Meeting(size_t devices, std::chrono::seconds longest);

  // Device `index` has come with its call. Returns when the results are there; throws what the run
  // threw.
  void join(size_t index, abi::LoadedExecutableExecuteArgs& args, const RunAll& run);

 private:
  struct Round {
    std::vector<abi::LoadedExecutableExecuteArgs*> calls;  // by device; null: has not come yet
    size_t come = 0;
    bool done = false;
    std::exception_ptr failed;
  };
  void run_all(Round& round, const RunAll& run) const;
  void leave(Round& round, size_t index) const;
  std::shared_ptr<Round> new_round() const;

  const size_t devices_;
  const std::chrono::seconds longest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Round> next_;  // not all have come
};

}  // namespace plugin
}  // namespace systolic::inline v0
