// A device of a plugin, or of a topology that only exists on paper.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/pjrt/api/api.h"
#include "backends/pjrt/api/named_value.h"

namespace systolic::inline v0 {
namespace pjrt {

struct DeviceDescription {
  int id = 0;         // in the whole slice
  int process = 0;    // that may use it
  std::string kind;   // "TPU v3", "NVIDIA H200"
  std::string text;   // "TPU_0(process=0,(0,0,0,0))"
  Values attributes;  // "coords", "core_on_chip", "device_memory_bytes_limit"
};

DeviceDescription describe(const Api& api, abi::DeviceDescription* description);
// The same for a device that can be used.
DeviceDescription describe(const Api& api, abi::Device* device);

struct DeviceMemory {
  int64_t in_use = 0;
  std::optional<int64_t> peak, limit;
};
// Bytes on a device now; none where the plugin does not report them.
std::optional<DeviceMemory> memory_of(const Api& api, abi::Device* device);

}  // namespace pjrt
}  // namespace systolic::inline v0
