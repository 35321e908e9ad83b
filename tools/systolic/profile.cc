// systolic profile: what a running program does now, or what a file of it says.
#include <iostream>
#include <string>

#include "systolic/base/text.h"
#include "systolic/monitor/profile/ask_for_profile.h"
#include "systolic/monitor/profile/op_limits.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/monitor/profile/profile_text.h"
#include "systolic/monitor/shared_memory/status_reader.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

namespace monitor = systolic::monitor;

void print(const monitor::Profile& profile, const ProfileCommandOptions& options,
           std::ostream& out) {
  constexpr double giga = 1e9, percent = 0.01;
  const bool has_limits = options.gflops > 0 && options.gbytes > 0;
  const auto lines =
      has_limits ? monitor::limits_text(
                       profile, {.flops = giga * options.gflops, .bytes = giga * options.gbytes},
                       percent * options.below)
                 : monitor::profile_text(profile);
  for (const std::string& line : lines) out << line << "\n";
}

int record(int64_t process, const ProfileCommandOptions& options, std::ostream& out) {
  const monitor::Profile profile = monitor::ask_for_profile(process, options.seconds);
  const monitor::ProfileFiles files = monitor::write_profile(profile, options.folder);
  print(profile, options, out);
  out << "\nPerfetto (https://ui.perfetto.dev) opens " << files.trace << "\nTensorBoard with "
      << "xprof opens " << options.folder << "\n";
  return 0;
}

}  // namespace

int profile(const ProfileCommandOptions& options, std::ostream& out) {
  int64_t process = 0;
  if (options.what.empty()) return record(monitor::newest_process(), options, out);
  if (systolic::parse_number(options.what, process)) return record(process, options, out);
  print(monitor::read_profile(options.what), options, out);
  return 0;
}

}  // namespace tool
