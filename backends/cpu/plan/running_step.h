// Which step the software TPU runs at the moment, for the file that a crash leaves
// (base/process/current_work.h).
#pragma once

#include <atomic>

namespace systolic::inline v0 {
namespace cpu {

struct Step;

// Null where none runs. Where several programs run at a time, the one whose step began last.
inline std::atomic<const Step*> running_step{nullptr};

// While a program runs; its steps are gone after it.
struct RunningProgram {
  RunningProgram();
  ~RunningProgram() { running_step.store(nullptr, std::memory_order_relaxed); }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
};

}  // namespace cpu
}  // namespace systolic::inline v0
