#include "systolic/trace/device/device.h"

#include "systolic/base/error.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

thread_local int current_core = 0;

int parse_core(std::string_view name, SourceLocation location) {
  const size_t found = name.rfind("TPU:");
  int64_t core = -1;
  if (found != std::string_view::npos && parse_number(name.substr(found + 4), core) && core >= 0 &&
      core < default_client()->cores()) {
    return static_cast<int>(core);
  }
  raise<InvalidArgument>({.what = str("there is no device '", name, "'"),
                          .wanted = str("/TPU:0 to /TPU:", default_client()->cores() - 1),
                          .location = location});
}

}  // namespace

std::string core_name(int core) { return str("/job:worker/replica:0/task:0/device:TPU:", core); }

DeviceScope::DeviceScope(std::string_view name, SourceLocation location)
    : previous_(std::exchange(current_core, parse_core(name, location))) {}
DeviceScope::~DeviceScope() { current_core = previous_; }
int DeviceScope::core() { return current_core; }

}  // namespace systolic::inline v0
