// StableHLO text, which libtpu, JAX and people read.
#pragma once

#include <string>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

struct PrintOptions {
  bool locations = false;  // loc("file":line:0) after each op
  int64_t elide_elements =
      -1;  // constants larger than this print as dense_resource; -1: never (people only)
};

// The module as StableHLO text that a StableHLO parser accepts; printing is deterministic.
std::string to_text(const Module& module, PrintOptions options = {});

}  // namespace ir
}  // namespace systolic::inline v0
