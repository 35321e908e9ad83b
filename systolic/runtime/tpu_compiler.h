// What a TPU's own compiler says about a program, without a TPU. Declared here, defined in
// systolic/backends.cc: a program that links systolic_backends has it.
//
//   TpuProgram program = compile_for_tpu(text, {.topology = "v5e:2x4"});
//   program.memory.peak                    // bytes of HBM that a core needs
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace ir {
struct Module;
}
namespace runtime {

// How hard the compiler tries: O0 takes a seventh of the time of the default, which is O2.
enum class CompileEffort : uint8_t { standard, o0, o1, o2, o3 };

struct TpuCompileOptions {
  std::string topology = "v3-8";                   // any spelling that parse_tpu_kind knows
  CompileEffort effort = CompileEffort::standard;  // how hard it tries; standard is O2
  double deadline_seconds = 900;                   // after so long a DeadlineExceeded
  std::string library = "";  // libtpu.so; "": the one that find_libtpu() finds
  std::string name = "";     // of the program in errors; "": the module's
};

struct TpuProgram {
  // Bytes on one core.
  struct Memory {
    int64_t code = 0, arguments = 0, outputs = 0;
    int64_t aliased = 0;  // outputs in the memory of donated arguments
    int64_t temporaries = 0;
    int64_t peak = 0;   // of all of them together
    int64_t limit = 0;  // what a core has
  };
  Memory memory;
  // The compiler's own estimate for one core: "flops", "bytes accessed", "optimal_seconds" and
  // more; which ones are present depends on the generation.
  std::map<std::string, double> cost;
  double seconds = 0;  // that compiling took
  std::string kind;    // "TPU v3"
  int64_t cores = 0;   // of the topology
  int64_t replicas = 1, partitions = 1;
  std::string compiler;  // the library, and what it calls its version
};

// The libtpu.so of this machine: SYSTOLIC_LIBTPU ("none": use none), TPU_LIBRARY_PATH, Python's
// site-packages, the system's folders. "": there is none.
std::string find_libtpu();

// Compiles StableHLO text or bytecode in a child process, since the compiler may end the process
// that it runs in. The module says how many replicas and partitions it is for (mhlo.num_replicas,
// mhlo.num_partitions); collectives that name cores beyond those are refused here.
//
// NotFound: no libtpu.so. InvalidArgument: an unknown topology, more cores than it has, a program
// that is wrong or that crashes the compiler. ResourceExhausted: it does not fit the memory of a
// core. DeadlineExceeded.
TpuProgram compile_for_tpu(std::string_view program, const TpuCompileOptions& options = {});
// The same for a module, which is verified first: the compiler never sees groups of cores that the
// topology does not have.
TpuProgram compile_for_tpu(const ir::Module& module, const TpuCompileOptions& options = {});

}  // namespace runtime
}  // namespace systolic::inline v0
