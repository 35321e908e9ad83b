// systolic doctor FILE: what is known of a run that died.
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/crash/crash_file.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/dead_runs.h"
#include "systolic/monitor/sampler/process_start.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

namespace monitor = systolic::monitor;

bool still_runs(const monitor::CrashReport& report) {
  const int64_t start = monitor::process_start(report.process);
  return start >= 0 && start == report.process_start;
}

}  // namespace

int explain_crash(const std::string& file, std::ostream& out) {
  monitor::keep_what_dead_runs_said();
  const monitor::CrashReport report = monitor::read_crash_file(file);
  out << monitor::explain(report, still_runs(report)) << std::flush;
  if (report.missing.empty()) return 0;
  systolic::raise<systolic::DataLoss>({.what = systolic::str("'", file, "' was cut or damaged"),
                                       .got = systolic::str("a file without ", report.missing),
                                       .hint = "what is told above is what is left of it"});
}

void list_crashes(std::ostream& out) {
  monitor::keep_what_dead_runs_said();
  out << "runs that died (systolic doctor FILE tells of one)\n";
  bool any = false;
  for (const std::string& file : monitor::crash_files()) {
    try {
      if (still_runs(monitor::read_crash_file(file))) continue;
    } catch (const systolic::Error&) {  // not one of ours
      continue;
    }
    out << "  " << file << "\n";
    any = true;
  }
  if (!any) out << "  none\n";
}

}  // namespace tool
