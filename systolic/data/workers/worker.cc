#include "systolic/data/workers/worker.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using Json = nlohmann::json;

constexpr int64_t most_workers = 1'000'000;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {};
  return value;
}

[[noreturn]] void raise_senseless(const char* name, const std::string& value,
                                  const std::string& wanted, SourceLocation location) {
  constexpr size_t most_shown = 200;
  raise<InvalidArgument>(
      {.what = str("the environment variable ", name, " is '", value.substr(0, most_shown), "'"),
       .wanted = wanted,
       .hint = str("unset ", name, " if this process is alone"),
       .location = location});
}

// {"cluster": {"worker": ["host:port", ...], "chief": [...]}, "task": {"type": "worker", "index":
// 0}}.
Worker of_tf_config(const std::string& text, SourceLocation location) {
  const Json config = Json::parse(text, nullptr, false);
  const auto senseless = [&](const char* wanted) {
    raise_senseless("TF_CONFIG", text, wanted, location);
  };
  if (!config.is_object()) senseless("a JSON object with 'cluster' and 'task'");
  if (!config.contains("cluster")) return {.said_by = "TF_CONFIG"};  // one machine
  const Json& cluster = config["cluster"];
  const auto addresses = [&](const char* job) -> int64_t {
    if (!cluster.is_object() || !cluster.contains(job)) return 0;
    return static_cast<int64_t>(cluster[job].size());
  };
  const int64_t chiefs = addresses("chief"), count = chiefs + addresses("worker");
  const Json task = config.value("task", Json::object());
  const bool named = task.is_object() && task.contains("type") && task["type"].is_string();
  if (!named) senseless("a 'task' with its 'type'");
  const auto type = task["type"].get<std::string>();
  if (type != "worker" && type != "chief") return {.said_by = "TF_CONFIG"};
  if (!task.contains("index") || !task["index"].is_number_integer())
    senseless("a 'task' with its 'index'");
  const auto index = task["index"].get<int64_t>();
  const bool there = index >= 0 && index < addresses(type.c_str());
  if (!there || count > most_workers) senseless("a task that is in the cluster");
  return {
      .count = count, .index = type == "chief" ? index : chiefs + index, .said_by = "TF_CONFIG"};
}

// A whole number in [0, below) under that name; 0 where it is not set and may be left out.
int64_t number_of(const char* name, int64_t below, bool optional, SourceLocation location) {
  const std::optional<std::string> text = variable(name);
  int64_t number = 0;
  if (!text && optional) return 0;
  if (!text || !parse_number(*text, number) || number < 0 || number >= below)
    raise_senseless(name, text.value_or(""), str("a number from 0 to ", below - 1), location);
  return number;
}

Worker of_tpu_pod(const std::string& hostnames, SourceLocation location) {
  const auto hosts = static_cast<int64_t>(split(hostnames, ',').size());
  if (hosts > most_workers)
    raise_senseless("TPU_WORKER_HOSTNAMES", hostnames, "names of hosts", location);
  const int64_t host = number_of("TPU_WORKER_ID", hosts, hosts == 1, location);
  const int64_t slices =
      std::max<int64_t>(1, number_of("MEGASCALE_NUM_SLICES", most_workers + 1, true, location));
  const int64_t slice = number_of("MEGASCALE_SLICE_ID", slices, slices == 1, location);
  return {
      .count = slices * hosts, .index = slice * hosts + host, .said_by = "TPU_WORKER_HOSTNAMES"};
}

}  // namespace

Worker this_worker(SourceLocation location) {
  if (const auto config = variable("TF_CONFIG")) return of_tf_config(*config, location);
  if (const auto hosts = variable("TPU_WORKER_HOSTNAMES")) return of_tpu_pod(*hosts, location);
  return {};
}

}  // namespace data
}  // namespace systolic::inline v0
