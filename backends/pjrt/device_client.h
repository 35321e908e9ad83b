// A plugin's client: its devices, copies to them, its compiler.
//
//   auto client = DeviceClient::create(Plugin::load(path));
//   DeviceBuffer x = client->copy(Literal::of<float>({1, 2}), 0);
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/pjrt/api/device.h"
#include "backends/pjrt/api/handle.h"
#include "backends/pjrt/api/plugin.h"
#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/device_buffer.h"
#include "backends/pjrt/loaded_program.h"
#include "systolic/core/literal.h"
#include "systolic/runtime/shared_keys.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace pjrt {

struct ClientCreateOptions {
  Values values = {};  // the plugin's own: "allocator", "memory_fraction", ...
  double deadline_seconds = 120;
  // Where the devices are those of several processes: what the plugin finds the others by.
  runtime::SharedKeysPtr keys = {};
};

class DeviceClient : public std::enable_shared_from_this<DeviceClient> {
 public:
  // Takes the devices. A plugin without any is an Unavailable; DeadlineExceeded names what hangs.
  static std::shared_ptr<DeviceClient> create(PluginPtr plugin,
                                              const ClientCreateOptions& options = {});

  const PluginPtr& plugin() const { return plugin_; }
  const ApiPtr& api() const { return plugin_->api(); }
  const std::string& platform_name() const { return platform_name_; }        // "tpu", "cuda"
  const std::string& platform_version() const { return platform_version_; }  // for people
  abi::Client* get() const { return handle_.get(); }

  struct Device {
    abi::Device* device = nullptr;
    DeviceDescription description;
  };
  // The devices that this process may use, by id.
  const std::vector<Device>& devices() const { return devices_; }
  // The devices of all processes as cores, in the order of their ids; and the id of each.
  const runtime::Topology& topology() const { return topology_; }
  const std::vector<int>& device_ids() const { return device_ids_; }

  // A copy of the array, on its way to the device. The literal, and memory that it wraps, may
  // change afterwards.
  DeviceBuffer copy(const Literal& literal, size_t device) const;

  // StableHLO text or bytecode; `options` from serialize().
  std::shared_ptr<LoadedProgram> compile(std::string_view program,
                                         const std::string& options) const;
  // Loads what CompiledProgram::serialize() gave, from the same version of the same plugin.
  std::shared_ptr<LoadedProgram> load(std::string_view serialized) const;

 private:
  DeviceClient(PluginPtr plugin, runtime::SharedKeysPtr keys, ClientHandle handle);
  void list_devices();
  void list_all_processes();
  static std::shared_ptr<DeviceClient> create_now(const PluginPtr& plugin,
                                                  const ClientCreateOptions& options,
                                                  class Phase& phase);

  PluginPtr plugin_;
  runtime::SharedKeysPtr keys_;  // which the plugin calls as long as the client lives
  ClientHandle handle_;
  std::string platform_name_, platform_version_;
  std::vector<Device> devices_;
  std::vector<int> device_ids_;
  runtime::Topology topology_;
};
using DeviceClientPtr = std::shared_ptr<const DeviceClient>;

}  // namespace pjrt
}  // namespace systolic::inline v0
