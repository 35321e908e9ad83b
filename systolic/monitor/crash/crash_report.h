// The file of a run that died, read, and told to people.
//
//   CrashReport report = read_crash_file("~/.local/state/systolic/mnist_4711_1.crash");
//   std::cout << explain(report, process_is_alive);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/monitor/crash/crash_record.h"

namespace systolic::inline v0 {
namespace monitor {

struct ReportedThread {
  std::string name;  // "4711 mnist"
  std::vector<uint64_t> frames;
  size_t sure_frames = 0;  // what follows only looks like one
};

// A file that was mapped into the process.
struct ReportedModule {
  uint64_t begin = 0, end = 0, offset = 0;
  std::string path;
  std::string build_id;  // of the file then; "": not known
};

// What stands in the file; what does not is 0, "" or unknown.
struct CrashReport {
  CrashCause cause = CrashCause::unknown;
  int64_t signal = 0, signal_code = 0, by_process = 0, by_user = 0;
  std::string by_program;  // that sent the signal
  uint64_t address = 0;
  std::string error, doing, layer, line;
  double time = 0, begin_time = 0;  // seconds since 1970
  std::string program, versions, device, run, shapes;
  int64_t process = 0, process_start = 0, cores = 0;
  int64_t epoch = -1, epochs = 0, steps = 0, samples = 0, batch_size = 0;
  bool evaluates = false;
  std::vector<LastStep> last_steps;
  std::vector<MemoryPoint> memory;
  std::vector<std::string> events;  // "13:04:05 compilation train_step in 4.0 ms"
  int64_t threads = 0;              // there were
  std::vector<ReportedThread> stacks;
  std::vector<ReportedModule> modules;
  // What a file that was cut, or damaged, lacks: "12 of 64 steps, the stacks of 3 of 11 threads";
  // "": nothing.
  std::string missing;
};

// NotFound where there is none; DataLoss where it is not one of ours, or nothing was written to it.
// Lines that are damaged or not known are left out; more than 8 MB are not read.
CrashReport read_crash_file(const std::string& path);

// Where an address of the run lies, as programs that know symbols take it; the address alone where
// no file holds it.
struct FramePlace {
  std::string path = {};
  uint64_t offset = 0;        // in the file
  std::string build_id = {};  // of the file then
  bool mapped = false;        // code lay there; without a path it was generated while the run ran
};
FramePlace place_of_frame(const CrashReport& report, uint64_t address);

// In sentences: what happened, where, what came before and what to do. `alive`: the process that
// wrote it still runs.
std::string explain(const CrashReport& report, bool alive);

}  // namespace monitor
}  // namespace systolic::inline v0
