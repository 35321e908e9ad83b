// What the client's buffers and programs share with it; they may outlive it.
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

// The time of one core. Several programs may be on their way to it. Thread-safe.
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
  ClientState(DeviceClientPtr device_client, int core_count)
      : client(std::move(device_client)), cores(core_count), use(static_cast<size_t>(core_count)) {}

  DeviceClientPtr client;
  int cores;                 // the first ones of client->devices()
  std::vector<CoreUse> use;  // by core

  // Every buffer that lives, to be freed by reset().
  std::mutex mutex;
  std::set<Buffer*> buffers;
};
using ClientStatePtr = std::shared_ptr<ClientState>;

}  // namespace pjrt
}  // namespace systolic::inline v0
