// What a plugin needs where its devices are those of several processes: how it is opened, and the
// form of programs there.
#pragma once

#include <string>

#include "backends/pjrt/device_client.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/shared_keys.h"

namespace systolic::inline v0 {
namespace pjrt {

// The run that this process is one of; without keys it is alone.
struct PluginRun {
  runtime::SharedKeysPtr keys = {};
  runtime::Processes on_host = {};  // among the processes of this machine
};

// How the plugin of this path is opened. libtpu finds the other hosts by itself, from its
// environment or the metadata server; others are told by num_nodes, node_id and the keys, as JAX
// tells them. A CUDA plugin takes one GPU where several processes share a machine.
ClientCreateOptions create_options(const std::string& path, const PluginRun& run);

// FailedPrecondition where the plugin did not bring together the processes that the run has.
void check_processes(const DeviceClient& client, const PluginRun& run);

// The program with every result whole in each process, but for those that take the memory of an
// argument: a process cannot read what another one holds.
ir::Module with_whole_results(ir::Module module);

}  // namespace pjrt
}  // namespace systolic::inline v0
