// Initializing the TPU system and naming its cores (tf.tpu.experimental, tf.config).
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/distribute/cluster_resolver.h"

namespace systolic::inline v0 {

// Opens the cores that the resolver names; programs run there from now on. A second call frees
// everything that lived on the system: using variables and Tensors made before is then an error.
void initialize_tpu_system(const TPUClusterResolver& resolver);

// Accepted for programs translated from TensorFlow: one process has no cluster to connect to.
inline void experimental_connect_to_cluster(const TPUClusterResolver&) {}

struct LogicalDevice {
  std::string name;         // "/job:worker/replica:0/task:0/device:TPU:0"
  std::string device_type;  // "TPU"
};
// "LogicalDevice(name='/job:worker/replica:0/task:0/device:TPU:0', device_type='TPU')"
std::string to_string(const LogicalDevice& device);
std::ostream& operator<<(std::ostream& out, const LogicalDevice& device);

// The devices of the system in use, process by process: its cores for "TPU", its hosts for "CPU".
std::vector<LogicalDevice> list_logical_devices(std::string_view device_type = "TPU");

}  // namespace systolic::inline v0
