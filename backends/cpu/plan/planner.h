// What lowering works with: the program's values as views of places, and the list of steps that
// grows.
//
//   void lower_negate_slowly(Planner& planner, const ir::Op& op) {
//     const PlaceId x = planner.dense(op.operands[0]), y = planner.define(op.results[0]);
//     planner.emit({.name = "negate", .reads = {x}, .writes = {y}},
//                  [=](const Frame& frame) { negate(frame.at(x), frame.at(y)); });
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "backends/cpu/plan/held_value.h"
#include "backends/cpu/plan/memory_layout.h"
#include "backends/cpu/plan/plan.h"
#include "backends/cpu/plan/prepared_steps.h"
#include "backends/cpu/plan/step_chain.h"
#include "backends/cpu/plan/step_note.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/split_products.h"

namespace systolic::inline v0 {
namespace cpu {

class Planner;
// How the ops of a block become steps: lower/lower_block.h.
using LowerBlock = void (*)(Planner& planner, const ir::Block& block);

class Planner {
 public:
  // Module and function must outlive the planner. `threads` compute. `matrix_unit` is the rows and
  // columns of the unit whose work is counted (matrix_work.h).
  Planner(const ir::Module& module, const ir::Function& function, int threads,
          LowerBlock lower_block,
          runtime::SplitProducts split_products = runtime::SplitProducts::none,
          int64_t matrix_unit = 128);

  const ir::Module& module() const { return module_; }
  const ir::Function& function() const { return function_; }
  const ir::Type& type(ir::ValueId value) const { return function_.type(value); }
  int threads() const { return threads_; }
  runtime::SplitProducts split_products() const { return split_products_; }
  int64_t matrix_unit() const { return matrix_unit_; }
  MemoryLayout& memory() { return memory_; }

  // How often ops and results use the value, in regions too, but for ops that leave it unread.
  int uses(ir::ValueId value) const { return value_(value).uses; }
  // The one op that reads it; null where more do, a block returns it, or one has left it unread.
  const ir::Op* only_reader(ir::ValueId value) const {
    return value_(value).uses == 1 ? value_(value).reader : nullptr;
  }
  // One of the ops that use it does not read it, as it turns out: nobody stores it for that op.
  void leave_unread(ir::ValueId value) {
    --value_(value).uses;
    value_(value).reader = nullptr;  // it may have been that one
  }
  // The op that defines it; null for arguments.
  const ir::Op* definition(ir::ValueId value) const { return value_(value).definition; }

  // Where the value lies. Movement ops that only change strides are resolved here, when asked for.
  const View& view(ir::ValueId value);
  // The value's elements in row-major order without gaps; a view that is not so is copied once.
  PlaceId dense(ir::ValueId value);
  // The same of a view that is no value's own; only those of arguments are kept for the next that
  // asks: a convolution and its kernel's gradient read one image.
  PlaceId dense(const View& view, const char* name);
  // A place for a result, dense.
  PlaceId define(ir::ValueId value);
  // A result that is held otherwise: a view of something there, or left to those who read it.
  void define(ir::ValueId value, HeldValue held) { value_(value).held = std::move(held); }
  // The value as it is held; null where it is not held in this form.
  template <class Form>
  const Form* held_as(ir::ValueId value) const {
    return std::get_if<Form>(&value_(value).held);
  }
  // The value as an elementwise program reads it. The results of movement ops are views, but for
  // random bits that nobody has stored: ops that keep their positions pass these on.
  const HeldValue& held(ir::ValueId value);
  PlaceId temporary(int64_t bytes) { return memory_.temporary(bytes); }
  // Where the reciprocals of the f32 at a place are, number by number; no_place where nobody has
  // made them. A division by the place may be a product with these, at 1.5 units in the last place
  // instead of half a one: softmax and its gradient divide each element of a row by one sum.
  void define_reciprocals(PlaceId place, PlaceId reciprocals) { reciprocals_[place] = reciprocals; }
  PlaceId reciprocals(PlaceId place) const {
    const auto found = reciprocals_.find(place);
    return found == reciprocals_.end() ? no_place : found->second;
  }
  // The step that comes next reads parts of single rows of `place`, by Frame::row_at; it need not
  // say that it reads the place.
  void take_row(PlaceId place) { taken_by_rows_.push_back(place); }
  PlaceId constant(const Literal& literal);

  // Steps emitted from now on, until the next call, belong to `op`.
  void at(const ir::Op& op) { op_ = &op; }

  // The value's elements where they are known while compiling.
  const Literal* literal(ir::ValueId value) const;
  // The one element, as a scalar, that all of the value's are known to equal.
  std::optional<Literal> splat(ir::ValueId value) const;

  void emit(StepNote note, std::function<void(const Frame&)> run);
  // While `grow`, steps that are no part of the chain that grows do not end it either, but run
  // after it.
  void let_chain_grow(bool grow) { lets_chain_grow_ = grow; }
  // Copies the elements in row-major order.
  void emit_copy(const View& from, PlaceId to, std::string name = "copy");

  // The position where a step begins that holds lists of its own: no step emitted so far has a
  // later one.
  int begin_position();
  // Steps emitted between the two go to a list of their own: bodies of loops and branches.
  void begin_steps();
  std::vector<Step> end_steps();
  // Whether the program may be run again with the same parameters: what a kernel makes of one is
  // better a step of its own then, which runs once (prepared_steps.h).
  bool prepares() const { return prepared_.has_parameters(); }
  // Whether what is lowered now is in no loop and no branch.
  bool is_outermost() const { return open_.size() == 1; }

  // Lowers the ops of a region, whose arguments must be defined, into the current list.
  void lower_block(const ir::Block& block);
  // What a region reads from outside must lie ready before its steps begin.
  void prepare_captures(const ir::Op& op);

  // The whole function as a plan. Call once.
  Plan finish();

 private:
  struct Value {
    const ir::Op* definition = nullptr;
    const ir::Op* reader = nullptr;  // one of them
    int uses = 0;
    HeldValue held;
    PlaceId copy = no_place;  // a dense copy of a view that is not dense
  };
  Value& value_(ir::ValueId value) { return values_[static_cast<size_t>(value)]; }
  const Value& value_(ir::ValueId value) const { return values_[static_cast<size_t>(value)]; }
  // A chain in the plan, by the members' notes and by what runs.
  struct FinishedChain {
    StepChain chain;
    std::shared_ptr<ChainedSteps> steps;
  };
  // Gives the step's number in PreparedSteps, where the op at hand may be prepared.
  std::optional<size_t> touch(const StepNote& note, int position);
  bool computes_from_operands() const;
  void push(Step step, int position, std::optional<size_t> noted = {});
  Step step_of(const StepNote& note, std::function<void(const Frame&)> run) const;
  void push_alone(const StepNote& note, Step step);
  // Lets no step that was emitted so far wait any longer.
  void end_chain();
  void push_chain();
  bool reads_waiting(const StepNote& note) const;
  void give_buffers(FinishedChain& finished);
  void collect_uses(const ir::Block& block);
  void resolve(ir::ValueId value);
  void apply_movement(const ir::Op& op);
  void lower_constant(ir::ValueId value);
  void define_arguments();
  void define_results(Plan& plan);
  void prepare_steps(Plan& plan);
  void copy_passed_arguments(std::vector<PlaceId>& results);
  std::vector<int64_t> first_overwrites() const;
  std::vector<PlaceId> arguments_taken_by_rows() const;

  const ir::Module& module_;
  const ir::Function& function_;
  int threads_;
  runtime::SplitProducts split_products_;
  int64_t matrix_unit_;
  LowerBlock lower_block_;
  MemoryLayout memory_;
  std::vector<Value> values_;
  std::unordered_map<PlaceId, PlaceId> reciprocals_;
  std::vector<PlaceId> arguments_, taken_by_rows_;
  std::vector<std::vector<Step>> open_;                // nested lists of steps
  std::vector<std::vector<ir::ValueId>> copies_made_;  // in each of them
  std::vector<std::vector<std::pair<View, PlaceId>>> view_copies_;
  std::vector<Literal> constants_;
  const ir::Op* op_ = nullptr;
  std::optional<StepChain> chain_;  // that the next step may join
  bool lets_chain_grow_ = false;
  std::vector<StepChain::Member> waiting_;  // for its end
  std::vector<FinishedChain> chains_;
  PreparedSteps prepared_;
  std::vector<size_t> parameters_;  // the arguments that prepared_ knows
  bool has_inner_steps_ = false;    // of a loop or a branch
  std::vector<int> positions_;      // of the steps of the outermost list
};

// Movement ops that give a view of their operand: nothing is computed when they are met.
bool is_view_op(ir::OpCode code);

// Whether element i of the result, counted in row-major order, is element i of the operand: a
// reshape, or the first elements of a vector.
bool keeps_positions(const Planner& planner, const ir::Op& op);

// "multiply f32[8,128]": the op with its first result's type, for step names.
std::string op_text(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
