// A plugin as a backend.
//
//   runtime::ClientPtr client = pjrt::open_client("/opt/tpu/libtpu.so");
#pragma once

#include <string>

#include "backends/pjrt/device_client.h"
#include "backends/pjrt/processes.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace pjrt {

// Loads the plugin and takes its devices; programs use the first `cores` of them (0: all). A plugin
// that cannot be opened is an error that says why: no other backend takes its place. Clients of one
// plugin that exist at the same time share its devices.
//
// In a `run` of several processes programs use the devices of all, and `cores` is 0 or how many
// each process has. Every process compiles the same programs in the same order:
// FailedPrecondition names the first that brings another one.
runtime::ClientPtr open_client(const std::string& path, int cores = 0, const PluginRun& run = {});

// The kind that devices of this name are: "TPU v3" is v3-8 for eight of them. Devices that are not
// TPUs form a kind of their own, with `memory_bytes` each.
TpuKind kind_of(const std::string& device_kind, int devices, int64_t memory_bytes);

}  // namespace pjrt
}  // namespace systolic::inline v0
