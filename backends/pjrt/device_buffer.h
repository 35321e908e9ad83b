// An array on one device.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/pjrt/api/event.h"
#include "backends/pjrt/api/handle.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace pjrt {

class DeviceClient;

class DeviceBuffer {
 public:
  // Owns `buffer`; keeps the client alive.
  DeviceBuffer(std::shared_ptr<const DeviceClient> client, abi::Buffer* buffer);

  abi::Buffer* get() const { return handle_.get(); }
  // Waits, and throws what went wrong while it was computed.
  Literal to_host() const;
  DType dtype() const;
  Shape shape() const;
  // The bytes that it takes there, with padding.
  int64_t device_bytes() const;
  // When it is computed.
  Event ready() const;
  // Gives the memory back now, even if others still hold the buffer.
  void remove() const;
  bool deleted() const;

 private:
  std::shared_ptr<const DeviceClient> client_;  // outlives the handle
  BufferHandle handle_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
