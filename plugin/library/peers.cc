// The one function of libsystolic_pjrt_peers.so.
#include "backends/gloo/mesh/open_mesh.h"
#include "systolic/base/error.h"

extern "C" __attribute__((visibility("default"))) void systolic_open_mesh(
    const systolic::gloo_peers::MeshOptions& options, systolic::runtime::PeersPtr& peers,
    std::string& error) {
  try {
    peers = systolic::gloo_peers::open_mesh(options);
  } catch (const systolic::Error& failed) {
    error = failed.report().what;
  } catch (const std::exception& failed) {
    error = failed.what();
  }
}
