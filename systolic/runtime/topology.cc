#include "systolic/runtime/topology.h"

#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace runtime {
namespace {

std::string worker_name(int process) { return str("/job:worker/replica:0/task:", process); }

void check_processes(const Processes& processes) {
  if (processes.index >= 0 && processes.index < processes.count) return;
  raise<InvalidArgument>({.what = str("process ", processes.index, " of ", processes.count),
                          .wanted = "an index from 0 to the number of processes - 1"});
}

// process_of for as many cores in each process.
std::vector<int> evenly(int cores_per_process, const Processes& processes) {
  check_processes(processes);
  if (cores_per_process < 1) {
    raise<InvalidArgument>(
        {.what = str("a process with ", cores_per_process, " cores"), .wanted = "1 core or more"});
  }
  std::vector<int> result;
  for (int process = 0; process < processes.count; ++process) {
    result.insert(result.end(), static_cast<size_t>(cores_per_process), process);
  }
  return result;
}

}  // namespace

Topology::Topology(int cores_per_process, Processes processes)
    : Topology(evenly(cores_per_process, processes), processes) {}

Topology::Topology(const std::vector<int>& process_of, Processes processes)
    : processes_(processes) {
  check_processes(processes);
  Layout layout;
  layout.numbers.resize(static_cast<size_t>(processes.count));
  for (const int process : process_of) {
    const int number = static_cast<int>(layout.cores.size());
    if (process < 0 || process >= processes.count) {
      raise<InvalidArgument>({.what = str("core ", number, " is of process ", process),
                              .wanted = str("one of the ", processes.count, " processes")});
    }
    std::vector<int>& own = layout.numbers[static_cast<size_t>(process)];
    layout.cores.push_back({process, static_cast<int>(own.size())});
    own.push_back(number);
  }
  for (size_t process = 0; process < layout.numbers.size(); ++process) {
    if (!layout.numbers[process].empty()) continue;
    raise<InvalidArgument>({.what = str("process ", process, " has no core"),
                            .wanted = "1 core or more in each process"});
  }
  layout_ = std::make_shared<const Layout>(std::move(layout));
}

const Topology::Core& Topology::core(int number) const {
  if (number < 0 || number >= cores()) {
    raise<InvalidArgument>({.what = str("core ", number), .wanted = str("0 to ", cores() - 1)});
  }
  return layout_->cores[static_cast<size_t>(number)];
}

const std::vector<int>& Topology::cores_of(int process) const {
  check_processes({processes_.count, process});
  return layout_->numbers[static_cast<size_t>(process)];
}

bool Topology::is_addressable(int number) const {
  return number >= 0 && number < cores() && core(number).process == process_index();
}

std::string Topology::device_name(int number) const { return runtime::device_name(core(number)); }

std::string Topology::host_name(int process) const {
  const bool alone = num_processes() == 1;
  return str(alone ? "/job:localhost/replica:0/task:0" : worker_name(process), "/device:CPU:0");
}

std::optional<int> Topology::find_core(std::string_view name) const {
  constexpr std::string_view device = "TPU:", task = "/task:";
  int64_t local = -1, process = process_index();
  const size_t found = name.rfind(device);
  if (found == std::string_view::npos || !parse_number(name.substr(found + device.size()), local)) {
    return std::nullopt;
  }
  if (const size_t at = name.find(task); at != std::string_view::npos) {
    const std::string_view rest = name.substr(at + task.size());
    if (!parse_number(rest.substr(0, rest.find('/')), process)) return std::nullopt;
  }
  if (process < 0 || process >= num_processes()) return std::nullopt;
  const std::vector<int>& numbers = cores_of(static_cast<int>(process));
  if (local < 0 || local >= static_cast<int64_t>(numbers.size())) return std::nullopt;
  return numbers[static_cast<size_t>(local)];
}

std::string device_name(const Topology::Core& core) {
  return str(worker_name(core.process), "/device:TPU:", core.local);
}

}  // namespace runtime
}  // namespace systolic::inline v0
