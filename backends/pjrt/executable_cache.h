// Compiled programs kept on disk from run to run: SYSTOLIC_COMPILE_CACHE=folder.
//
// An entry is for one program text, one set of options, one version of one plugin and one platform;
// all of these are in the file and are compared in full, so that a wrong entry is never used. A
// damaged entry, or one that the plugin does not load, is compiled again and replaced.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/pjrt/device_client.h"

namespace systolic::inline v0 {
namespace pjrt {

class ExecutableCache {
 public:
  // "": nothing is stored. The folder is made when the first entry is stored.
  explicit ExecutableCache(std::string folder) : folder_(std::move(folder)) {}

  // What was stored under exactly this key.
  std::optional<std::string> find(std::string_view key) const;
  // A file that cannot be written is a warning. Several processes may store at the same time.
  void store(std::string_view key, std::string_view bytes) const;

  bool on() const { return !folder_.empty(); }

 private:
  std::string path_of(std::string_view key) const;

  std::string folder_;
};

// As client.compile, through the cache that the environment names.
std::shared_ptr<LoadedProgram> compile_cached(const DeviceClient& client, std::string_view program,
                                              const std::string& options);

}  // namespace pjrt
}  // namespace systolic::inline v0
