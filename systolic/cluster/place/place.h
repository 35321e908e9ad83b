// Which process of how many this one is, and where process 0 answers: read from what started it.
//
//   const cluster::Place place = cluster::find_place();   // under `mpirun -n 4`, in process 2:
//   place.processes;     // {.count = 4, .index = 2}
//   place.coordinator;   // "10.0.0.2:62312"
//   place.source;        // "Open MPI"
//
// A program that nothing started as one of several is process 0 of 1.
#pragma once

#include <string>
#include <vector>

#include "systolic/cluster/place/surroundings.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace cluster {

// The port on which process 0's coordination service listens where no source names another.
inline constexpr int coordinator_port = 8482;

struct Place {
  runtime::Processes processes = {};  // how many, and which of them this one is
  runtime::Processes on_host = {};    // the same among those of this host
  std::string coordinator = {};       // "host:port" of process 0; empty for a process that is alone
  std::vector<std::string> hosts = {};  // of each process, where the source lists them; else empty
  std::string source = {};              // who said so: "Slurm"; empty where nobody did

  bool alone() const { return processes.count == 1; }
  // "worker 2", with its host where that is known: "worker 2 (10.0.0.3)".
  std::string worker_name(int process) const;
};

// Asks the sources in turn; the first that is there answers:
//
//   Systolic        SYSTOLIC_PROCESS_ID, SYSTOLIC_NUM_PROCESSES, SYSTOLIC_COORDINATOR_ADDRESS
//   TensorFlow      TF_CONFIG (tensorflow.org/guide/distributed_training, "TF_CONFIG")
//   torchrun        RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT
//   Open MPI        OMPI_COMM_WORLD_..., OMPI_MCA_orte_hnp_uri
//   MPICH           PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS
//   Slurm           SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID, SLURM_STEP_NODELIST, SLURM_JOB_ID
//   Kubernetes      TPU_WORKER_ID, TPU_PROCESS_ADDRESSES or TPU_WORKER_HOSTNAMES, MEGASCALE_...
//   TPU VM          the metadata server's agent-worker-number, worker-network-endpoints, tpu-env
//
// SYSTOLIC_COORDINATOR_ADDRESS, or JAX_COORDINATOR_ADDRESS, replaces the address that a source
// gives. InvalidArgument that names the variable where one is missing beside its like, is no
// number, or names a process that there is not.
Place find_place(const Surroundings& surroundings = this_machine());

}  // namespace cluster
}  // namespace systolic::inline v0
