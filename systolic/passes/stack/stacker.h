// What the rules of stack_cores share: reading values as uniform or stacked, writing results.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"
#include "systolic/passes/stack/stack_analysis.h"

namespace systolic::inline v0 {
namespace passes {

class Stacker {
 public:
  Stacker(const ir::Function& source, const StackAnalysis& analysis, int64_t cores,
          ir::Function& target, const ir::Module& module);

  const ir::Function& source() const { return source_; }
  const StackAnalysis& analysis() const { return analysis_; }
  ir::Builder& builder() { return builder_; }
  int64_t cores() const { return cores_; }

  bool stacked(ir::ValueId value) const { return analysis_.stacked(value); }
  bool any_stacked(std::span<const ir::ValueId> values) const;
  const ir::Type& source_type(ir::ValueId value) const { return source_.type(value); }
  // The source's op that makes the value; null for arguments of the function and of regions.
  const ir::Op* producer(ir::ValueId value) const { return producers_[static_cast<size_t>(value)]; }
  // The value in the new program.
  ir::Value get(ir::ValueId value) { return builder_.value(map_.at(value)); }
  // The value with the core axis: repeated along it when uniform.
  ir::Value get_stacked(ir::ValueId value);
  std::vector<ir::Value> get_all_stacked(std::span<const ir::ValueId> values);
  // Binds a source value; a uniform one is repeated where the analysis says stacked.
  void set(ir::ValueId value, ir::Value target, bool is_stacked);

  // One core's type with the core axis in front.
  ir::Type with_cores(const ir::Type& type) const;
  ir::Value repeat(ir::Value uniform, int64_t times);

  // Converts the ops of a block at the builder's place.
  void convert(const ir::Block& block);
  void convert(const ir::Op& op);
  // Copies the op unchanged: everything it reads is uniform.
  void copy(const ir::Op& op);
  // Copies the op once for each core, on slices.
  void unroll(const ir::Op& op);
  // The same with `run` instead of the copy; it gives one core's results.
  void unroll(const ir::Op& op, const std::function<std::vector<ir::Value>(int64_t)>& run);
  // The copy for one core, and its results.
  std::vector<ir::Value> on_core(const ir::Op& op, int64_t core);
  // Copies of an op's regions, which read nothing stacked.
  std::vector<ir::Block> copy_regions(const ir::Op& op);

  // The sum of a value over the cores, without computing each core's first; nothing where that is
  // no better than adding up the stacked value.
  std::optional<ir::Value> merged_sum(ir::ValueId value);

  // Cores that take part, in branches and loops that cores leave at different times: pred[cores].
  std::optional<ir::Value> mask;

 private:
  void count_uses(const ir::Block& block);
  void find_producers(const ir::Block& block);
  bool may_sum_operands(const ir::Op& contraction) const;
  bool adds_to_zeros(const ir::Op& scatter) const;
  bool reaches_contraction(ir::ValueId value, int depth) const;
  ir::Value sum(ir::ValueId value);

  const ir::Function& source_;
  const StackAnalysis& analysis_;
  int64_t cores_;
  ir::Function& target_;
  ir::Builder builder_;
  ir::ValueMap map_;
  std::vector<int> uses_;
  std::vector<const ir::Op*> producers_;
};

using StackRule = void (*)(Stacker&, const ir::Op&);
// The rule of an op; nullptr for ops that are never stacked.
StackRule stack_rule(ir::OpCode code);

// The rules, for ops with at least one stacked value.
void stack_elementwise(Stacker& s, const ir::Op& op);
void stack_replica_id(Stacker& s, const ir::Op& op);
void stack_partition_id(Stacker& s, const ir::Op& op);
void stack_broadcast_in_dim(Stacker& s, const ir::Op& op);
void stack_concatenate(Stacker& s, const ir::Op& op);
void stack_dynamic_slice(Stacker& s, const ir::Op& op);
void stack_dynamic_update_slice(Stacker& s, const ir::Op& op);
void stack_gather(Stacker& s, const ir::Op& op);
void stack_pad(Stacker& s, const ir::Op& op);
void stack_reshape(Stacker& s, const ir::Op& op);
void stack_axes(Stacker& s, const ir::Op& op);
void stack_scatter(Stacker& s, const ir::Op& op);
void stack_slice(Stacker& s, const ir::Op& op);
void stack_sort(Stacker& s, const ir::Op& op);
void stack_convolution(Stacker& s, const ir::Op& op);
void stack_dot_general(Stacker& s, const ir::Op& op);
void stack_reduce(Stacker& s, const ir::Op& op);
void stack_window(Stacker& s, const ir::Op& op);
void stack_unrolled(Stacker& s, const ir::Op& op);
void stack_branches(Stacker& s, const ir::Op& op);
void stack_custom_call(Stacker& s, const ir::Op& op);
void stack_while(Stacker& s, const ir::Op& op);
void stack_optimization_barrier(Stacker& s, const ir::Op& op);
void stack_collective(Stacker& s, const ir::Op& op);
// The check, while the program runs, that either all or none of the cores that exchange values here
// take part. Nothing where all cores do.
void stack_coming_together(Stacker& s, const ir::Op& op);
void stack_collective_permute(Stacker& s, const ir::Op& op);

// {0, axes + 1}: an attribute that names every axis, with the core axis in front.
ir::Axes shifted(const ir::Axes& axes);
ir::Axes prepended(int64_t first, const ir::Axes& axes);
// Row `i` of the first axis, with that axis: [1, ...].
ir::Value row(ir::Value x, int64_t i);
// Axis `from` moved to position `to`.
ir::Value move_axis(ir::Value x, int from, int to);
// Axes `axis` and `axis + 1` merged into one.
ir::Value merge_axes(ir::Value x, int axis);
// Axis `axis` split into two, the first of size `first`.
ir::Value split_axis(ir::Value x, int axis, int64_t first);
// The convolution of stacked images and stacked kernels, summed over the cores; nothing with
// groups.
std::optional<ir::Value> summed_convolution(ir::Value input, ir::Value kernel,
                                            ir::ConvolutionAttributes attributes,
                                            const ir::Type& result);

}  // namespace passes
}  // namespace systolic::inline v0
