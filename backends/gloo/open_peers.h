// Processes that exchange arrays through Gloo (github.com/facebookincubator/gloo): TCP between each
// two of them, in rings. What travels is not encrypted: a network of one's own, or a tunnel.
#pragma once

#include <memory>

#include "systolic/cluster/coordination.h"
#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace gloo_peers {

// Connects the processes of a run; all call it, once. They find each other through the run's keys,
// at the addresses by which they reach the coordination service. Unavailable where they do not
// connect within `seconds`; Unimplemented in a build without Gloo.
runtime::PeersPtr open_peers(std::shared_ptr<cluster::Coordination> run, double seconds = 60);

}  // namespace gloo_peers
}  // namespace systolic::inline v0
