// A program on the devices that run it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/pjrt/api/compiled_program.h"
#include "backends/pjrt/api/event.h"
#include "backends/pjrt/api/handle.h"
#include "backends/pjrt/device_buffer.h"

namespace systolic::inline v0 {
namespace pjrt {

struct Run {
  std::vector<std::vector<DeviceBuffer>> results;  // [device][result]; perhaps not computed yet
  std::vector<Event> complete;                     // [device]
};

class LoadedProgram {
 public:
  // Owns `executable`; keeps the client alive.
  LoadedProgram(std::shared_ptr<const DeviceClient> client, abi::LoadedExecutable* executable);

  // Which of the client's devices() run it, in the order of execute()'s arguments.
  const std::vector<size_t>& devices() const { return devices_; }
  size_t outputs() const { return outputs_; }
  CompiledProgram compiled() const;

  // Starts the program. arguments[device][argument]; those in `not_donated` are not overwritten,
  // even where the program says that a result takes their memory. When it throws, no argument has
  // been changed.
  Run execute(const std::vector<std::vector<abi::Buffer*>>& arguments,
              const std::vector<int64_t>& not_donated, int64_t launch_id = 0) const;

 private:
  std::shared_ptr<const DeviceClient> client_;  // outlives the handle
  LoadedExecutableHandle handle_;
  std::vector<size_t> devices_;
  size_t outputs_ = 0;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
