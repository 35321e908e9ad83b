// Naming the core that computes (tf.device).
//
//   Tensor c = device("/TPU:0", [&] { return matmul(a, b); });
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// The name of one of this process's cores: "/job:worker/replica:0/task:0/device:TPU:3", as
// TensorFlow names the cores of a TPU worker.
std::string core_name(int local_core);

// Tensors made while it lives are placed on that core: "/TPU:0", "/device:TPU:3" or a whole name as
// list_logical_devices gives it. A device that does not exist, or is another process's, is an
// InvalidArgument that lists those that can be named.
class DeviceScope {
 public:
  explicit DeviceScope(std::string_view name, SourceLocation location = SourceLocation::current());
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  // The core named on this thread, as this process counts its own; 0 outside every scope.
  static int core();

 private:
  int previous_;
};

template <class Body>
auto device(std::string_view name, Body&& body,
            SourceLocation location = SourceLocation::current()) {
  const DeviceScope scope(name, location);
  return std::forward<Body>(body)();
}

}  // namespace systolic::inline v0
