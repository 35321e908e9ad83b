// Gloo for the plugin, from a library of its own beside it: a process that is alone needs none.
#pragma once

#include "backends/gloo/mesh/open_mesh.h"

namespace systolic::inline v0 {
namespace plugin {

// gloo_peers::open_mesh of libsystolic_pjrt_peers.so, which lies where the plugin lies. NotFound
// where it does not, or where it needs Gloo's own library and that is missing.
runtime::PeersPtr open_mesh_of_library(const gloo_peers::MeshOptions& options);

// What that library exports, as "systolic_open_mesh": `error` is empty, or why there are no peers.
using OpenMesh = void (*)(const gloo_peers::MeshOptions& options, runtime::PeersPtr& peers,
                          std::string& error);

}  // namespace plugin
}  // namespace systolic::inline v0
