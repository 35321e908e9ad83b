// What a compiler made of a program; can be read without a device.
#pragma once

#include <cstdint>
#include <string>

#include "backends/pjrt/api/handle.h"
#include "backends/pjrt/api/named_value.h"

namespace systolic::inline v0 {
namespace pjrt {

// Bytes on one device.
struct ProgramMemory {
  int64_t code = 0;
  int64_t arguments = 0;
  int64_t outputs = 0;
  int64_t aliased = 0;  // outputs in the memory of donated arguments
  int64_t temporaries = 0;
  int64_t peak = 0;  // 0 from older plugins
};

class CompiledProgram {
 public:
  CompiledProgram(ApiPtr api, abi::Executable* executable) : handle_(std::move(api), executable) {}

  std::string name() const;
  size_t outputs() const;
  ProgramMemory memory() const;
  // "flops", "bytes accessed", "optimal_seconds" and more, of one device; empty where the plugin
  // does not count.
  Values cost() const;
  // For DeviceClient::load of the same plugin.
  std::string serialize() const;

 private:
  ExecutableHandle handle_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
