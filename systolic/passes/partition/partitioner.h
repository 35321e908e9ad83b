// What the parts of partition() share: how each value is held, and how one process's program is
// built.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"
#include "systolic/passes/partition/factors.h"
#include "systolic/passes/partition/partition.h"

namespace systolic::inline v0 {
namespace passes {

// How an op is computed piece by piece.
struct OpPlan {
  std::vector<int> operands, results;  // cuts
  bool folds = false;                  // the processes' results are put together by an all_reduce
};

class Partitioner {
 public:
  Partitioner(const ir::Function& source, int64_t processes, ir::Function& target,
              const ir::Module& module);

  ir::Builder& builder() { return builder_; }
  int64_t processes() const { return processes_; }
  std::vector<Gathered> take_gathered() { return std::move(gathered_); }

  // The axis along which a value is cut in the new program.
  int cut(ir::ValueId value) const { return cuts_[static_cast<size_t>(value)]; }
  // The source's type, cut.
  ir::Type type(ir::ValueId value, int cut) const;
  bool divides(ir::ValueId value, int axis) const;
  void set(ir::ValueId value, ir::Value target, int cut);
  // The value, cut along this axis or whole, whatever it was.
  ir::Value get(ir::ValueId value, int cut);
  ir::Value whole(ir::ValueId value) { return get(value, no_cut); }

  // Converts the ops of a block at the builder's place.
  void convert(const ir::Block& block);
  // The cuts that the results of a block would have; the values of the block are left with them.
  std::vector<int> trial(const ir::Block& block);

 private:
  // Partitions of a region live as long as the region is built.
  class Scope;

  OpPlan plan(const ir::Op& op) const;
  void convert(const ir::Op& op);
  void convert_branches(const ir::Op& op);
  void convert_while(const ir::Op& op);
  void convert_barrier(const ir::Op& op);
  void emit(const ir::Op& op, const OpPlan& plan);
  std::vector<ir::Value> append(const ir::Op& op, const OpPlan& plan,
                                std::span<const ir::Value> operands);
  ir::Value put_together(const ir::Op& op, const OpPlan& plan);

  std::vector<ir::Block> copy_regions(const ir::Op& op);
  ir::Block region(const ir::Block& block, std::span<const int> arguments,
                   std::span<const int> results);
  std::vector<int> branch_cuts(const ir::Op& op);
  std::vector<int> state_cuts(const ir::Op& op);

  // trial() of one op.
  void follow(const ir::Op& op);

  // Pieces of whole values, and the reverse.
  ir::Value piece(ir::ValueId value, int axis);
  std::optional<ir::Value> produce_piece(ir::ValueId value, int axis);
  std::optional<ir::Value> moved(const ir::Op& op, int axis);
  ir::Value sliced(ir::Value x, int axis);
  ir::Value first_of_piece(DType dtype, int64_t piece_size);
  ir::Value gathered(ir::ValueId value);

  void find_producers(const ir::Block& block);

  const ir::Function& source_;
  int64_t processes_;
  ir::Function& target_;
  ir::Builder builder_;
  std::vector<int> cuts_;          // of each source value
  std::vector<ir::ValueId> held_;  // in the target
  std::vector<const ir::Op*> producers_;
  // Other forms of values, each as long as the block in which it was made.
  std::map<std::pair<ir::ValueId, int>, ir::ValueId> others_;
  std::vector<std::pair<ir::ValueId, int>> made_;
  std::vector<Gathered> gathered_;
  const ir::Op* current_ = nullptr;
};

// The op's attributes for results that are cut as planned: sizes are those of a piece.
ir::Attributes cut_attributes(const ir::Op& op, const OpPlan& plan, int64_t processes);

}  // namespace passes
}  // namespace systolic::inline v0
