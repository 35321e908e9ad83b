#include "systolic/cluster/place/place.h"

#include "systolic/base/error.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

// Nearest first: what was said for this program stands before what a cluster says of its hosts.
constexpr struct {
  const char* name;
  Source find;
} sources[] = {
    {"Systolic", from_systolic},     {"TensorFlow", from_tf_config}, {"torchrun", from_torchrun},
    {"Open MPI", from_open_mpi},     {"MPICH", from_mpich},          {"Slurm", from_slurm},
    {"Kubernetes", from_kubernetes}, {"TPU VM", from_tpu_vm},
};

std::optional<std::string> stated_coordinator(const Surroundings& surroundings) {
  if (auto address = surroundings.variable("SYSTOLIC_COORDINATOR_ADDRESS")) return address;
  return surroundings.variable("JAX_COORDINATOR_ADDRESS");
}

}  // namespace

std::string Place::worker_name(int process) const {
  std::string name = str("worker ", process);
  const auto host = static_cast<size_t>(process);
  return host < hosts.size() ? str(name, " (", hosts[host], ")") : name;
}

Place find_place(const Surroundings& surroundings) {
  for (const auto& source : sources) {
    std::optional<Place> place = source.find(Variables(surroundings, source.name));
    if (!place) continue;
    place->source = source.name;
    if (place->alone()) return *place;
    if (const auto address = stated_coordinator(surroundings)) {
      place->coordinator = with_port(*address, coordinator_port);
    }
    return *place;
  }
  return {};
}

}  // namespace cluster
}  // namespace systolic::inline v0
