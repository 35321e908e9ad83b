// Processes that exchange arrays through Gloo (github.com/facebookincubator/gloo): TCP between each
// two of them, in rings. What travels is not encrypted: a network of one's own, or a tunnel.
//
//   const runtime::PeersPtr peers = gloo_peers::open_mesh(
//       {.processes = {2, 0}, .address = "10.0.0.2", .put = put, .get = get});
#pragma once

#include <functional>
#include <string>

#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace gloo_peers {

struct MeshOptions {
  runtime::Processes processes = {};
  std::string address = {};          // of this process, as the others reach it
  double connect_seconds = 60;       // until all are connected
  double exchange_seconds = 86'400;  // that one waits for another in an exchange
  // Keys that all processes see, by which they find each other; `get` waits, and raises after so
  // many seconds.
  std::function<void(const std::string& key, const std::string& value)> put = {};
  std::function<std::string(const std::string& key, double seconds)> get = {};
  // What Peers::agree does; Unimplemented without.
  std::function<void(const std::string& name, const std::string& value)> agree = {};
  // Why an exchange broke, of which Gloo says only an address; its own words without.
  std::function<std::string(const std::string& of_gloo)> reason = {};
};

// All processes call it, once. Unavailable where they do not connect in time.
runtime::PeersPtr open_mesh(MeshOptions options);

}  // namespace gloo_peers
}  // namespace systolic::inline v0
