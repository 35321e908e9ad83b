// The client: one engine, whose cores are devices with a memory each.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/handle.h"
#include "plugin/meeting.h"
#include "plugin/processes/process_groups.h"
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
  runtime::Topology::Core core;
  bool is_addressable() const;
  std::string kind, text;
  Memory memory;
};

struct TopologyDescription {
  Client* client = nullptr;
};

struct Client {
  Client(std::string_view tpu, int cores, std::chrono::seconds wait);
  // One of several processes, whose devices are the cores of all. Each computes its share of a
  // program, or the whole: the engine has all cores.
  Client(std::string_view tpu, std::shared_ptr<ProcessGroups> processes, std::chrono::seconds wait);
  Client(runtime::ClientPtr engine, std::chrono::seconds wait);

  // The engine that runs per-core programs on this many cores; global ones run on `engine`.
  runtime::ClientPtr engine_of(int64_t cores);
  Device& device(int64_t id);
  // InvalidArgument where it is another process's.
  Device& addressable_device(int64_t local_hardware_id);
  // Shared by all loads of one program: callers may load it once for each device.
  std::shared_ptr<Meeting> meeting_of(const std::string& key, size_t devices);

  // The processes that hold devices; ids are its cores' numbers.
  const runtime::Topology& topology() const { return topology_; }
  // Null for a process that is alone.
  ProcessGroups* processes() const { return processes_.get(); }

  runtime::ClientPtr engine;
  std::vector<std::unique_ptr<Device>> devices;  // of all processes
  std::vector<abi::Device*> device_handles;
  std::vector<abi::Device*> addressable_handles;  // of this process, by local hardware id
  std::vector<abi::Memory*> memory_handles;       // of those
  std::string version;
  // How long a device that is run by itself waits for others that its program needs.
  const std::chrono::seconds longest_wait;
  TopologyDescription description;  // of the topology

 private:
  Client(runtime::ClientPtr engine, runtime::Topology topology,
         std::shared_ptr<ProcessGroups> processes, std::chrono::seconds wait);

  const std::shared_ptr<ProcessGroups> processes_;
  const runtime::Topology topology_;
  std::mutex mutex_;
  std::map<int64_t, runtime::ClientPtr> engines_;
  std::map<std::string, std::weak_ptr<Meeting>> meetings_;
};

// The device that a call names, by itself or by its memory.
Device& device_of(abi::Device* device, abi::Memory* memory);

}  // namespace plugin
}  // namespace systolic::inline v0
