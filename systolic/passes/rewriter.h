// Rebuilding a program op by op, with rules that put simpler values in place of an op's result.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace passes {

class Rewriter;

// What `op` (its operands are values of the new program) may be replaced by; nothing to keep it.
// Only called for ops with one result and no regions.
using RewriteRule = std::optional<ir::Value> (*)(Rewriter& rewriter, const ir::Op& op,
                                                 const ir::Type& result);

class Rewriter {
 public:
  // A copy of the module in which each op is replaced by the result of the first rule that applies.
  static ir::Module run(const ir::Module& module, std::span<const RewriteRule> rules);

  ir::Builder& builder() { return *builder_; }
  ir::Value value(ir::ValueId id) { return builder_->value(id); }
  // The op that made a value of the new program, without its regions; nullptr for arguments.
  const ir::Op* producer(ir::ValueId value) const;
  // The op that made the value, if it is of this kind.
  const ir::Op* producer(ir::ValueId value, ir::OpCode code) const;
  // The literal of a constant; nullptr for other values.
  const Literal* constant(ir::ValueId value) const;
  // The number that every element has: of a constant, or of one that was broadcast.
  std::optional<double> uniform_number(ir::ValueId value) const;

 private:
  Rewriter(const ir::Function& source, ir::Function& target, const ir::Module& module,
           std::span<const RewriteRule> rules);

  void rewrite_function();
  void rewrite(const ir::Block& block);
  void rewrite(const ir::Op& op);
  // Remembers what made the values of ops that were appended since the last call.
  void note_producers(size_t first);

  const ir::Function& source_;
  ir::Function& target_;
  std::optional<ir::Builder> builder_;
  std::span<const RewriteRule> rules_;
  ir::ValueMap map_;
  std::deque<ir::Op> known_;
  std::vector<const ir::Op*> producers_;  // by value of the new program
};

}  // namespace passes
}  // namespace systolic::inline v0
