// Programs that start processes side by side: our own, torchrun, Open MPI, MPICH, Slurm.
#include <cstdlib>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

// A port from a job's number, one of the last 4,096, so that two jobs on one host seldom meet.
int port_of_job(int64_t job) { return static_cast<int>(job % 4096) + 65536 - 4096; }

runtime::Processes on_host(const Variables& variables, const std::string& count,
                           const std::string& index) {
  const int own = variables.number_or(index, 0);
  return {.count = std::max(variables.number_or(count, own + 1, 1), own + 1), .index = own};
}

}  // namespace

std::optional<Place> from_systolic(const Variables& variables) {
  if (!variables.find("SYSTOLIC_PROCESS_ID") && !variables.find("SYSTOLIC_NUM_PROCESSES")) {
    return std::nullopt;
  }
  Place place{
      .processes = variables.processes("SYSTOLIC_NUM_PROCESSES", "SYSTOLIC_PROCESS_ID"),
      .on_host = on_host(variables, "SYSTOLIC_LOCAL_PROCESSES", "SYSTOLIC_LOCAL_PROCESS_ID")};
  if (!place.alone()) place.coordinator = variables.text("SYSTOLIC_COORDINATOR_ADDRESS");
  return place;
}

std::optional<Place> from_torchrun(const Variables& variables) {
  if (!variables.find("RANK") || !variables.find("WORLD_SIZE")) return std::nullopt;
  Place place{.processes = variables.processes("WORLD_SIZE", "RANK"),
              .on_host = on_host(variables, "LOCAL_WORLD_SIZE", "LOCAL_RANK")};
  if (place.alone()) return place;
  // torchrun's own store listens on MASTER_PORT.
  const int port = variables.number("MASTER_PORT", 1) + 1;
  place.coordinator = with_port(variables.text("MASTER_ADDR"), port);
  return place;
}

std::optional<std::string> open_mpi_launcher(const std::string& uri) {
  for (const auto& [start, ends] : {std::pair("tcp://", ",:"), std::pair("tcp6://[", ",]")}) {
    const size_t found = uri.find(start);
    if (found == std::string::npos) continue;
    const size_t first = found + std::string_view(start).size();
    const size_t end = uri.find_first_of(ends, first);
    if (end != std::string::npos && end > first) return uri.substr(first, end - first);
  }
  return std::nullopt;
}

std::optional<Place> from_open_mpi(const Variables& variables) {
  if (!variables.find("OMPI_COMM_WORLD_RANK")) return std::nullopt;
  Place place{
      .processes = variables.processes("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
      .on_host = on_host(variables, "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK")};
  if (place.alone() || variables.find("SYSTOLIC_COORDINATOR_ADDRESS")) return place;
  const std::string uri = variables.text("OMPI_MCA_orte_hnp_uri");
  const auto launcher = open_mpi_launcher(uri);
  if (!launcher) {
    raise<InvalidArgument>({.what = "Open MPI's OMPI_MCA_orte_hnp_uri has no address",
                            .got = str("'", uri.substr(0, 200), "'"),
                            .hint = "set SYSTOLIC_COORDINATOR_ADDRESS to process 0's host:port"});
  }
  // A job's number is a multiple of 4,096.
  const int64_t job = std::strtoll(uri.c_str(), nullptr, 10);
  place.coordinator = with_port(*launcher, port_of_job(std::max<int64_t>(job, 0) / 4096));
  return place;
}

std::optional<Place> from_mpich(const Variables& variables) {
  if (!variables.find("PMI_RANK") || !variables.find("PMI_SIZE")) return std::nullopt;
  Place place{.processes = variables.processes("PMI_SIZE", "PMI_RANK"),
              .on_host = on_host(variables, "MPI_LOCALNRANKS", "MPI_LOCALRANKID")};
  if (place.alone() || variables.find("SYSTOLIC_COORDINATOR_ADDRESS")) return place;
  if (place.processes.count > place.on_host.count) {
    raise<InvalidArgument>(
        {.what = "MPICH started processes on several hosts and does not say on which process 0 is",
         .hint =
             "mpirun -genv SYSTOLIC_COORDINATOR_ADDRESS=HOST:PORT ..., HOST being process 0's"});
  }
  place.coordinator = with_port("127.0.0.1", coordinator_port);
  return place;
}

std::string first_slurm_host(const std::string& node_list) {
  const size_t end = node_list.find_first_of(",[");
  std::string host = node_list.substr(0, end);
  if (end == std::string::npos || node_list[end] == ',') return host;
  const std::string numbers = node_list.substr(end + 1);
  return host + numbers.substr(0, numbers.find_first_of(",-]"));
}

std::optional<Place> from_slurm(const Variables& variables) {
  if (!variables.find("SLURM_PROCID") || !variables.find("SLURM_STEP_NODELIST")) {
    return std::nullopt;  // SLURM_NTASKS alone: inside sbatch, but not started by srun
  }
  Place place{.processes = variables.processes("SLURM_NTASKS", "SLURM_PROCID"),
              .on_host = on_host(variables, "SLURM_NTASKS_PER_NODE", "SLURM_LOCALID")};
  if (place.alone()) return place;
  const int64_t job = variables.number("SLURM_JOB_ID");
  place.coordinator =
      with_port(first_slurm_host(variables.text("SLURM_STEP_NODELIST")), port_of_job(job));
  return place;
}

}  // namespace cluster
}  // namespace systolic::inline v0
