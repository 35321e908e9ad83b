// The one file that names the backends.
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

#include "backends/cpu/client.h"
#include "backends/gloo/open_peers.h"
#include "backends/interpreter/client.h"
#include "backends/peers/client.h"
#include "backends/pjrt/api/find_plugin.h"
#include "backends/pjrt/client.h"
#include "backends/pjrt/inspect.h"
#include "backends/pjrt/tpu_compiler.h"
#include "systolic/base/error.h"
#include "systolic/base/global_seed.h"
#include "systolic/base/log.h"
#include "systolic/cluster/run_seed.h"
#include "systolic/cluster/this_run.h"
#include "systolic/monitor/monitor.h"
#include "systolic/plan/planning_client.h"
#include "systolic/remote/remote_client.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/plugins.h"
#include "systolic/runtime/tpu_compiler.h"
#include "systolic/stablehlo/bytecode/read_program.h"
#include "systolic/stablehlo/import/check_cores.h"

namespace systolic::inline v0 {
namespace runtime {
namespace {

constexpr const char* software_kind = "v3-8";

// The library that the user names for the TPU of this machine; "": none.
std::string named_library() {
  const char* library = std::getenv("TPU_LIBRARY_PATH");
  return library == nullptr ? "" : library;
}

// What says that a TPU may be here: its device, or a user who names a library for it.
std::string sign_of_tpu() {
  const std::string library = named_library();
  return library.empty() ? pjrt::tpu_hardware() : str("TPU_LIBRARY_PATH=", library);
}

ClientPtr open_tpu(int cores) {
  if (sign_of_tpu().empty()) {
    raise<NotFound>({.what = "this machine has no TPU: no /dev/accel*, no PCI device of Google's",
                     .hint = "TPUClusterResolver(\"v3-8\") is the software TPU"});
  }
  const std::string library = named_library().empty() ? pjrt::find_libtpu() : named_library();
  if (library.empty()) {
    raise<NotFound>({.what = str("there is a TPU (", sign_of_tpu(), "), but no libtpu.so"),
                     .hint = "pip install libtpu, or set TPU_LIBRARY_PATH"});
  }
  return pjrt::open_client(library, cores);
}

// Pipelines are written before a device is open.
[[maybe_unused]] const bool seeds_are_common = [] {
  set_seed_of_run([] { return cluster::run_seed(cluster::this_machine()); });
  return true;
}();

// The processes of this run, connected at first use; null where this one is alone.
PeersPtr peers_of_run() {
  static std::mutex mutex;
  static PeersPtr peers;
  const std::lock_guard lock(mutex);
  if (peers == nullptr) {
    if (auto run = cluster::this_run()) peers = gloo_peers::open_peers(std::move(run));
  }
  return peers;
}

// The cores of this process alone, or with those of the other processes of its run.
ClientPtr open_software_tpu(std::string_view kind, const ClientOptions& options) {
  ClientPtr own = cpu::open_software_tpu(kind, options.cores, nullptr, options.keep_subnormals);
  PeersPtr peers = peers_of_run();
  return peers == nullptr ? own : peers::client_of_all(std::move(own), std::move(peers));
}

// A TPU where one opens, else the software TPU.
ClientPtr open_local(const ClientOptions& options) {
  if (sign_of_tpu().empty()) {
    if (options.announce) {
      log_info(
          "This machine has no TPU (no /dev/accel*, no PCI device of Google's): the software TPU "
          "takes its place.");
    }
    return open_software_tpu(software_kind, options);
  }
  try {
    ClientPtr client = open_tpu(options.cores);
    if (options.announce) log_info(str("Using the TPU that is here: ", sign_of_tpu(), "."));
    return client;
  } catch (const Error& error) {
    log_warning(str("The TPU of this machine does not open, the software TPU takes its place: ",
                    error.what()));
  }
  return open_software_tpu(software_kind, options);
}

// How many cores the program is for; groups of others would end the compiler's process. What is not
// StableHLO as we know it is left to the compiler, and `unread` is then why.
pjrt::CoreCounts checked_counts(std::string_view bytes, const std::string& name,
                                std::optional<ErrorReport>& unread) {
  const std::string file = name.empty() ? "program" : name;
  std::optional<stablehlo::Program> program;
  try {
    program = stablehlo::read_program(std::string(bytes), file);
  } catch (const Error& error) {
    unread = error.report();
    return pjrt::declared_counts(bytes);
  }
  stablehlo::check_cores(*program);
  if (stablehlo::has_open_sizes(*program)) {
    raise<InvalidArgument>({.what = str("main of '", file, "' leaves sizes open (\"?\")"),
                            .wanted = "sizes, which the TPU's compiler needs",
                            .hint = "systolic plan --batch gives an open batch its size"});
  }
  const stablehlo::CoreCounts counts = stablehlo::core_counts(*program);
  return {counts.replicas, counts.partitions};
}

constexpr std::string_view plugin_prefix = "pjrt:";
constexpr std::string_view remote_prefix = "grpc://";

ClientPtr open_remote_device(const std::string& address, const ClientOptions& options) {
  remote::RemoteOptions remote = remote::options_from_environment();
  remote.cores = options.cores;
  if (options.announce) log_info(str("Using the device at ", remote_prefix, address, "."));
  return remote::open_remote(address, remote);
}

}  // namespace

void check_backend(std::string_view name) {
  const bool plugin = name.rfind(plugin_prefix, 0) == 0 && name.size() > plugin_prefix.size();
  const bool elsewhere = name.rfind(remote_prefix, 0) == 0 && name.size() > remote_prefix.size();
  if (plugin || elsewhere || name == "tpu" || name == "software_tpu" || name == "interpreter")
    return;
  raise<InvalidArgument>({.what = str("there is no backend '", name, "'"),
                          .wanted = "tpu, software_tpu, interpreter, grpc://host:8470 or "
                                    "pjrt:/path/to/plugin.so",
                          .hint = "check ClientOptions::backend and SYSTOLIC_BACKEND"});
}

std::string named_backend() {
  const char* named = std::getenv("SYSTOLIC_BACKEND");
  const std::string backend = named == nullptr ? "" : named;
  if (!backend.empty()) check_backend(backend);
  return backend;
}

namespace {

ClientPtr open_unwatched(const ClientOptions& options) {
  if (const auto& dry_run = plan::requested()) {
    return plan::planning_client(cpu::open_software_tpu(dry_run->topology, 0), *dry_run);
  }
  const std::string backend = options.backend.empty() ? named_backend() : options.backend;
  if (!backend.empty()) check_backend(backend);
  const std::string kind = options.tpu.empty() ? software_kind : options.tpu;
  if (backend.empty() && options.tpu.empty()) return open_local(options);
  if (backend.empty() || backend == "software_tpu") {
    return open_software_tpu(kind, options);
  }
  if (backend == "interpreter") {
    return interpreter::open_client(parse_tpu_kind(kind), options.cores);
  }
  if (backend == "tpu") return open_tpu(options.cores);
  if (backend.rfind(remote_prefix, 0) == 0) {
    return open_remote_device(backend.substr(remote_prefix.size()), options);
  }
  return pjrt::open_client(backend.substr(plugin_prefix.size()), options.cores);
}

}  // namespace

ClientPtr open_client(const ClientOptions& options) {
  ClientPtr client = open_unwatched(options);
  monitor::watch_runs(client);
  return client;
}

std::vector<PluginReport> inspect_plugins(double deadline_seconds) {
  return pjrt::inspect_plugins(deadline_seconds);
}
std::vector<TpuHolder> tpu_holders() { return pjrt::tpu_holders(); }
std::string tpu_hardware() { return pjrt::tpu_hardware(); }

std::string find_libtpu() { return pjrt::find_libtpu(); }

TpuProgram compile_for_tpu(std::string_view program, const TpuCompileOptions& options) {
  std::optional<ErrorReport> unread;
  const pjrt::CoreCounts cores = checked_counts(program, options.name, unread);
  try {
    return pjrt::compile_program_for_tpu(program, cores, options);
  } catch (const InvalidArgument& error) {
    if (!unread) throw;
    // Neither takes it: ours names the file, the line and what was expected there.
    const std::string& theirs = error.report().what;
    const std::string remedy = unread->hint.empty() ? "" : str(unread->hint, "; ");
    unread->hint = str(remedy, "the TPU's compiler says: ", theirs.substr(0, theirs.find('\n')));
    raise<InvalidArgument>(*std::move(unread));
  }
}
TpuProgram compile_for_tpu(const ir::Module& module, const TpuCompileOptions& options) {
  return pjrt::compile_module_for_tpu(module, options);
}

}  // namespace runtime
}  // namespace systolic::inline v0
