// One of our programs on the cores of a PJRT client.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/pjrt/buffer.h"
#include "backends/pjrt/client_state.h"
#include "backends/pjrt/loaded_program.h"
#include "systolic/runtime/executable.h"

namespace systolic::inline v0 {
namespace pjrt {

// The constructor compiles the program for all cores; the one for a single core is compiled when
// arrays come that lie on that core.
class Executable final : public runtime::Executable {
 public:
  Executable(ClientStatePtr state, const ir::Module& module, std::string name);

  std::vector<runtime::BufferPtr> execute(std::vector<runtime::BufferPtr>&& arguments,
                                          const runtime::ExecuteOptions& options) override;
  runtime::MemoryStats memory() const override { return memory_; }
  runtime::CostStats cost() const override { return cost_; }
  double compile_ms() const override { return compile_ms_; }

 private:
  static constexpr int all_cores = -1;
  struct Entry {
    ir::Type type;
    ir::Parameter parameter;
  };
  struct Call;

  std::shared_ptr<LoadedProgram> compile(int core) const;
  std::shared_ptr<LoadedProgram> program_for(int core);
  void read_statistics();
  runtime::Placement placement_of(const Entry& entry, const runtime::Placement& single,
                                  const runtime::Placement* given) const;
  void add_argument(Call& call, size_t i, const runtime::BufferPtr& argument) const;
  const Buffer& check_argument(size_t i, const runtime::BufferPtr& argument) const;
  std::vector<runtime::BufferPtr> results_of(Run&& run, const Call& call,
                                             const RunLabel& label) const;
  void count(const Run& run, int core) const;

  ClientStatePtr state_;
  std::string name_;
  ir::Module module_;
  std::vector<Entry> arguments_, results_;
  runtime::MemoryStats memory_;
  runtime::CostStats cost_;
  double core_flops_ = 0, core_bytes_ = 0;
  double compile_ms_ = 0;
  std::mutex mutex_;
  std::map<int, std::shared_ptr<LoadedProgram>> programs_;  // by core, or all_cores
};

}  // namespace pjrt
}  // namespace systolic::inline v0
