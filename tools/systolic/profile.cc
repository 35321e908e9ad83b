// systolic profile: what a running program does now, or what a file of it says.
#include <iostream>
#include <string>

#include "systolic/base/text.h"
#include "systolic/monitor/profile/ask_for_profile.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/monitor/profile/profile_text.h"
#include "systolic/monitor/shared_memory/status_reader.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

namespace monitor = systolic::monitor;

void print(const monitor::Profile& profile, std::ostream& out) {
  for (const std::string& line : monitor::profile_text(profile)) out << line << "\n";
}

int record(int64_t process, const ProfileCommandOptions& options, std::ostream& out) {
  const monitor::Profile profile = monitor::ask_for_profile(process, options.seconds);
  const monitor::ProfileFiles files = monitor::write_profile(profile, options.folder);
  print(profile, out);
  out << "\nPerfetto (https://ui.perfetto.dev) opens " << files.trace << "\nTensorBoard with "
      << "xprof opens " << options.folder << "\n";
  return 0;
}

}  // namespace

int profile(const ProfileCommandOptions& options, std::ostream& out) {
  int64_t process = 0;
  if (options.what.empty()) return record(monitor::newest_process(), options, out);
  if (systolic::parse_number(options.what, process)) return record(process, options, out);
  print(monitor::read_profile(options.what), out);
  return 0;
}

}  // namespace tool
