// What stands on the stacks of a run that died, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/symbol_table.h"

namespace systolic::inline v0 {
namespace monitor {

// Looks into the programs and libraries that the report names, where they lie here and are the
// builds that the run had.
class FrameNames {
 public:
  explicit FrameNames(const CrashReport& report) : report_(report) {}

  // "mnist+0x8b7e0e systolic::cpu::run_steps"; "code that was generated while it ran, for dot ..."
  // where no file holds it; without a name where none is known.
  std::string text(uint64_t address);
  // Why some have none: "libfoo.so is another build than the run's"; "" where all is well.
  const std::string& note() const { return note_; }

 private:
  std::string name(const FramePlace& place);

  const CrashReport& report_;
  std::map<std::string, SymbolTable> tables_;  // by path
  std::string note_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
