#include "backends/pjrt/tpu_compiler.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "backends/pjrt/api/find_plugin.h"
#include "backends/pjrt/api/topology_description.h"
#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/lookup_form.h"
#include "systolic/base/error.h"
#include "systolic/base/process/child_process.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

using runtime::CompileEffort;
using runtime::TpuCompileOptions;
using runtime::TpuProgram;

Effort effort_of(CompileEffort effort) {
  switch (effort) {
    case CompileEffort::standard:
      return Effort::standard;
    case CompileEffort::o0:
      return Effort::least;
    case CompileEffort::o1:
      return Effort::some;
    case CompileEffort::o2:
      return Effort::more;
    case CompileEffort::o3:
      return Effort::most;
  }
  return Effort::standard;
}

// Without a TPU libtpu must not ask for one's metadata; beside another process it must not take the
// lock of the TPU, which it does not use; and it must not leave files behind.
void prepare_environment() {
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0);
  setenv("TPU_LOG_DIR", "disabled", 0);
  setenv("TPU_STDERR_LOG_LEVEL", "2", 0);
}

// The two cores of a v4 chip are one device to programs (megacore), as on v5p; without being told
// libtpu compiles for each of them alone.
Values topology_options(const TpuKind& kind) {
  if (kind.generation.name != "v4") return {};
  return {{"chip_config_name", std::string("megacore")}};
}

// Numbers travel from the child as text, in this order, then the cost as pairs.
std::vector<std::string> compile_here(const std::string& library, const TpuKind& kind,
                                      std::string_view program, const BuildOptions& build) {
  prepare_environment();
  const PluginPtr plugin = Plugin::load(library);
  const TopologyDescription topology(plugin, kind.topology, topology_options(kind));
  const std::vector<DeviceDescription> devices = topology.devices();
  const auto start = std::chrono::steady_clock::now();
  const CompiledProgram compiled = topology.compile(program, serialize(build));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const ProgramMemory memory = compiled.memory();
  int64_t limit = 0;
  if (const auto found = devices.at(0).attributes.find("device_memory_bytes_limit");
      found != devices[0].attributes.end() && std::holds_alternative<int64_t>(found->second)) {
    limit = std::get<int64_t>(found->second);
  }
  std::vector<std::string> fields = {str(seconds.count()),
                                     str(memory.code),
                                     str(memory.arguments),
                                     str(memory.outputs),
                                     str(memory.aliased),
                                     str(memory.temporaries),
                                     str(memory.peak),
                                     str(limit),
                                     devices[0].kind,
                                     str(devices.size()),
                                     str(library, " (PJRT ", plugin->api()->version(),
                                         ", StableHLO ", plugin->stablehlo_version(), ")")};
  for (const auto& [name, value] : compiled.cost()) {
    fields.push_back(name);
    fields.push_back(to_string(value));
  }
  return fields;
}

TpuProgram program_of(const std::vector<std::string>& fields) {
  constexpr size_t fixed_fields = 11;
  ensure(fields.size() >= fixed_fields, "a whole answer of the compiler's process");
  TpuProgram result;
  const auto integer = [&](size_t i) {
    int64_t value = 0;
    parse_number(fields[i], value);
    return value;
  };
  parse_number(fields[0], result.seconds);
  result.memory = {integer(1), integer(2), integer(3), integer(4),
                   integer(5), integer(6), integer(7)};
  result.kind = fields[8];
  result.cores = integer(9);
  result.compiler = fields[10];
  for (size_t i = fixed_fields; i + 1 < fields.size(); i += 2) {
    double value = 0;
    if (parse_number(fields[i + 1], value)) result.cost[fields[i]] = value;
  }
  return result;
}

// The line of a log that says why a process ended: the failed check, else the last one.
std::string reason_in(const std::string& log) {
  std::string last;
  for (const std::string& line : split(log, '\n')) {
    if (trim(line).empty()) continue;
    if (line.find("Check failed") != std::string::npos) return std::string(trim(line));
    last = trim(line);
  }
  return last.empty() ? "it wrote nothing" : last.substr(0, 1000);
}

void check_cores(const std::string& name, const BuildOptions& build, const TpuKind& kind) {
  const int64_t cores = build.replicas * build.partitions;
  if (build.replicas >= 1 && build.partitions >= 1 && cores <= kind.cores()) return;
  raise<InvalidArgument>({.what = str("program '", name, "' is for ", build.replicas, " x ",
                                      build.partitions, " cores"),
                          .wanted = str("1 to ", kind.cores(), ", the cores of a ", kind.name)});
}

std::string library_of(const TpuCompileOptions& options) {
  const std::string library = options.library.empty() ? find_libtpu() : options.library;
  if (!library.empty()) return library;
  raise<NotFound>({.what = "there is no libtpu.so, which has the TPU's compiler",
                   .hint = "`./run systolic compile ...` downloads it; or `pip install libtpu`, or "
                           "set SYSTOLIC_LIBTPU to its path"});
}

}  // namespace

int64_t declared_count(std::string_view program, std::string_view attribute) {
  // The module's own attributes: before its first function.
  std::string_view head = program.substr(0, program.find("func"));
  const size_t found = head.find(attribute);
  if (found == std::string_view::npos) return 1;
  head.remove_prefix(found + attribute.size());
  const size_t first = head.find_first_not_of(" =");
  if (first == std::string_view::npos) return 1;
  head.remove_prefix(first);
  int64_t count = 1;
  const bool number = parse_number(head.substr(0, head.find_first_not_of("0123456789")), count);
  return number ? count : 1;
}

CoreCounts declared_counts(std::string_view program) {
  return {declared_count(program, "mhlo.num_replicas"),
          declared_count(program, "mhlo.num_partitions")};
}

TpuProgram compile_text_for_tpu(std::string_view program, const TpuCompileOptions& options) {
  return compile_program_for_tpu(program, declared_counts(program), options);
}

TpuProgram compile_program_for_tpu(std::string_view program, const CoreCounts& cores,
                                   const TpuCompileOptions& options) {
  const TpuKind kind = parse_tpu_kind(options.topology);
  const std::string name = options.name.empty() ? "program" : options.name;
  BuildOptions build;
  build.replicas = cores.replicas;
  build.partitions = cores.partitions;
  build.effort = effort_of(options.effort);
  check_cores(name, build, kind);
  const std::string library = library_of(options);
  ChildResult child;
  try {
    child = run_in_child([&] { return compile_here(library, kind, program, build); },
                         options.deadline_seconds);
  } catch (const Error& error) {
    error.rethrow_within(str("compiling '", name, "' for ", kind.name));
  }
  if (child.timed_out) {
    raise<DeadlineExceeded>({.what = str("compiling '", name, "' for ", kind.name,
                                         " took longer than ", options.deadline_seconds, " s"),
                             .hint = "compile with less effort (--effort 0), or wait longer"});
  }
  if (child.fields.empty()) {
    const std::string end = child.signal != 0
                                ? str("signal ", child.signal, ", ", strsignal(child.signal))
                                : str("exit status ", child.status);
    raise<InvalidArgument>(
        {.what =
             str("the TPU's compiler crashed on '", name, "' (", end, "): ", reason_in(child.log)),
         .hint =
             "known reasons are groups of cores that the program does not have, and open sizes"});
  }
  TpuProgram result = program_of(child.fields);
  result.replicas = build.replicas;
  result.partitions = build.partitions;
  return result;
}

TpuProgram compile_module_for_tpu(const ir::Module& module, TpuCompileOptions options) {
  ir::verify(module);
  if (options.name.empty()) options.name = module.name;
  const TpuKind kind = parse_tpu_kind(options.topology);
  return compile_text_for_tpu(ir::to_text(in_lookup_form(module, kind.generation)), options);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
