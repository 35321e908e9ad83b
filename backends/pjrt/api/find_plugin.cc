#include "backends/pjrt/api/find_plugin.h"

#include <glob.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_file(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is not there
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

// Folders of Python packages: of the environment in use, the user's, the system's.
std::vector<std::string> python_folders() {
  std::vector<std::string> patterns;
  const std::string environment = variable("VIRTUAL_ENV"), home = variable("HOME");
  if (!environment.empty()) patterns.push_back(str(environment, "/lib/python3*/site-packages"));
  if (!home.empty()) patterns.push_back(str(home, "/.local/lib/python3*/site-packages"));
  for (std::string_view pattern :
       {"/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
        "/usr/lib/python3/dist-packages"}) {
    patterns.emplace_back(pattern);
  }
  std::vector<std::string> folders;
  for (const std::string& pattern : patterns) {
    for (std::string& folder : matches(pattern)) folders.push_back(std::move(folder));
  }
  return folders;
}

class Finder {
 public:
  std::vector<FoundPlugin> find() {
    if (variable("SYSTOLIC_LIBTPU") != "none") add_variable("tpu", "SYSTOLIC_LIBTPU");
    add_variable("tpu", "TPU_LIBRARY_PATH");
    add_named();
    add_backend();
    for (const std::string& folder : python_folders()) {
      add_existing("tpu", str(folder, "/libtpu/libtpu.so"), folder);
      for (std::string_view version : {"13", "12"}) {
        add_existing("cuda", str(folder, "/jax_plugins/xla_cuda", version, "/xla_cuda_plugin.so"),
                     folder);
      }
    }
    for (std::string_view folder : {"/lib", "/usr/lib", "/usr/local/lib"}) {
      add_existing("tpu", str(folder, "/libtpu.so"), std::string(folder));
    }
    return std::move(found_);
  }

 private:
  void add(std::string platform, std::string path, std::string from) {
    for (const FoundPlugin& known : found_) {
      if (known.path == path) return;
    }
    const bool exists = is_file(path);
    found_.push_back({std::move(platform), std::move(path), std::move(from), exists});
  }
  void add_existing(std::string platform, std::string path, std::string from) {
    if (is_file(path)) add(std::move(platform), std::move(path), std::move(from));
  }
  void add_variable(std::string platform, const char* name) {
    const std::string path = variable(name);
    if (!path.empty()) add(std::move(platform), path, name);
  }
  // JAX's own: "name:path,name:path".
  void add_named() {
    constexpr const char* name = "PJRT_NAMES_AND_LIBRARY_PATHS";
    for (const std::string& entry : split(variable(name), ',')) {
      if (entry.empty()) continue;
      // One without a path is found too, as a file that is not there: doctor names it.
      const size_t colon = entry.find(':');
      add(entry.substr(0, colon), entry.substr(colon == std::string::npos ? 0 : colon + 1), name);
    }
  }

  // The plugin that programs run on, where they are sent to one.
  void add_backend() {
    constexpr const char* name = "SYSTOLIC_BACKEND";
    constexpr std::string_view prefix = "pjrt:";
    const std::string backend = variable(name);
    if (backend.rfind(prefix, 0) != 0 || backend.size() == prefix.size()) return;
    add("pjrt", backend.substr(prefix.size()), name);
  }

  std::vector<FoundPlugin> found_;
};

// Google's number among the makers of PCI devices, and what class TPUs are.
bool is_google_accelerator(const std::string& device) {
  std::string vendor, kind;
  std::ifstream(device + "/vendor") >> vendor;
  std::ifstream(device + "/class") >> kind;
  return vendor == "0x1ae0" && (kind.rfind("0x12", 0) == 0 || kind.rfind("0x08", 0) == 0 ||
                                kind.rfind("0x00", 0) == 0 || kind.rfind("0xff", 0) == 0);
}

}  // namespace

std::vector<FoundPlugin> find_plugins() { return Finder().find(); }

std::string find_libtpu() {
  if (variable("SYSTOLIC_LIBTPU") == "none") return {};
  for (const FoundPlugin& plugin : find_plugins()) {
    if (plugin.platform == "tpu" && plugin.exists) return plugin.path;
  }
  return {};
}

std::string tpu_hardware() {
  const std::vector<std::string> files = matches("/dev/accel[0-9]*");
  if (!files.empty()) return files[0];
  for (const std::string& device : matches("/sys/bus/pci/devices/*")) {
    if (is_google_accelerator(device))
      return str("PCI device ", device.substr(device.rfind('/') + 1));
  }
  return {};
}

}  // namespace pjrt
}  // namespace systolic::inline v0
