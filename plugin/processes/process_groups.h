// The processes of a run, each with devices of its own, and what some of them exchange arrays by.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/processes/key_values.h"
#include "systolic/runtime/peers.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace plugin {

// Some of the processes, by number; all of them come to its exchanges in one order.
struct ProcessGroup {
  runtime::PeersPtr peers;
  std::mutex mutex;   // held during an exchange
  uint64_t runs = 0;  // of programs; arrays are named by them
  uint64_t number = 0;
};

class ProcessGroups {
 public:
  struct Own {
    runtime::Processes processes = {};
    std::string kind = {};  // "v3-8"
    int cores = 0;          // of this process
    std::string coordinator =
        {};                     // "host:port", where the caller said it: which way the others are
    double wait_seconds = 600;  // that one process waits for another
  };

  // Waits for all. DeadlineExceeded names the first that has not come, FailedPrecondition one that
  // has another kind of device.
  ProcessGroups(KeyValues keys, Own own);

  const runtime::Topology& topology() const { return topology_; }
  // Connected by the first call, which each of `processes` makes; ascending, with this one in it.
  std::shared_ptr<ProcessGroup> among(const std::vector<int>& processes);

 private:
  KeyValues keys_;
  Own own_;
  std::vector<std::string> addresses_;  // of the processes
  runtime::Topology topology_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::shared_ptr<ProcessGroup>> groups_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
