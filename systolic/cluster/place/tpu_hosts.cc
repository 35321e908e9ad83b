// Hosts of a TPU slice, of several slices: Kubernetes sets variables, a TPU VM asks the metadata
// server. Processes are numbered slice by slice.
#include <map>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

// Lines of tpu-env: NAME: 'value'.
std::map<std::string, std::string> read_tpu_env(const std::string& text) {
  std::map<std::string, std::string> values;
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string value(trim(std::string_view(line).substr(colon + 1)));
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') {
      value = value.substr(1, value.size() - 2);
    }
    values[std::string(trim(std::string_view(line).substr(0, colon)))] = value;
  }
  return values;
}

// Which slice of how many, and where the first one's first worker is.
struct Slices {
  int count = 1;
  int index = 0;
  std::string coordinator = {};
};

using Lookup = std::function<std::optional<std::string>(const std::string&)>;

Slices find_slices(const Variables& variables, const Lookup& value) {
  Slices slices;
  if (const auto count = value("MEGASCALE_NUM_SLICES")) {
    slices.count = variables.parse("MEGASCALE_NUM_SLICES", *count, 1);
  }
  if (const auto index = value("MEGASCALE_SLICE_ID")) {
    slices.index = variables.parse("MEGASCALE_SLICE_ID", *index);
  }
  checked_processes(variables, slices.count, slices.index, "MEGASCALE_SLICE_ID");
  slices.coordinator = value("MEGASCALE_COORDINATOR_ADDRESS").value_or("");
  return slices;
}

Place place_in(const Variables& variables, std::vector<std::string> workers, int worker,
               const std::string& worker_name, const Slices& slices) {
  const int count = static_cast<int>(workers.size());
  checked_processes(variables, count, worker, worker_name);
  if (slices.count > (1 << 20) / count) {
    raise<InvalidArgument>({.what = str(slices.count, " slices of ", count, " hosts"),
                            .wanted = "at most 1,048,576 processes"});
  }
  const std::string first = slices.coordinator.empty() ? workers.front() : slices.coordinator;
  Place place{.processes = {.count = count * slices.count, .index = worker + slices.index * count},
              .coordinator = with_port(without_port(first), coordinator_port)};
  if (place.alone()) place.coordinator.clear();
  if (slices.count == 1) place.hosts = std::move(workers);
  return place;
}

}  // namespace

std::vector<std::string> worker_endpoints(const Variables& variables, const std::string& text) {
  std::vector<std::string> hosts;
  for (const std::string& worker : split(text, ',')) {
    const std::vector<std::string> parts = split(std::string(trim(worker)), ':');
    if ((parts.size() != 1 && parts.size() != 3) || parts.back().empty()) {
      raise<InvalidArgument>({.what = str(variables.source(), "'s worker-network-endpoints"),
                              .got = str("'", worker.substr(0, 100), "'"),
                              .wanted = "HOST, or NAME:NUMBER:ADDRESS"});
    }
    hosts.push_back(parts.back());
  }
  return hosts;
}

std::optional<Place> from_kubernetes(const Variables& variables) {
  auto listed = variables.find("TPU_PROCESS_ADDRESSES");
  if (!listed) listed = variables.find("TPU_WORKER_HOSTNAMES");
  if (!listed) return std::nullopt;
  std::vector<std::string> workers;
  for (const std::string& worker : split(*listed, ',')) {
    workers.push_back(without_port(std::string(trim(worker))));
  }
  const int worker = variables.number("TPU_WORKER_ID");
  const Lookup value = [&](const std::string& name) { return variables.find(name); };
  return place_in(variables, std::move(workers), worker, "TPU_WORKER_ID",
                  find_slices(variables, value));
}

std::optional<Place> from_tpu_vm(const Variables& variables) {
  const auto number = variables.attribute("agent-worker-number");
  if (!number) return std::nullopt;
  const auto endpoints = variables.attribute("worker-network-endpoints");
  if (!endpoints) {
    raise<Unavailable>({.what = "this TPU VM's metadata has no worker-network-endpoints",
                        .hint = "the TPU is still being created: try again in a minute"});
  }
  const auto env = read_tpu_env(variables.attribute("tpu-env").value_or(""));
  const Lookup value = [&](const std::string& name) {
    if (auto variable = variables.find(name)) return variable;
    const auto found = env.find(name);
    if (found == env.end() || found->second.empty()) return std::optional<std::string>();
    return std::optional(found->second);
  };
  return place_in(variables, worker_endpoints(variables, *endpoints),
                  variables.parse("agent-worker-number", std::string(trim(*number))),
                  "agent-worker-number", find_slices(variables, value));
}

}  // namespace cluster
}  // namespace systolic::inline v0
