#include "systolic/passes/share_subexpressions.h"

#include <cstring>
#include <unordered_map>

#include "systolic/ir/op_code.h"
#include "systolic/ir/region.h"
#include "systolic/passes/mixed_hash.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Op;
using ir::ValueId;

class Sharer {
 public:
  explicit Sharer(Function& function)
      : function_(function), same_as_(function.types.size(), ir::no_value) {}

  void visit(Block& block) {
    // What a block computes is not seen outside it.
    const size_t outer = order_.size();
    for (Op& op : block.ops) {
      for (ValueId& operand : op.operands) operand = resolved(operand);
      for (Block& region : op.regions) visit(region);
      if (is_shareable(op)) share(op);
    }
    for (ValueId& result : block.results) result = resolved(result);
    while (order_.size() > outer) {
      std::vector<Op>& bucket = seen_[order_.back()];
      bucket.pop_back();
      order_.pop_back();
    }
  }

 private:
  ValueId resolved(ValueId value) const {
    const ValueId same = same_as_[static_cast<size_t>(value)];
    return same == ir::no_value ? value : same;
  }

  // Two barriers are two, whatever they stand before: what is computed after them is to be apart.
  static bool is_shareable(const Op& op) {
    return op.regions.empty() && !op.results.empty() && !ir::has_side_effect(op) &&
           op.code != ir::OpCode::optimization_barrier;
  }

  size_t hash_of(const Op& op) const {
    size_t hash = static_cast<size_t>(op.code);
    for (ValueId operand : op.operands) hash = mixed_hash(hash, static_cast<uint64_t>(operand));
    const ir::Type& type = function_.type(op.results[0]);
    hash = mixed_hash(hash, static_cast<uint64_t>(type.dtype));
    for (int64_t size : type.shape) hash = mixed_hash(hash, static_cast<uint64_t>(size));
    if (op.code == ir::OpCode::constant) {
      const Literal& value = op.get<ir::ConstantAttributes>().value;
      uint64_t first = 0;
      std::memcpy(&first, value.raw(), std::min(sizeof first, value.byte_size()));
      hash = mixed_hash(hash, first);
    }
    return hash;
  }

  bool equal(const Op& a, const Op& b) const {
    if (a.code != b.code || a.operands != b.operands || a.results.size() != b.results.size()) {
      return false;
    }
    for (size_t i = 0; i < a.results.size(); ++i) {
      if (!(function_.type(a.results[i]) == function_.type(b.results[i]))) return false;
    }
    return a.attributes == b.attributes;
  }

  void share(const Op& op) {
    const size_t hash = hash_of(op);
    std::vector<Op>& bucket = seen_[hash];
    for (const Op& earlier : bucket) {
      if (!equal(earlier, op)) continue;
      for (size_t i = 0; i < op.results.size(); ++i) {
        same_as_[static_cast<size_t>(op.results[i])] = earlier.results[i];
      }
      return;
    }
    bucket.push_back(op);
    order_.push_back(hash);
  }

  Function& function_;
  std::vector<ValueId> same_as_;
  std::unordered_map<size_t, std::vector<Op>> seen_;
  std::vector<size_t> order_;  // hashes in the order of their ops, to forget them again
};

}  // namespace

ir::Module share_subexpressions(ir::Module module) {
  for (Function& function : module.functions) Sharer(function).visit(function.body);
  return module;
}

}  // namespace passes
}  // namespace systolic::inline v0
