// The warning that a program is compiled again because the shapes of its inputs changed. Internal.
#pragma once

#include <cstddef>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {

struct Retrace {
  std::string program;      // "function 'step'"
  std::string input;        // "Tensor argument 1", "input 'ids'"
  ir::Type before, now;     // its type in the program before, and now
  size_t programs = 0;      // so far, with the one that is made now
  SourceLocation location;  // the user's line
};

// "function 'step' (main.cc:41) is compiled again, 3 programs so far: Tensor argument 1 was
// f32(32, 100), is f32(32, 117). ..." with what to do about it.
void warn_of_retrace(const Retrace& retrace);

}  // namespace systolic::inline v0
