#include "systolic/torch_xla/ordinals/first_difference.h"

#include <algorithm>
#include <unordered_map>

#include "systolic/base/text.h"
#include "systolic/ir/op_code.h"
#include "systolic/ir/structure_key.h"

namespace systolic::inline v0 {
namespace torch_xla {
namespace {

// "add(f32[2,3], f32[3]) to f32[2,3]"
std::string op_text(const ir::Function& function, const ir::Op& op) {
  std::vector<std::string> operands, results;
  for (ir::ValueId id : op.operands) operands.push_back(ir::to_string(function.type(id)));
  for (ir::ValueId id : op.results) results.push_back(ir::to_string(function.type(id)));
  return str(ir::info(op.code).name, "(", join(operands), ") to ", join(results));
}

// Walks two functions side by side. Arguments may stand in another order: they are matched where
// they are first used.
class SideBySide {
 public:
  SideBySide(const ir::Function& a, const ir::Function& b) : a_(a), b_(b) {}

  // The index of the first ops that differ; the number of ops that both have where none does.
  size_t first() {
    const auto &x = a_.body.ops, &y = b_.body.ops;
    size_t i = 0;
    while (i < x.size() && i < y.size() && same(x[i], y[i])) ++i;
    return i;
  }

 private:
  bool same(const ir::Op& x, const ir::Op& y) {
    if (x.code != y.code || !(x.attributes == y.attributes)) return false;
    return same_values(x.operands, y.operands) && same_values(x.results, y.results) &&
           x.regions.size() == y.regions.size();
  }
  bool same_values(const std::vector<ir::ValueId>& x, const std::vector<ir::ValueId>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](ir::ValueId u, ir::ValueId v) {
      const auto [known, is_new] = partner_.try_emplace(u, v);
      return known->second == v && a_.type(u) == b_.type(v);
    });
  }

  const ir::Function &a_, &b_;
  std::unordered_map<ir::ValueId, ir::ValueId> partner_;  // of a's values, in b
};

// The op at `i`, or where that only prepares an operand (a constant) the op that it is for.
size_t telling(const ir::Function& function, size_t i) {
  const auto& ops = function.body.ops;
  const auto prepares = [](const ir::Op& op) {
    return op.code == ir::OpCode::constant || op.code == ir::OpCode::broadcast_in_dim;
  };
  size_t at = i;
  while (at < ops.size() && prepares(ops[at])) ++at;
  return at < ops.size() ? at : i;
}

std::string side(const ir::Function& function, size_t i, int ordinal) {
  const auto& ops = function.body.ops;
  return str(i < ops.size() ? op_text(function, ops[i]) : std::string("not there"), " on ordinal ",
             ordinal);
}

bool is_constant(const ir::Function& function, size_t i) {
  const auto& ops = function.body.ops;
  return i < ops.size() && ops[i].code == ir::OpCode::constant;
}

}  // namespace

std::optional<Difference> first_difference(const ir::Module& a, int ordinal_a, const ir::Module& b,
                                           int ordinal_b) {
  if (ir::structure_key(a) == ir::structure_key(b)) return std::nullopt;
  const ir::Function &x = a.main(), &y = b.main();
  const size_t i = SideBySide(x, y).first();
  if (i == x.body.ops.size() && i == y.body.ops.size()) {
    return Difference{str("the same ops give other results on ordinal ", ordinal_b,
                          " than on ordinal ", ordinal_a, ", or differ inside a loop or branch"),
                      {}};
  }
  const ir::Op& shown = i < y.body.ops.size() ? y.body.ops[i] : x.body.ops[i];
  // Two constants of other values are the difference themselves.
  const bool values = is_constant(x, i) && is_constant(y, i);
  const size_t of_x = values ? i : telling(x, i), of_y = values ? i : telling(y, i);
  return Difference{str("op ", i, " is ", side(x, of_x, ordinal_a), ", and ",
                        side(y, of_y, ordinal_b), values ? ", of another value" : ""),
                    shown.location};
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
