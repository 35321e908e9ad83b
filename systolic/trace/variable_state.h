// What a Variable handle points to. Internal to the library.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

// Held while variables' buffers are read or replaced. A program holds it from the moment it takes
// its variables' memory until they have their new values, so that other threads see them only
// between steps. Recursive: an initializer may run programs.
std::recursive_mutex& variables_mutex();

struct VariableState {
  ir::Type type;
  VariableOptions options;
  std::function<Literal()> initializer;  // until the first use
  runtime::BufferPtr buffer;             // after it
  std::string lost_in = {};  // what failed before it gave a new value; empty: nothing did

  // The two below take variables_mutex(). The value is now in `value`.
  void hold(runtime::BufferPtr value);
  // The buffer, made by the initializer at the first use. A deleted one is an error that names the
  // variable.
  runtime::BufferPtr ready(SourceLocation location);
};

}  // namespace systolic::inline v0
