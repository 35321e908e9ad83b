// Devices, their descriptions and their memories.
#include "plugin/client.h"
#include "plugin/serve.h"

namespace systolic::inline v0 {
namespace plugin {

void serve(abi::DeviceDescriptionIdArgs& args) { args.id = of(args.description).id; }
void serve(abi::DeviceDescriptionProcessIndexArgs& args) {
  args.index = of(args.description).core.process;
}
void serve(abi::DeviceDescriptionAttributesArgs& args) {
  args.attributes = nullptr;
  args.count = 0;
}
void serve(abi::DeviceDescriptionKindArgs& args) {
  const Device& device = of(args.description);
  args.kind = device.kind.c_str();
  args.kind_size = device.kind.size();
}
void serve(abi::DeviceDescriptionDebugStringArgs& args) {
  const Device& device = of(args.description);
  args.text = device.text.c_str();
  args.text_size = device.text.size();
}
void serve(abi::DeviceDescriptionToStringArgs& args) {
  const Device& device = of(args.description);
  args.text = device.text.c_str();
  args.text_size = device.text.size();
}

void serve(abi::DeviceGetDescriptionArgs& args) {
  args.description = handle<abi::DeviceDescription>(&of(args.device));
}
void serve(abi::DeviceIsAddressableArgs& args) {
  args.addressable = of(args.device).is_addressable();
}
void serve(abi::DeviceLocalHardwareIdArgs& args) { args.id = of(args.device).core.local; }
void serve(abi::DeviceMemoriesArgs& args) {
  const Device& device = of(args.device);
  args.count = device.is_addressable() ? 1 : 0;
  args.memories = device.is_addressable()
                      ? &device.client->memory_handles[static_cast<size_t>(device.core.local)]
                      : nullptr;
}
void serve(abi::DeviceDefaultMemoryArgs& args) {
  args.memory = handle<abi::Memory>(&of(args.device).memory);
}

void serve(abi::DeviceMemoryStatsArgs& args) {
  const Device& device = of(args.device);
  const runtime::Client& engine = *device.client->engine;
  args.bytes_in_use = engine.memory_in_use(device.id);
  args.bytes_limit = engine.kind().generation.memory_bytes_per_core;
  args.has_bytes_limit = true;
  args.has_peak_bytes_in_use = args.has_allocations = args.has_largest_allocation = false;
  args.has_bytes_reserved = args.has_peak_bytes_reserved = false;
  args.has_bytes_reservable_limit = args.has_largest_free_block = false;
  args.has_pool_bytes = args.has_peak_pool_bytes = false;
}

void serve(abi::MemoryIdArgs& args) { args.id = of(args.memory).device->id; }
void serve(abi::MemoryKindArgs& args) {
  args.kind = memory_kind.data();
  args.kind_size = memory_kind.size();
}
void serve(abi::MemoryKindIdArgs& args) { args.id = 0; }
void serve(abi::MemoryDebugStringArgs& args) {
  const Memory& memory = of(args.memory);
  args.text = memory.text.c_str();
  args.text_size = memory.text.size();
}
void serve(abi::MemoryToStringArgs& args) {
  const Memory& memory = of(args.memory);
  args.text = memory.text.c_str();
  args.text_size = memory.text.size();
}
void serve(abi::MemoryDevicesArgs& args) {
  const Device& device = *of(args.memory).device;
  args.devices = &device.client->device_handles[static_cast<size_t>(device.id)];
  args.count = 1;
}

}  // namespace plugin
}  // namespace systolic::inline v0
