// What a program's text tells about the signs of its values.
#pragma once

#include <unordered_map>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Signs as mathematics has them: a power of e is positive although it may underflow, and NaN has
// none. "false" is: not known.
class Signs {
 public:
  explicit Signs(const ir::Function& function);

  // All elements are above 0, or not below it.
  bool positive(ir::ValueId value) const { return holds(value, Sign::positive, most_steps); }
  bool not_negative(ir::ValueId value) const {
    return holds(value, Sign::not_negative, most_steps);
  }
  // No element is 0.
  bool not_zero(ir::ValueId value) const;

 private:
  enum class Sign : uint8_t { positive, not_negative };
  static constexpr int most_steps = 16;  // from the value back through the program

  bool holds(ir::ValueId value, Sign sign, int steps) const;
  bool constant_holds(const ir::Op& op, Sign sign) const;
  // The op, or that whose elements it only moves.
  const ir::Op* maker(ir::ValueId value) const;

  const ir::Function& function_;
  std::unordered_map<ir::ValueId, const ir::Op*> makers_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
