#include "backends/pjrt/inspect.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "backends/pjrt/api/find_plugin.h"
#include "backends/pjrt/device_client.h"
#include "systolic/base/error.h"
#include "systolic/base/process/child_process.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

namespace fs = std::filesystem;
using runtime::PluginReport;
using runtime::TpuHolder;

// In the child: versions, the problem of opening, then a text for each device.
std::vector<std::string> open_here(const std::string& path, double deadline) {
  if (tpu_hardware().empty()) {  // nothing to ask a metadata server for
    setenv("TPU_SKIP_MDS_QUERY", "1", 0);
    setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0);
  }
  setenv("TPU_LOG_DIR", "disabled", 0);
  const PluginPtr plugin = Plugin::load(path, {.deadline_seconds = deadline});
  std::vector<std::string> fields = {plugin->api()->version(), plugin->stablehlo_version(), ""};
  try {
    const auto client = DeviceClient::create(plugin, {.deadline_seconds = deadline});
    for (const auto& device : client->devices()) {
      fields.push_back(str(device.description.kind, ": ", device.description.text));
    }
  } catch (const Error& error) {
    fields[2] = error.what();
  }
  return fields;
}

void open_in_child(PluginReport& report, double deadline) {
  try {
    // The phases' own deadlines come first, since they name the phase.
    const ChildResult child =
        run_in_child([&] { return open_here(report.path, deadline); }, 2 * deadline + 10);
    if (child.fields.size() >= 3) {
      report.version = child.fields[0];
      report.stablehlo = child.fields[1];
      report.problem = child.fields[2];
      report.devices.assign(child.fields.begin() + 3, child.fields.end());
    } else if (child.timed_out) {
      report.problem = "it hangs";
    } else {
      report.problem = child.signal != 0
                           ? str("it ends its process: ", strsignal(child.signal))
                           : str("it ends its process with exit status ", child.status);
    }
  } catch (const Error& error) {
    report.problem = error.what();
  }
}

std::string command_of(const fs::path& process) {
  std::string command;
  std::ifstream file(process / "comm");
  std::getline(file, command);
  return command;
}

// "/dev/accel0" or "libtpu.so" where this process has it open; "" else, or where it may not be
// looked at.
std::string held_by(const fs::path& process) {
  std::error_code ignored;  // processes end, and others' are not ours to look at
  for (fs::directory_iterator file(process / "fd", ignored), end; !ignored && file != end;
       file.increment(ignored)) {
    const std::string target = fs::read_symlink(file->path(), ignored).string();
    if (target.rfind("/dev/accel", 0) == 0) return target;
  }
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.size() > 9 && line.compare(line.size() - 9, 9, "libtpu.so") == 0) return "libtpu.so";
  }
  return {};
}

}  // namespace

std::vector<PluginReport> inspect_plugins(double deadline_seconds) {
  std::vector<PluginReport> reports;
  for (const FoundPlugin& found : find_plugins()) {
    PluginReport& report = reports.emplace_back();
    report.platform = found.platform;
    report.path = found.path;
    report.from = found.from;
    if (found.exists) {
      open_in_child(report, deadline_seconds);
    } else {
      report.problem = "there is no such file";
    }
  }
  return reports;
}

std::vector<TpuHolder> tpu_holders() {
  std::vector<TpuHolder> holders;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    int64_t process = 0;
    if (!parse_number(entry->path().filename().string(), process) || process == getpid()) continue;
    const std::string what = held_by(entry->path());
    if (!what.empty()) {
      holders.push_back({static_cast<int>(process), command_of(entry->path()), what});
    }
  }
  return holders;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
