// One opened backend: its cores, their memory, its compiler. Cores have the numbers of topology();
// what asks for the counters, the memory or the array of one names a core of this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/runtime/buffer.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/split_products.h"
#include "systolic/runtime/topology.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace runtime {

// What one core has done since the client was opened (or reset_counters). The three times add up to
// the time since then.
struct CoreCounters {
  double flops = 0;
  double bytes = 0;         // read and written
  double matrix_flops = 0;  // as in CostStats; of plugins all flops, as they do not tell
  double padded_matrix_flops = 0;
  double collective_bytes = 0;    // as in CostStats
  double busy_seconds = 0;        // running programs
  double input_wait_seconds = 0;  // while the host waited for the next batch
  double idle_seconds = 0;        // waiting for the host otherwise
  // The most that buffers and the running program's own arrays have held; 0: not known.
  int64_t peak_memory_bytes = 0;
};

// What changes a program besides its ops: the key of CompileCache includes each of these except the
// name.
struct CompileOptions {
  // Names the program in dumps and errors: "train_step".
  std::string name = "program";
  // Devices with plugins ignore it.
  SplitProducts split_products = SplitProducts::none;
};

class Client {
 public:
  virtual ~Client() = default;

  // "software_tpu", "interpreter", "tpu", "cuda".
  virtual std::string platform() const = 0;
  virtual const TpuKind& kind() const = 0;
  // The processes that run programs together, and their cores.
  virtual const Topology& topology() const = 0;
  // Cores that programs run on, those of all processes; at most kind().cores().
  int cores() const { return topology().cores(); }

  // Copies to the device; the literal, and memory that it wraps, may change afterwards. Memory of
  // its own may be shared until one of the two is written. For per_core placement the literal has
  // a leading axis of this process's cores. A string literal is an InvalidArgument. Thread-safe.
  virtual BufferPtr from_host(const Literal& literal, const Placement& placement = {}) = 0;

  // Compiles a module; num_replicas or num_partitions is 1 or cores(). A program that does not fit
  // the memory of a core is ResourceExhausted with a breakdown.
  virtual ExecutablePtr compile(const ir::Module& module, const CompileOptions& options = {}) = 0;

  virtual CoreCounters counters(int core) const = 0;
  virtual void reset_counters() = 0;
  // The host has just waited this long for input before a step: charged to every core of this
  // process, for as far as the core was not running a program meanwhile.
  virtual void add_input_wait(double seconds) = 0;
  // Bytes held by buffers on one core now.
  virtual int64_t memory_in_use(int core) const = 0;

  // Frees every buffer that lives on the client (initialize_tpu_system); they are deleted() from
  // then on.
  virtual void reset() = 0;
};
using ClientPtr = std::shared_ptr<Client>;

}  // namespace runtime
}  // namespace systolic::inline v0
