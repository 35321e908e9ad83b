// What the client shares with its buffers and programs, which may outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "backends/pjrt/device_client.h"
#include "systolic/runtime/core_clock.h"

namespace systolic::inline v0 {
namespace pjrt {

class Buffer;

// The time of one core. Several programs may be queued for it. Thread-safe.
class CoreUse {
 public:
  void begin();
  void end(double flops, double bytes);
  void input_waited(double seconds);
  runtime::CoreCounters read() const;
  void reset();

 private:
  mutable std::mutex mutex_;
  runtime::CoreClock clock_;
  int running_ = 0;
};

struct ClientState {
  ClientState(DeviceClientPtr device_client, runtime::Topology used)
      : client(std::move(device_client)),
        topology(std::move(used)),
        use(static_cast<size_t>(topology.local_cores())) {}

  // Which of client->devices() a core is. InvalidArgument for one that is not this process's.
  size_t device_of(int core) const;

  DeviceClientPtr client;
  runtime::Topology topology;  // the client's, or its first cores
  std::vector<CoreUse> use;    // by device

  // Every buffer that exists, to be freed by reset().
  std::mutex mutex;
  std::set<Buffer*> buffers;
};
using ClientStatePtr = std::shared_ptr<ClientState>;

}  // namespace pjrt
}  // namespace systolic::inline v0
