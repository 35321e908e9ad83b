// What a caller asks of a compilation: the parts of a serialized CompileOptionsProto that matter
// here (field numbers: OpenXLA, compile_options.proto).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace plugin {

struct Layout {
  int64_t replicas = 1, partitions = 1;
  // replicas x partitions devices by id, a replica's partitions together.
  std::vector<int64_t> devices = {0};
  size_t size() const { return devices.size(); }
};

// Without an assignment of devices: the first ones. More than `device_count` devices, or a device
// named twice, is an InvalidArgument.
Layout read_layout(std::string_view options, int64_t device_count);

// Options by name (jax.jit's compiler_options): those of XLA, which begin with "xla_", say nothing
// here. Any other, or a text for one of XLA's that is a bool, is an InvalidArgument.
void check_named_options(std::string_view options);

// A DeviceAssignmentProto.
std::string assignment_of(const Layout& layout);

}  // namespace plugin
}  // namespace systolic::inline v0
