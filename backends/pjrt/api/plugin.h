// A loaded PJRT plugin: a library with GetPjrtApi.
//
//   auto plugin = Plugin::load("/opt/tpu/libtpu.so");
//   plugin->api()->version()      // "0.116"
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/pjrt/api/api.h"
#include "backends/pjrt/api/named_value.h"

namespace systolic::inline v0 {
namespace pjrt {

struct LoadOptions {
  double deadline_seconds = 60;  // for loading and initializing together
};

class Plugin {
 public:
  // Loads and initializes; the library stays loaded until the process ends (plugins do not survive
  // being unloaded). Loading the same path again gives the same Plugin.
  //
  // NotFound: no such file. InvalidArgument: not a library for this machine, or one without
  // GetPjrtApi. Unavailable: a version that we cannot call. DeadlineExceeded: names the phase in
  // which it hangs; the plugin must not be loaded again by this process. Errors of the plugin's own
  // initialization are passed on.
  static std::shared_ptr<const Plugin> load(const std::string& path,
                                            const LoadOptions& options = {});

  const std::string& path() const { return path_; }
  const ApiPtr& api() const { return api_; }
  // "xla_version", "stablehlo_current_version", ...; empty for plugins that have none.
  const Values& attributes() const { return attributes_; }
  // "1.23.0"; "" where the plugin does not say.
  std::string stablehlo_version() const;

 private:
  Plugin(std::string path, ApiPtr api);
  static std::shared_ptr<const Plugin> load_now(const std::string& path, class Phase& phase);

  std::string path_;
  ApiPtr api_;
  Values attributes_;
};
using PluginPtr = std::shared_ptr<const Plugin>;

}  // namespace pjrt
}  // namespace systolic::inline v0
