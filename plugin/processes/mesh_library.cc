#include "plugin/processes/mesh_library.h"

#include <dlfcn.h>

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

constexpr std::string_view file_name = "libsystolic_pjrt_peers.so";

// Beside this library, or beside the program that holds it in a build folder; then the loader's own
// path.
std::vector<std::string> places() {
  std::vector<std::string> found;
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&open_mesh_of_library), &own) != 0 &&
      own.dli_fname != nullptr) {
    const std::string file = own.dli_fname;
    const size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
    found = {str(folder, "/", file_name), str(folder, "/../lib/", file_name)};
  }
  found.emplace_back(file_name);
  return found;
}

// It stays: what it made may live as long as the process.
OpenMesh load() {
  std::string why;
  for (const std::string& place : places()) {
    void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* function = library == nullptr ? nullptr : ::dlsym(library, "systolic_open_mesh");
    if (function != nullptr) return reinterpret_cast<OpenMesh>(function);
    if (why.empty()) why = ::dlerror();
  }
  raise<NotFound>(
      {.what = str("several processes exchange arrays through ", file_name, ": ", why),
       .hint = "it lies beside libsystolic_pjrt.so, and needs Gloo (apt install libgloo0)"});
}

}  // namespace

runtime::PeersPtr open_mesh_of_library(const gloo_peers::MeshOptions& options) {
  static const OpenMesh open = load();
  runtime::PeersPtr peers;
  std::string error;
  open(options, peers, error);
  if (!error.empty()) raise<Unavailable>({.what = error});
  return peers;
}

}  // namespace plugin
}  // namespace systolic::inline v0
