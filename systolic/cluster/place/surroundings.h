// What a process can read of its surroundings: environment variables and, on a TPU VM, the
// attributes that the metadata server holds of it. Tests give their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace systolic::inline v0 {
namespace cluster {

struct Surroundings {
  // An environment variable's value; nothing where it is not set or is empty.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  // instance/attributes/NAME of the metadata server; nothing where there is no server or attribute.
  // (cloud.google.com/compute/docs/metadata)
  std::function<std::optional<std::string>(const std::string& name)> attribute;
};

// This process's environment, and the metadata server where this machine is a TPU VM: where
// /dev/accel* or /dev/vfio/* is, or GCE_METADATA_IP names a server, unless TPU_SKIP_MDS_QUERY is
// set. Other machines never wait for a server that does not answer.
Surroundings this_machine();

}  // namespace cluster
}  // namespace systolic::inline v0
