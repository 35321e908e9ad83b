#include "systolic/distribute/tpu_system.h"

#include <ostream>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {

namespace {

std::string backend_of(const TPUClusterResolver& resolver) {
  if (resolver.is_remote()) return resolver.tpu();
  return resolver.must_be_tpu() ? "tpu" : "";
}

}  // namespace

void initialize_tpu_system(const TPUClusterResolver& resolver) {
  const runtime::ClientPtr client =
      runtime::open_client({.backend = backend_of(resolver),
                            .tpu = resolver.may_be_tpu() ? "" : resolver.kind(),
                            .cores = resolver.cores(),
                            .announce = true});
  // The system that was opened at first use counts as well: what lives there is of no use here.
  if (const runtime::ClientPtr previous = set_default_client(client)) {
    log_info("Deallocate tpu buffers before initializing tpu system.");
    previous->reset();
  }
  log_info(str("Initializing the TPU system: ", resolver.master()));
  log_info(str("Finished initializing TPU system: ", client->platform(), " ", client->kind().name,
               ", ", client->cores(), client->cores() == 1 ? " core." : " cores."));
}

std::string to_string(const LogicalDevice& device) {
  return str("LogicalDevice(name='", device.name, "', device_type='", device.device_type, "')");
}

std::ostream& operator<<(std::ostream& out, const LogicalDevice& device) {
  return out << to_string(device);
}

std::vector<LogicalDevice> list_logical_devices(std::string_view device_type) {
  std::vector<LogicalDevice> devices;
  const bool hosts = device_type == "CPU", cores = device_type == "TPU";
  if (!hosts && !cores) return devices;
  const runtime::ClientPtr client = cores ? default_client() : default_client_if_open();
  const runtime::Topology topology = client ? client->topology() : runtime::Topology();
  for (int process = 0; process < topology.num_processes(); ++process) {
    if (hosts) devices.push_back({topology.host_name(process), "CPU"});
    if (!cores) continue;
    for (int core : topology.cores_of(process)) {
      devices.push_back({topology.device_name(core), "TPU"});
    }
  }
  return devices;
}

}  // namespace systolic::inline v0
