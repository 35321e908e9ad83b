// The client: one engine, its cores as devices with a memory each.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/handle.h"
#include "plugin/meeting.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace plugin {

inline constexpr std::string_view platform = "systolic";
inline constexpr std::string_view memory_kind = "device";

struct Memory {
  Device* device = nullptr;
  std::string text;
};

struct Device {
  Client* client = nullptr;
  int id = 0;
  std::string kind, text;
  Memory memory;
};

struct Topology {
  Client* client = nullptr;
};

struct Client {
  Client(std::string_view tpu, int cores, std::chrono::seconds wait);

  // The engine that runs per-core programs on so many cores; global ones run on `engine`.
  runtime::ClientPtr engine_of(int64_t cores);
  Device& device(int64_t id);
  // Of all loaded programs that are the same one: callers may load it once for each device.
  std::shared_ptr<Meeting> meeting_of(const std::string& key, size_t devices);

  runtime::ClientPtr engine;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<abi::Device*> device_handles;
  std::vector<abi::Memory*> memory_handles;
  std::string version;
  // Of a device that is run by itself, for others that its program needs.
  const std::chrono::seconds longest_wait;
  Topology topology;

 private:
  std::mutex mutex_;
  std::map<int64_t, runtime::ClientPtr> engines_;
  std::map<std::string, std::weak_ptr<Meeting>> meetings_;
};

// The device that a call names, by itself or by its memory.
Device& device_of(abi::Device* device, abi::Memory* memory);

}  // namespace plugin
}  // namespace systolic::inline v0
