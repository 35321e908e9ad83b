// Devices that need not exist: a compiler that runs anywhere.
//
//   TopologyDescription topology(plugin, "v5e:2x4");
//   CompiledProgram program = topology.compile(text, serialize({.partitions = 8}));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/pjrt/api/compiled_program.h"
#include "backends/pjrt/api/device.h"
#include "backends/pjrt/api/named_value.h"
#include "backends/pjrt/api/plugin.h"

namespace systolic::inline v0 {
namespace pjrt {

class TopologyDescription {
 public:
  // `name` as the plugin has it: TpuKind::topology for libtpu. An unknown one is the plugin's
  // error, as is an option that it does not know.
  TopologyDescription(PluginPtr plugin, const std::string& name, const Values& options = {});

  std::vector<DeviceDescription> devices() const;
  std::string platform_version() const;
  // As DeviceClient::compile, but the result cannot run here.
  CompiledProgram compile(std::string_view program, const std::string& options) const;

 private:
  PluginPtr plugin_;
  TopologyHandle handle_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
