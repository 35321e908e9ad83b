#include "systolic/torch_xla/ordinals/first_difference.h"

#include <algorithm>
#include <unordered_map>

#include "systolic/base/text.h"
#include "systolic/ir/op_code.h"
#include "systolic/ir/structure_key.h"

namespace systolic::inline v0 {
namespace torch_xla {
namespace {

// "add(f32[2,3], f32[3]) to f32[2,3] (net.cc:12)"
std::string op_text(const ir::Function& function, const ir::Op& op) {
  std::vector<std::string> operands, results;
  for (ir::ValueId id : op.operands) operands.push_back(ir::to_string(function.type(id)));
  for (ir::ValueId id : op.results) results.push_back(ir::to_string(function.type(id)));
  const std::string line =
      op.location.known() ? str(" (", op.location.file, ":", op.location.line, ")") : "";
  return str(ir::info(op.code).name, "(", join(operands), ") to ", join(results), line);
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

std::string side(const ir::Function& function, size_t i, int ordinal) {
  const auto& ops = function.body.ops;
  return str(i < ops.size() ? op_text(function, ops[i]) : std::string("not there"), " on ordinal ",
             ordinal);
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
  return Difference{str("op ", i, " is ", side(x, i, ordinal_a), ", and ", side(y, i, ordinal_b)),
                    shown.location};
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
