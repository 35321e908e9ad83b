#include "backends/pjrt/api/topology_description.h"

#include <utility>

#include "backends/pjrt/api/program_text.h"

namespace systolic::inline v0 {
namespace pjrt {

TopologyDescription::TopologyDescription(PluginPtr plugin, const std::string& name,
                                         const Values& options)
    : plugin_(std::move(plugin)) {
  const std::vector<abi::NamedValue> given = named_values(options);
  abi::TopologyCreateArgs args{};
  args.name = name.c_str();
  args.name_size = name.size();
  args.options = given.data();
  args.option_count = given.size();
  plugin_->api()->call(args);
  handle_ = TopologyHandle(plugin_->api(), args.topology);
}

std::vector<DeviceDescription> TopologyDescription::devices() const {
  abi::TopologyDevicesArgs args{};
  args.topology = handle_.get();
  handle_.api().call(args);
  std::vector<DeviceDescription> result;
  for (size_t i = 0; i < args.count; ++i) {
    result.push_back(describe(handle_.api(), args.descriptions[i]));
  }
  return result;
}

std::string TopologyDescription::platform_version() const {
  abi::TopologyPlatformVersionArgs args{};
  args.topology = handle_.get();
  handle_.api().call(args);
  return text_of(args.version, args.version_size);
}

CompiledProgram TopologyDescription::compile(std::string_view program,
                                             const std::string& options) const {
  std::string code(program);
  abi::ProgramText text = mlir_text(code);
  abi::CompileArgs args{};
  args.topology = handle_.get();
  args.program = &text;
  args.options = options.data();
  args.options_size = options.size();
  handle_.api().call(args);
  return CompiledProgram(handle_.api_ptr(), args.executable);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
