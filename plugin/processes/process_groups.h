// The processes of a run, each with devices of its own, and what some of them exchange arrays by.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/peers/exchange_queue.h"
#include "plugin/processes/key_values.h"
#include "plugin/processes/late_peers.h"
#include "systolic/runtime/peers.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace plugin {

// Some of the processes, by number; all of them come to its exchanges in one order.
class ProcessGroup {
 public:
  ProcessGroup(std::shared_ptr<LatePeers> peers_of_it, uint64_t its_number)
      : peers(std::move(peers_of_it)), number(its_number) {}

  const std::shared_ptr<LatePeers> peers;
  std::mutex mutex;   // held during an exchange, or a program that exchanges
  uint64_t runs = 0;  // of programs; arrays are named by them
  // A program failed here while the others may have waited in an exchange for it.
  bool broken = false;
  const uint64_t number;

  // By which programs exchange while they run (backends/peers/exchange.h).
  const std::string& exchange();

 private:
  std::once_flag made_;
  std::shared_ptr<peers::ExchangeQueue> queue_;
  std::string exchange_;
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
  // Those, ascending, with this one in it. Not connected yet.
  std::shared_ptr<ProcessGroup> group_of(const std::vector<int>& processes);
  // Connected by the first call, which each of `processes` makes.
  std::shared_ptr<ProcessGroup> among(const std::vector<int>& processes);

 private:
  std::shared_ptr<ProcessGroup> make_group(const std::vector<int>& processes) const;

  KeyValues keys_;
  Own own_;
  std::vector<std::string> addresses_;  // of the processes
  runtime::Topology topology_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::shared_ptr<ProcessGroup>> groups_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
