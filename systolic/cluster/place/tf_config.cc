// TF_CONFIG, as TensorFlow's MultiWorkerMirroredStrategy reads it:
//   {"cluster": {"worker": ["10.0.0.2:2222", "10.0.0.3:2222"]},
//    "task": {"type": "worker", "index": 0}}
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

[[noreturn]] void refuse_tf_config(const std::string& what) {
  raise<InvalidArgument>(
      {.what = str("TF_CONFIG: ", what),
       .wanted =
           R"({"cluster": {"worker": ["HOST:PORT", ...]}, "task": {"type": "worker", "index": 0}})"});
}

// The chief, where there is one, is process 0; the workers follow.
std::vector<std::string> tf_workers(const nlohmann::json& cluster) {
  std::vector<std::string> workers;
  for (const char* job : {"chief", "worker"}) {
    const auto found = cluster.find(job);
    if (found == cluster.end()) continue;
    if (!found->is_array()) refuse_tf_config(str("cluster.", job, " is no list"));
    for (const auto& address : *found) {
      if (!address.is_string()) refuse_tf_config(str("cluster.", job, " holds what is no text"));
      workers.push_back(address.get<std::string>());
    }
  }
  if (workers.empty()) refuse_tf_config("cluster names no worker");
  return workers;
}

int tf_index(const nlohmann::json& cluster, const nlohmann::json& task) {
  const auto type = task.find("type");
  const auto index = task.find("index");
  if (type == task.end() || !type->is_string()) refuse_tf_config("task has no type");
  if (index == task.end() || !index->is_number_unsigned()) refuse_tf_config("task has no index");
  const std::string name = type->get<std::string>();
  const auto number = index->get<uint64_t>();
  if (name != "chief" && name != "worker") refuse_tf_config(str("task.type is '", name, "'"));
  if (number > (1 << 20)) refuse_tf_config(str("task.index is ", number));
  const bool after_chief = name == "worker" && cluster.contains("chief");
  return static_cast<int>(number) + (after_chief ? static_cast<int>(cluster["chief"].size()) : 0);
}

}  // namespace

std::optional<Place> from_tf_config(const Variables& variables) {
  const auto text = variables.find("TF_CONFIG");
  if (!text) return std::nullopt;
  const nlohmann::json config = nlohmann::json::parse(*text, nullptr, false);
  if (config.is_discarded()) refuse_tf_config("it is no JSON");
  if (!config.is_object() || !config.contains("cluster")) return std::nullopt;  // a program alone
  const auto& cluster = config["cluster"];
  if (!cluster.is_object()) refuse_tf_config("cluster is no object");
  if (!config.contains("task") || !config["task"].is_object()) refuse_tf_config("it has no task");
  Place place;
  place.hosts = tf_workers(cluster);
  place.processes = checked_processes(variables, static_cast<int>(place.hosts.size()),
                                      tf_index(cluster, config["task"]), "task.index");
  if (!place.alone()) place.coordinator = with_port(place.hosts.front(), coordinator_port);
  return place;
}

}  // namespace cluster
}  // namespace systolic::inline v0
