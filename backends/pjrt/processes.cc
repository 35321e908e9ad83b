#include "backends/pjrt/processes.h"

#include <set>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

constexpr double together_seconds = 600;  // that a plugin's processes wait for each other

bool file_contains(const std::string& path, const std::string& word) {
  return path.find(word, path.rfind('/') + 1) != std::string::npos;
}

}  // namespace

ClientCreateOptions create_options(const std::string& path, const PluginRun& run) {
  if (run.keys == nullptr) return {};
  ClientCreateOptions options;
  options.deadline_seconds = together_seconds;
  if (file_contains(path, "libtpu")) return options;
  const runtime::Processes processes = run.keys->processes();
  options.keys = run.keys;
  options.values["num_nodes"] = int64_t{processes.count};
  options.values["node_id"] = int64_t{processes.index};
  if (file_contains(path, "cuda") && run.on_host.count > 1) {
    options.values["visible_devices"] = std::vector<int64_t>{run.on_host.index};
  }
  return options;
}

void check_processes(const DeviceClient& client, const PluginRun& run) {
  if (run.keys == nullptr) return;
  const runtime::Processes wanted = run.keys->processes();
  const runtime::Topology& found = client.topology();
  if (found.num_processes() == wanted.count && found.process_index() == wanted.index) return;
  raise<FailedPrecondition>(
      {.what = str(client.api()->plugin(), " is not one system with the run's other processes"),
       .got = str("process ", found.process_index(), " of ", found.num_processes()),
       .wanted = str("process ", wanted.index, " of ", wanted.count),
       .hint = "start one process on each host of the slice, or one process alone"});
}

ir::Module with_whole_results(ir::Module module) {
  if (module.num_partitions == 1) return module;
  ir::Function& main = module.main();
  std::set<int64_t> in_place;
  for (const ir::Parameter& argument : main.arguments) {
    if (argument.aliases_result) in_place.insert(*argument.aliases_result);
  }
  for (size_t i = 0; i < main.results.size(); ++i) {
    if (in_place.count(static_cast<int64_t>(i)) == 0) main.results[i].sharding = ir::Sharding{};
  }
  return module;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
