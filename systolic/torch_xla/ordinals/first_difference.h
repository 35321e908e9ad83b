// Where the programs of two ordinals stop being the same.
#pragma once

#include <optional>
#include <string>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace torch_xla {

struct Difference {
  std::string
      text;  // "op 3 is add f32[2,3] (net.cc:12) on ordinal 0 and multiply ... on ordinal 1"
  SourceLocation location;  // on the second ordinal, or on the first where that has no such op
};

// The first op, or argument, in which they differ by more than names and lines; nothing where they
// are the same program.
std::optional<Difference> first_difference(const ir::Module& a, int ordinal_a, const ir::Module& b,
                                           int ordinal_b);

}  // namespace torch_xla
}  // namespace systolic::inline v0
