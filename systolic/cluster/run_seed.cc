#include "systolic/cluster/run_seed.h"

#include <string>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/cluster/place/place.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

constexpr const char* names_of_runs[] = {"SYSTOLIC_CLUSTER_TOKEN",
                                         "TORCHELASTIC_RUN_ID",
                                         "TORCHELASTIC_RESTART_COUNT",
                                         "OMPI_MCA_ess_base_jobid",
                                         "PMIX_NAMESPACE",
                                         "SLURM_JOB_ID",
                                         "SLURM_STEP_ID"};

// FNV-1a: the same on every machine.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::optional<uint64_t> run_seed(const Surroundings& surroundings) try {
  const Place place = find_place(surroundings);
  if (place.alone()) return std::nullopt;
  std::string text = str(place.processes.count, " at ", place.coordinator);
  for (const char* name : names_of_runs) text += "\n" + surroundings.variable(name).value_or("");
  return hash_of(text);
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace cluster
}  // namespace systolic::inline v0
