// What a Variable handle points to. Internal to trace and distribute.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

struct VariableState {
  ir::Type type;
  VariableOptions options;
  std::function<Literal()> initializer;  // until the first use
  runtime::BufferPtr buffer;             // after it

  // The buffer, made by the initializer at the first use. A deleted one is an error that names the
  // variable.
  const runtime::BufferPtr& ready(SourceLocation location);
};

}  // namespace systolic::inline v0
