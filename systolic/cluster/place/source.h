// One way to learn a process's place: each launcher leaves its own variables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/cluster/place/place.h"
#include "systolic/cluster/place/surroundings.h"

namespace systolic::inline v0 {
namespace cluster {

// The variables of one source, which raise errors that name them.
class Variables {
 public:
  Variables(const Surroundings& surroundings, std::string source)
      : surroundings_(surroundings), source_(std::move(source)) {}

  const std::string& source() const { return source_; }
  std::optional<std::string> find(const std::string& name) const {
    return surroundings_.variable(name);
  }
  std::optional<std::string> attribute(const std::string& name) const {
    return surroundings_.attribute(name);
  }
  // A variable that must be there beside those that were.
  std::string text(const std::string& name) const;
  // A whole number of at least `least`; the default where there is one and the variable is not set.
  int number(const std::string& name, int least = 0) const;
  int number_or(const std::string& name, int otherwise, int least = 0) const;
  // `value`, which the variable or attribute `name` holds, as a number.
  int parse(const std::string& name, const std::string& value, int least = 0) const;
  // Count and index from two variables; InvalidArgument unless 0 <= index < count.
  runtime::Processes processes(const std::string& count, const std::string& index) const;

 private:
  const Surroundings& surroundings_;
  std::string source_;
};

// An index that no process has: `index_name` is the variable that holds it.
runtime::Processes checked_processes(const Variables& variables, int count, int index,
                                     const std::string& index_name);

// Nothing where this source did not start the process.
using Source = std::optional<Place> (*)(const Variables&);

std::optional<Place> from_systolic(const Variables& variables);
std::optional<Place> from_tf_config(const Variables& variables);
std::optional<Place> from_torchrun(const Variables& variables);
std::optional<Place> from_open_mpi(const Variables& variables);
std::optional<Place> from_mpich(const Variables& variables);
std::optional<Place> from_slurm(const Variables& variables);
std::optional<Place> from_kubernetes(const Variables& variables);
std::optional<Place> from_tpu_vm(const Variables& variables);

// The first host of Slurm's compressed list: "node001" of "node[001,007-015],host2".
std::string first_slurm_host(const std::string& node_list);
// The launcher's address in OMPI_MCA_orte_hnp_uri; nothing where it has none.
std::optional<std::string> open_mpi_launcher(const std::string& uri);
// The hosts of worker-network-endpoints, in both of its forms: "name:id:address" and "host".
std::vector<std::string> worker_endpoints(const Variables& variables, const std::string& text);
// `host` with a port, unless it has one: "[fe80::1]:8482" of an IPv6 address.
std::string with_port(const std::string& host, int port);
// `host` without its port.
std::string without_port(const std::string& address);

}  // namespace cluster
}  // namespace systolic::inline v0
