#include "backends/pjrt/api/plugin.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "backends/pjrt/api/deadline.h"
#include "backends/pjrt/api/teardown.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

struct Loaded {
  std::mutex mutex;
  std::map<std::string, PluginPtr> by_path;
};

// Never destroyed: programs that end may still hold plugins.
Loaded& loaded() {
  static auto* instance = new Loaded;
  return *instance;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void check_file(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    raise<NotFound>({.what = str("there is no PJRT plugin '", path, "'"),
                     .hint = "`systolic doctor` lists the plugins that it finds"});
  }
  if (!S_ISREG(status.st_mode)) {
    raise<InvalidArgument>({.what = str("'", path, "' is not a file"), .wanted = "a PJRT plugin"});
  }
}

// e_machine of an ELF file (System V ABI, "ELF Header"); nothing of other files.
std::optional<int> machine_of(const std::string& path) {
  unsigned char header[20] = {};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(header), sizeof header)) return std::nullopt;
  const bool elf = header[0] == 0x7f && header[1] == 'E' && header[2] == 'L' && header[3] == 'F';
  if (!elf) return std::nullopt;
  const bool big_endian = header[5] == 2;
  return header[big_endian ? 19 : 18] | header[big_endian ? 18 : 19] << 8;
}

std::string machine_name(int machine) {
  for (const auto& [number, name] : {std::pair(3, "x86"),
                                     {21, "PowerPC"},
                                     {40, "ARM"},
                                     {62, "x86-64"},
                                     {183, "AArch64"},
                                     {243, "RISC-V"}}) {
    if (number == machine) return name;
  }
  return str("machine ", machine);
}

// For a library for another machine dlopen reports that there is no such file.
void check_machine(const std::string& path) {
  const std::optional<int> own = machine_of("/proc/self/exe"), other = machine_of(path);
  if (!own.has_value() || !other.has_value() || own == other) return;
  raise<InvalidArgument>(
      {.what = str("'", path, "' cannot be loaded: it is a library for ", machine_name(*other)),
       .wanted = str("a PJRT plugin for this machine: ", machine_name(*own))});
}

void* open_library(const std::string& path) {
  check_machine(path);
  // A path without '/' would be searched for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? str("./", path) : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    raise<InvalidArgument>(
        {.what = str("'", path, "' cannot be loaded: ", reason == nullptr ? "no reason" : reason),
         .wanted = "a PJRT plugin for this machine"});
  }
  return library;
}

using GetApi = const abi::Table* (*)();

GetApi find_entry(void* library, const std::string& path) {
  const auto entry = reinterpret_cast<GetApi>(dlsym(library, "GetPjrtApi"));
  if (entry == nullptr) {
    raise<InvalidArgument>({.what = str("'", path, "' has no GetPjrtApi"),
                            .wanted = "a PJRT plugin (libtpu.so, xla_cuda_plugin.so, ...)"});
  }
  return entry;
}

}  // namespace

Plugin::Plugin(std::string path, ApiPtr api) : path_(std::move(path)), api_(std::move(api)) {
  if (!api_->has<abi::PluginAttributesArgs>()) return;
  abi::PluginAttributesArgs args{};
  api_->call(args);
  attributes_ = values_of(args.attributes, args.count);
}

PluginPtr Plugin::load_now(const std::string& path, Phase& phase) {
  guard_teardown_begin();
  phase.enter("loading the library");
  void* library = open_library(path);
  guard_teardown_end();
  phase.enter("GetPjrtApi");
  const auto api = std::make_shared<const Api>(find_entry(library, path)(), file_name(path));
  phase.enter("PJRT_Plugin_Initialize");
  if (api->has<abi::PluginInitializeArgs>()) {
    abi::PluginInitializeArgs args{};
    api->call(args);
  }
  guard_teardown_end();
  phase.enter("PJRT_Plugin_Attributes");
  return PluginPtr(new Plugin(path, api));
}

PluginPtr Plugin::load(const std::string& path, const LoadOptions& options) {
  check_file(path);
  {
    const std::lock_guard lock(loaded().mutex);
    const auto found = loaded().by_path.find(path);
    if (found != loaded().by_path.end()) return found->second;
  }
  const auto result = std::make_shared<PluginPtr>();
  run_with_deadline(
      str("opening ", path), options.deadline_seconds,
      [path, result](Phase& phase) { *result = load_now(path, phase); },
      "without a TPU set TPU_SKIP_MDS_QUERY=1, or libtpu asks a metadata server for minutes");
  const std::lock_guard lock(loaded().mutex);
  return loaded().by_path.try_emplace(path, *result).first->second;
}

std::string Plugin::stablehlo_version() const {
  const auto found = attributes_.find("stablehlo_current_version");
  if (found == attributes_.end()) return {};
  const auto* numbers = std::get_if<std::vector<int64_t>>(&found->second);
  return numbers == nullptr ? to_string(found->second) : join(*numbers, ".");
}

}  // namespace pjrt
}  // namespace systolic::inline v0
