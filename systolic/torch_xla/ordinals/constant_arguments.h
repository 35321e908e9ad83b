// Numbers that a step's program takes as arguments, since another step may give others. Most never
// change, and as constants of the program they let a compiler see more: that rows are normalized,
// say. Those that were the same in every step so far become constants. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace torch_xla {

class ConstantArguments {
 public:
  explicit ConstantArguments(size_t arguments) : known_(arguments) {}

  // Whether an argument, which is `number` in this step, was that in every step; nothing: it is no
  // number that the host knows.
  bool is_constant(size_t argument, const std::optional<Literal>& number);
  // The module with these arguments, which is_constant() has said are, read as constants. It takes
  // them still.
  ir::Module with_constants(const ir::Module& module, const std::vector<bool>& constant) const;

 private:
  struct Known {
    bool seen = false, varies = false;
    Literal number;
  };
  std::vector<Known> known_;  // by argument
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
