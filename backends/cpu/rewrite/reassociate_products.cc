#include "backends/cpu/rewrite/reassociate_products.h"

#include <deque>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/cpu/rewrite/product_chain.h"
#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::Op;
using ir::OpCode;
using ir::ValueId;

class Reassociation {
 public:
  Reassociation(ir::Function& function, const ReassociateOptions& options)
      : function_(function), options_(options), builder_(function) {
    count_uses(function.body);
  }

  void run(ir::Block& block) {
    std::deque<Op> ops;  // which stay where they are when others follow
    Producers producers;
    const auto append = [&](Op op) {
      ops.push_back(std::move(op));
      if (ops.back().results.size() == 1) producers[ops.back().results[0]] = &ops.back();
    };
    for (Op& op : std::exchange(block.ops, {})) {
      for (ir::Block& region : op.regions) run(region);
      const std::optional<ProductChain> chain = find(op, producers);
      if (!chain) {
        append(std::move(op));
        continue;
      }
      for (Op& made : rebuild(*chain)) append(std::move(made));
      drop(chain->ops());
    }
    std::erase_if(ops, [&](const Op& op) {
      return op.results.size() == 1 && dropped_.count(op.results[0]) != 0;
    });
    block.ops.assign(std::move_iterator(ops.begin()), std::move_iterator(ops.end()));
  }

 private:
  using Producers = std::unordered_map<ValueId, const Op*>;  // of one block

  int& uses(ValueId value) {
    if (uses_.size() < function_.types.size()) uses_.resize(function_.types.size());
    return uses_[static_cast<size_t>(value)];
  }
  void count_uses(const ir::Block& block) {
    for (const Op& op : block.ops) {
      for (ValueId value : op.operands) ++uses(value);
      for (const ir::Block& region : op.regions) count_uses(region);
    }
    for (ValueId value : block.results) ++uses(value);
  }

  // The chain that ends in this op and saves most.
  std::optional<ProductChain> find(const Op& outer, const Producers& producers) {
    if (outer.code != OpCode::dot_general) return std::nullopt;
    double most = options_.least_saving;
    std::optional<ProductChain> best;
    for (size_t side : {1, 0}) {
      const std::optional<ChainOps> ops = find_ops(outer, side, producers);
      std::optional<ProductChain> chain = ops ? ProductChain::make(function_, *ops) : std::nullopt;
      const std::optional<double> saving = chain ? chain->saving() : std::nullopt;
      if (!saving || *saving < most) continue;
      most = *saving;
      best.emplace(std::move(*chain));
    }
    return best;
  }

  // Only the bias among these may be read elsewhere too.
  std::optional<ChainOps> find_ops(const Op& outer, size_t side, const Producers& producers) {
    const auto made = [&](ValueId value, OpCode code) -> const Op* {
      const auto found = producers.find(value);
      return found != producers.end() && found->second->code == code ? found->second : nullptr;
    };
    const auto taken = [&](ValueId value, OpCode code) {
      return uses(value) == 1 ? made(value, code) : nullptr;
    };
    ChainOps ops{.outer = &outer, .side = side};
    ValueId value = outer.operands[side];
    ops.reshape = taken(value, OpCode::reshape);
    if (ops.reshape != nullptr) value = ops.reshape->operands[0];
    ops.add = taken(value, OpCode::add);
    for (size_t i = 0; i < 2 && ops.add != nullptr && ops.bias == nullptr; ++i) {
      ops.bias = made(ops.add->operands[i], OpCode::broadcast_in_dim);
      value = ops.add->operands[1 - i];
    }
    if (ops.add != nullptr && ops.bias == nullptr) return std::nullopt;
    ops.inner = taken(value, OpCode::dot_general);
    return ops.inner == nullptr ? std::nullopt : std::optional(ops);
  }

  // Every block that is being walked has given its ops away, so that the body's list, to which the
  // builder appends, is free.
  std::vector<Op> rebuild(const ProductChain& chain) {
    const Op& outer = *chain.ops().outer;
    builder_.location = outer.location;
    builder_.layer_path = outer.layer_path;
    chain.build(builder_);
    std::vector<Op> ops = std::exchange(function_.body.ops, {});
    ops.back().results = outer.results;
    for (const Op& op : ops) {
      for (ValueId value : op.operands) ++uses(value);
    }
    return ops;
  }

  void drop(const ChainOps& ops) {
    for (ValueId value : ops.outer->operands) --uses(value);
    for (const Op* op : {ops.reshape, ops.add, ops.bias, ops.inner}) {
      if (op == nullptr || uses(op->results[0]) != 0) continue;
      for (ValueId value : op->operands) --uses(value);
      dropped_.insert(op->results[0]);
    }
  }

  ir::Function& function_;
  const ReassociateOptions& options_;
  ir::Builder builder_;
  std::vector<int> uses_;
  std::unordered_set<ValueId> dropped_;
};

}  // namespace

void reassociate_products(ir::Module& module, const ReassociateOptions& options) {
  for (ir::Function& function : module.functions) {
    Reassociation(function, options).run(function.body);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
