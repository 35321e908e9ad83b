// What is logged, or raised, where a program is compiled again. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {

struct Retrace {
  std::string program;               // "function 'step'"
  std::vector<std::string> changes;  // "argument 1 was f32[32,100], is f32[32,117]"
  std::string hint;       // empty: nothing can be done about it, the line is not a warning
  size_t programs = 0;    // so far, with the one that is made now
  SourceLocation called;  // the user's line that needs it
  SourceLocation made = {};
};

inline constexpr const char* shapes_hint =
    "every new shape costs a compilation: pad sequences to a multiple of 32 or 64 (or to "
    "length_buckets) and mask the rest, and give batches one size";

// "argument 1 was f32[32,100], is f32[32,117]"
std::string type_change(const std::string& input, const ir::Type& before, const ir::Type& now);

// "1st", "22nd", "113th"; "1 array", "2 arrays".
std::string ordinal(size_t number);
std::string counted(size_t number, const std::string& noun);

// Publishes a Recompilation: "function 'step' (made at main.cc:41) is compiled again at main.cc:77,
// 3 programs so far: ..."; where `strict`, raises it as a FailedPrecondition.
void report_retrace(const Retrace& retrace, bool strict);

}  // namespace systolic::inline v0
