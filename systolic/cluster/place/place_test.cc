#include "systolic/cluster/place/place.h"

#include <gtest/gtest.h>

#include <map>

#include "systolic/base/test_errors.h"
#include "systolic/cluster/place/source.h"
#include "systolic/cluster/run_seed.h"

namespace systolic {
namespace {

using Values = std::map<std::string, std::string>;

std::function<std::optional<std::string>(const std::string&)> lookup(Values values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

cluster::Place place_of(const Values& variables, const Values& attributes = {}) {
  return cluster::find_place({.variable = lookup(variables), .attribute = lookup(attributes)});
}

// "source index/count local/on_host coordinator hosts..."
std::string described(const cluster::Place& place) {
  std::string text = str(place.source, " ", place.processes.index, "/", place.processes.count, " ",
                         place.on_host.index, "/", place.on_host.count, " ", place.coordinator);
  for (const std::string& host : place.hosts) text += " " + host;
  return text;
}

const Values open_mpi{{"OMPI_COMM_WORLD_SIZE", "4"},
                      {"OMPI_COMM_WORLD_RANK", "3"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                      {"OMPI_MCA_orte_hnp_uri", "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911"}};
const Values slurm{{"SLURM_PROCID", "5"},    {"SLURM_NTASKS", "8"},
                   {"SLURM_LOCALID", "1"},   {"SLURM_STEP_NODELIST", "node[001,007-015],host2"},
                   {"SLURM_JOB_ID", "7000"}, {"SLURM_NTASKS_PER_NODE", "4"}};
const Values kubernetes{{"TPU_WORKER_ID", "2"}, {"TPU_WORKER_HOSTNAMES", "t-0.s, t-1.s,t-2.s"}};
const char tf_config[] =
    R"({"cluster": {"worker": ["10.0.0.2:2222", "10.0.0.3:2222"]}, "task": {"type": "worker", "index": 1}})";

Values with(Values values, const Values& more) {
  for (const auto& [name, value] : more) values[name] = value;
  return values;
}

// The port of a job is jax._src.clusters' for the same variables: 1531576320 / 4096 is 373920,
// which leaves 1184 of 4096; 7000 leaves 2904.
TEST(Place, EverySourceSaysWhichProcessOfHowMany) {
  const struct {
    Values variables;
    std::string wanted;
  } cases[] = {
      {{}, " 0/1 0/1 "},
      {{{"SYSTOLIC_PROCESS_ID", "1"},
        {"SYSTOLIC_NUM_PROCESSES", "2"},
        {"SYSTOLIC_COORDINATOR_ADDRESS", "10.0.0.2:99"}},
       "Systolic 1/2 0/1 10.0.0.2:99"},
      {{{"SYSTOLIC_PROCESS_ID", "0"}, {"SYSTOLIC_NUM_PROCESSES", "1"}}, "Systolic 0/1 0/1 "},
      {{{"TF_CONFIG", tf_config}}, "TensorFlow 1/2 0/1 10.0.0.2:2222 10.0.0.2:2222 10.0.0.3:2222"},
      {{{"TF_CONFIG", "{}"}}, " 0/1 0/1 "},
      {{{"TF_CONFIG",
         R"({"cluster": {"chief": ["a"], "worker": ["b", "c"]}, "task": {"type": "worker", "index": 1}})"}},
       "TensorFlow 2/3 0/1 a:8482 a b c"},
      {{{"RANK", "3"},
        {"WORLD_SIZE", "4"},
        {"LOCAL_RANK", "1"},
        {"LOCAL_WORLD_SIZE", "2"},
        {"MASTER_ADDR", "fe80::1"},
        {"MASTER_PORT", "29500"}},
       "torchrun 3/4 1/2 [fe80::1]:29501"},
      {open_mpi, "Open MPI 3/4 1/2 10.96.0.1:62624"},
      {with(open_mpi, {{"OMPI_MCA_orte_hnp_uri", "4096.0;tcp6://[fe80::b9b,2620:10d::2]:43370"}}),
       "Open MPI 3/4 1/2 [fe80::b9b]:61441"},
      {with(open_mpi, {{"SYSTOLIC_COORDINATOR_ADDRESS", "head"}}), "Open MPI 3/4 1/2 head:8482"},
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}},
       "MPICH 1/2 1/2 127.0.0.1:8482"},
      {slurm, "Slurm 5/8 1/4 node001:64344"},
      {{{"SLURM_NTASKS", "8"}}, " 0/1 0/1 "},  // inside sbatch, before srun
      {kubernetes, "Kubernetes 2/3 0/1 t-0.s:8482 t-0.s t-1.s t-2.s"},
      {with(kubernetes, {{"TPU_PROCESS_ADDRESSES", "10.0.0.1:8476,10.0.0.2:8476,10.0.0.3:8476"}}),
       "Kubernetes 2/3 0/1 10.0.0.1:8482 10.0.0.1 10.0.0.2 10.0.0.3"},
      {with(kubernetes, {{"MEGASCALE_NUM_SLICES", "2"},
                         {"MEGASCALE_SLICE_ID", "1"},
                         {"MEGASCALE_COORDINATOR_ADDRESS", "slice0-0:8080"}}),
       "Kubernetes 5/6 0/1 slice0-0:8482"},
      {{{"TPU_WORKER_ID", "0"}, {"TPU_WORKER_HOSTNAMES", "localhost"}},
       "Kubernetes 0/1 0/1  localhost"},
  };
  for (const auto& one : cases) EXPECT_EQ(described(place_of(one.variables)), one.wanted);
}

TEST(Place, ATpuVmAsksItsMetadata) {
  const Values old_form{{"agent-worker-number", "1"},
                        {"worker-network-endpoints", "w0:8470:10.0.0.2,w1:8470:10.0.0.3"},
                        {"tpu-env", "ACCELERATOR_TYPE: 'v4-16'\nWORKER_ID: '1'\n"}};
  EXPECT_EQ(described(place_of({}, old_form)), "TPU VM 1/2 0/1 10.0.0.2:8482 10.0.0.2 10.0.0.3");
  const Values new_form = with(old_form, {{"worker-network-endpoints", "h0,h1"}});
  EXPECT_EQ(described(place_of({}, new_form)), "TPU VM 1/2 0/1 h0:8482 h0 h1");
  const Values slices = with(new_form, {{"tpu-env",
                                         "MEGASCALE_NUM_SLICES: '4'\nMEGASCALE_SLICE_ID: '3'\n"
                                         "MEGASCALE_COORDINATOR_ADDRESS: '10.9.0.1:8080'"}});
  EXPECT_EQ(described(place_of({}, slices)), "TPU VM 7/8 0/1 10.9.0.1:8482");
  EXPECT_EQ(place_of({}, new_form).worker_name(1), "worker 1 (h1)");
  EXPECT_EQ(place_of({}, slices).worker_name(7), "worker 7");
}

TEST(Place, FaultsNameTheVariable) {
  const struct {
    Values variables;
    std::string wanted;
  } cases[] = {
      {{{"SYSTOLIC_PROCESS_ID", "1"}},
       "Systolic started this process, but SYSTOLIC_NUM_PROCESSES is not set"},
      {{{"SYSTOLIC_PROCESS_ID", "x"}, {"SYSTOLIC_NUM_PROCESSES", "2"}},
       "SYSTOLIC_PROCESS_ID is no number, got 'x'"},
      {{{"SYSTOLIC_PROCESS_ID", "2"}, {"SYSTOLIC_NUM_PROCESSES", "2"}},
       "SYSTOLIC_PROCESS_ID is 2 of 2 processes, expected 0 to 1"},
      {{{"SYSTOLIC_PROCESS_ID", "0"}, {"SYSTOLIC_NUM_PROCESSES", "0"}},
       "NUM_PROCESSES is no number"},
      {{{"SYSTOLIC_PROCESS_ID", "1"}, {"SYSTOLIC_NUM_PROCESSES", "2"}},
       "SYSTOLIC_COORDINATOR_ADDRESS is not set"},
      {{{"RANK", "99999999999"}, {"WORLD_SIZE", "4"}}, "RANK is no number"},
      {with(open_mpi, {{"OMPI_MCA_orte_hnp_uri", "none"}}), "has no address, got 'none'"},
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}},
       "does not say on which process 0 is"},
      {with(slurm, {{"SLURM_JOB_ID", "seven"}}), "SLURM_JOB_ID is no number"},
      {with(kubernetes, {{"TPU_WORKER_ID", "3"}}), "TPU_WORKER_ID is 3 of 3 processes"},
      {with(kubernetes, {{"MEGASCALE_NUM_SLICES", "999999999"}}), "at most 1,048,576"},
      {{{"TF_CONFIG", "{"}}, "TF_CONFIG: it is no JSON"},
      {{{"TF_CONFIG", R"({"cluster": []})"}}, "cluster is no object"},
      {{{"TF_CONFIG", R"({"cluster": {"ps": ["a"]}, "task": {}})"}}, "cluster names no worker"},
      {{{"TF_CONFIG", R"({"cluster": {"worker": ["a"]}, "task": {}})"}}, "task has no type"},
      {{{"TF_CONFIG", R"({"cluster": {"worker": [1]}, "task": {"type": "worker", "index": 0}})"}},
       "holds what is no text"},
  };
  for (const auto& one : cases) {
    EXPECT_CONTAINS(error_of([&] { place_of(one.variables); }), one.wanted);
  }
  EXPECT_CONTAINS(
      error_of([&] {
        place_of({}, {{"agent-worker-number", "0"}, {"worker-network-endpoints", "a:b"}});
      }),
      "got 'a:b', expected HOST, or NAME:NUMBER:ADDRESS");
  EXPECT_CONTAINS(error_of([&] {
                    place_of({}, {{"agent-worker-number", "0"}});
                  }),
                  "no worker-network-endpoints");
}

TEST(Place, PortsOfAddresses) {
  const struct {
    std::string address, with_port, without;
  } cases[] = {{"host", "host:7", "host"},
               {"host:5", "host:5", "host"},
               {"10.0.0.1:5", "10.0.0.1:5", "10.0.0.1"},
               {"fe80::1", "[fe80::1]:7", "fe80::1"},
               {"[fe80::1]", "[fe80::1]:7", "fe80::1"},
               {"[fe80::1]:5", "[fe80::1]:5", "fe80::1"}};
  for (const auto& one : cases) {
    EXPECT_EQ(cluster::with_port(one.address, 7), one.with_port);
    EXPECT_EQ(cluster::without_port(one.address), one.without);
  }
}

std::optional<uint64_t> run_seed_of(const Values& variables) {
  return cluster::run_seed({.variable = lookup(variables), .attribute = lookup({})});
}

TEST(RunSeed, IsOneForAllProcessesOfARunAndAnotherForEachRun) {
  struct Case {
    Values values;
    const char *index, *of_run;  // variables
  };
  const Values pod{{"SYSTOLIC_PROCESS_ID", "0"},
                   {"SYSTOLIC_NUM_PROCESSES", "4"},
                   {"SYSTOLIC_COORDINATOR_ADDRESS", "127.0.0.1:4000"},
                   {"SYSTOLIC_CLUSTER_TOKEN", "a"}};
  for (const Case& c : {Case{pod, "SYSTOLIC_PROCESS_ID", "SYSTOLIC_CLUSTER_TOKEN"},
                        Case{slurm, "SLURM_PROCID", "SLURM_JOB_ID"},
                        Case{open_mpi, "OMPI_COMM_WORLD_RANK", "OMPI_MCA_ess_base_jobid"}}) {
    const auto seed = run_seed_of(c.values);
    ASSERT_TRUE(seed) << c.index;
    for (const char* index : {"0", "1"})
      EXPECT_EQ(run_seed_of(with(c.values, {{c.index, index}})), seed) << c.index;
    EXPECT_NE(run_seed_of(with(c.values, {{c.of_run, "99"}})), seed) << c.of_run;
  }
  EXPECT_EQ(run_seed_of({}), std::nullopt);
  EXPECT_EQ(run_seed_of(with(pod, {{"SYSTOLIC_NUM_PROCESSES", "many"}})), std::nullopt);
}

}  // namespace
}  // namespace systolic
