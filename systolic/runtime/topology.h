// The processes that compute together, and whose core is whose. A program runs on the cores of all
// processes; each process copies to and from its own cores alone. A slice of several hosts has one
// process on each.
//
//   const Topology topology(8, {.count = 4, .index = 3});  // 4 processes of 8 cores, of the last
//   topology.cores();                                      // 32
//   topology.core(26);                                     // {.process = 3, .local = 2}
//   topology.device_name(26);       // "/job:worker/replica:0/task:3/device:TPU:2"
//   topology.is_addressable(5);     // false: it is process 0's
//
// Cores are numbered over all processes, as programs and shardings count them. The numbers of one
// process's cores need not be consecutive: a v3-32 has 0 to 3 and 8 to 11 on its first host.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace runtime {

// How many processes compute together, and which of them this one is.
struct Processes {
  int count = 1;
  int index = 0;
  friend bool operator==(const Processes&, const Processes&) = default;
};

class Topology {
 public:
  // A core as its process counts them.
  struct Core {
    int process = 0;
    int local = 0;
    friend bool operator==(const Core&, const Core&) = default;
  };

  // One process with one core.
  Topology() : Topology(1) {}
  // As many cores in each process, those of process 0 first. InvalidArgument where there is no
  // core, no process, or no process of this index.
  explicit Topology(int cores_per_process, Processes processes = {});
  // process_of[core]: the process that each core belongs to. Every process has one at least.
  Topology(const std::vector<int>& process_of, Processes processes);

  int num_processes() const { return processes_.count; }
  int process_index() const { return processes_.index; }

  // All cores that programs run on.
  int cores() const { return static_cast<int>(layout_->cores.size()); }
  // Those of this process, or of another one.
  int local_cores() const { return local_cores(process_index()); }
  int local_cores(int process) const { return static_cast<int>(cores_of(process).size()); }

  // Whose it is; InvalidArgument for a number that no core has.
  const Core& core(int number) const;
  // The numbers of a process's cores, by local ordinal.
  const std::vector<int>& cores_of(int process) const;
  const std::vector<int>& addressable_cores() const { return cores_of(process_index()); }
  // Whether it is this process's. False for a number that no core has.
  bool is_addressable(int number) const;

  // "/job:worker/replica:0/task:3/device:TPU:2", as TensorFlow names the cores of TPU workers.
  std::string device_name(int number) const;
  // "/job:worker/replica:0/task:3/device:CPU:0"; "/job:localhost/..." where no process is but this.
  std::string host_name(int process) const;
  // The core of a name: of this process where the name has no task ("/TPU:2", "/device:TPU:2").
  // Nothing where there is no such core.
  std::optional<int> find_core(std::string_view name) const;

  friend bool operator==(const Topology& a, const Topology& b) {
    return a.processes_ == b.processes_ && a.layout_->cores == b.layout_->cores;
  }

 private:
  struct Layout {
    std::vector<Core> cores;                // by number
    std::vector<std::vector<int>> numbers;  // [process][local]
  };

  Processes processes_;
  std::shared_ptr<const Layout> layout_;  // of all copies: a topology is handed around
};

std::string device_name(const Topology::Core& core);

}  // namespace runtime
}  // namespace systolic::inline v0
