// The address under which the other processes reach this one.
#pragma once

#include <string>

namespace systolic::inline v0 {
namespace gloo_peers {

// The address of the interface by which `coordinator`, "host:port", is reached. Unavailable where
// its name has no address or there is no way to it.
std::string own_address(const std::string& coordinator);

}  // namespace gloo_peers
}  // namespace systolic::inline v0
