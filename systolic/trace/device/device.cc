#include "systolic/trace/device/device.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

thread_local int current_core = 0;

int parse_core(std::string_view name, SourceLocation location) {
  const runtime::ClientPtr client = default_client();
  const runtime::Topology& topology = client->topology();
  const std::optional<int> core = topology.find_core(name);
  if (core && topology.is_addressable(*core)) return topology.core(*core).local;
  raise<InvalidArgument>({.what = core ? str("the device '", name, "' is another process's")
                                       : str("there is no device '", name, "'"),
                          .wanted = str("/TPU:0 to /TPU:", topology.local_cores() - 1),
                          .location = location});
}

}  // namespace

std::string core_name(int local_core) {
  const runtime::ClientPtr client = default_client_if_open();
  const int process = client ? client->topology().process_index() : 0;
  return runtime::device_name({.process = process, .local = local_core});
}

DeviceScope::DeviceScope(std::string_view name, SourceLocation location)
    : previous_(std::exchange(current_core, parse_core(name, location))) {}
DeviceScope::~DeviceScope() { current_core = previous_; }
int DeviceScope::core() { return current_core; }

}  // namespace systolic::inline v0
