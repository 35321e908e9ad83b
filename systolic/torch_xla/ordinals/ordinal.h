// The ordinal that the calling thread is: set by xmp::spawn. Internal.
#pragma once

#include <functional>
#include <vector>

#include "systolic/torch_xla/ordinals/meeting.h"

namespace systolic::inline v0 {

class DonatedVariables;  // trace/donated_variables.h

namespace torch_xla {

struct Ordinal {
  int index = 0;
  int world_size = 1;
  Meeting* meeting = nullptr;
  // What is run now is a step of all ordinals, and not a read by this one; where it was asked for.
  bool in_step = false;
  const char* step_name = "a step";
  SourceLocation step_at = {};
  // What the step's program may overwrite; null: nothing.
  DonatedVariables* donated = nullptr;
  std::vector<std::function<void()>> closures = {};  // for after the step

  // Null outside of spawn.
  static Ordinal* current();
};

// Makes the calling thread an ordinal.
class OrdinalScope {
 public:
  explicit OrdinalScope(Ordinal& ordinal);
  ~OrdinalScope();
  OrdinalScope(const OrdinalScope&) = delete;
  OrdinalScope& operator=(const OrdinalScope&) = delete;
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
