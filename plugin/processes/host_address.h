// Which machine this is, and how others reach it.
#pragma once

#include <string>

namespace systolic::inline v0 {
namespace plugin {

// Equal for processes of one machine in one network, and for no others.
std::string host_identity();

// The address by which this machine is seen from there: SYSTOLIC_HOST_ADDRESS where it is set, else
// that of the way to `coordinator` ("host:port"), else that of the way out of the machine; where
// there is none, 127.0.0.1. Nothing is sent.
std::string address_towards(const std::string& coordinator);

}  // namespace plugin
}  // namespace systolic::inline v0
