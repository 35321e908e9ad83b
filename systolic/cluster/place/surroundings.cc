#include "systolic/cluster/place/surroundings.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "systolic/storage/instance_attribute.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool has_tpu_devices() {
  std::error_code ignored;  // a folder that cannot be read has no device for us
  for (const char* path : {"/dev/accel0", "/dev/vfio/0"}) {
    if (std::filesystem::exists(path, ignored)) return true;
  }
  return false;
}

bool has_metadata() {
  if (environment_variable("TPU_SKIP_MDS_QUERY")) return false;
  return environment_variable("GCE_METADATA_IP") || has_tpu_devices();
}

}  // namespace

Surroundings this_machine() {
  return {.variable = environment_variable,
          .attribute = [](const std::string& name) -> std::optional<std::string> {
            if (!has_metadata()) return std::nullopt;
            const auto named = environment_variable("GCE_METADATA_IP");
            return storage::instance_attribute(name, named.value_or("metadata.google.internal"));
          }};
}

}  // namespace cluster
}  // namespace systolic::inline v0
