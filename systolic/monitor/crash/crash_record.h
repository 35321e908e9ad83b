// What a run remembers for the file that it leaves where it dies, in memory of fixed size that a
// signal handler can read.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "systolic/monitor/crash/memory_left.h"
#include "systolic/monitor/crash/thread_stacks.h"
#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

inline constexpr size_t most_last_steps = 64, most_memory_points = 120, most_last_events = 24;

// Why a run ended.
enum class CrashCause : int32_t {
  unknown,    // it runs, or nobody could write: SIGKILL, the machine's end
  signal,     // SIGSEGV, SIGABRT, ...
  terminate,  // an exception that nobody caught, as in a thread of the program's own
  exception,  // one that ended the run; the program may have caught it
};

struct LastStep {
  int64_t step = -1, samples = 0;  // of the run, counted from 0; trained on, with this one
  double time = 0, milliseconds = 0;
  float loss = unknown;
  bool knows_loss = false;  // it is read some steps later; what is known may be no number
};

struct MemoryPoint {
  double time = 0;
  int64_t process_bytes = 0;  // resident
  int64_t device_bytes = 0;   // of the fullest core
  MemoryLeft host = {};       // what it could still take
};

struct CrashRecord {
  CrashCause cause = CrashCause::unknown;
  int32_t signal = 0;
  uint64_t address = 0;      // that a SIGSEGV or SIGBUS was about
  int32_t signal_code = 0;   // si_code
  int64_t by_process = 0;    // that sent the signal; 0: none did; -1: one that is not seen here
  int64_t by_user = 0;       // whose process that is
  FixedText<16> by_program;  // its name
  FixedText<1500> error;     // of an exception

  double time = 0;  // of the last change
  int64_t process = 0, process_start = 0, run = 0;
  FixedText<64> program, name, platform, device_kind;
  FixedText<128> system;  // "Linux 6.1.0 x86_64"
  int32_t cores = 0;
  double begin_time = 0;
  int64_t epoch = -1, epochs = 0, steps = 0, samples = 0, batch_size = 0;
  bool evaluates = false;
  FixedText<400> shapes;  // of the last step's arrays

  std::array<LastStep, most_last_steps> last_steps = {};  // step s at s % most_last_steps
  double memory_interval = 0;                             // between the points
  int32_t memory_count = 0;
  std::array<MemoryPoint, most_memory_points> memory = {};
  int64_t event_count = 0;
  std::array<Happening, most_last_events> last_events = {};  // event e at e % most_last_events

  ThreadStacks stacks;
};

}  // namespace monitor
}  // namespace systolic::inline v0
