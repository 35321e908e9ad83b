// Gradients of control flow: branches and calls are computed again, backwards. while has a file of
// its own.
#include "systolic/autodiff/rules/control.h"

#include <algorithm>

#include "systolic/autodiff/clone_live.h"
#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/text.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Block;
using ir::Builder;
using ir::no_value;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

namespace {

// A `case` on the same index, each branch of which computes the forward branch again and the
// gradients of what it took from outside; a value that a branch does not use gets zeros there.
class BranchGradient {
 public:
  explicit BranchGradient(GradientRule& r) : rule_(r), builder_(r.builder()), op_(r.op()) {
    for (size_t i = 0; i < op_.results.size(); ++i) {
      if (r.has_g(i)) wanted_.push_back(i);
    }
    for (ValueId value : ir::values_read(op_)) {
      if (r.walk().varied(value) && used(value)) targets_.push_back(value);
    }
  }

  void run() {
    if (targets_.empty()) return;
    std::vector<Block> regions;
    for (const Block& branch : op_.regions) regions.push_back(backward(branch));
    const Value index = builder_.value(op_.operands[0]);
    const std::vector<Value> gradients =
        builder_.append(op_.code, {&index, 1}, {}, std::move(regions));
    for (size_t i = 0; i < targets_.size(); ++i) {
      rule_.walk().accumulate(targets_[i], gradients[i]);
    }
  }

 private:
  std::vector<ValueId> wanted_results(const Block& branch) const {
    std::vector<ValueId> values;
    for (size_t i : wanted_) values.push_back(branch.results[i]);
    return values;
  }

  bool used(ValueId value) const {
    return std::any_of(op_.regions.begin(), op_.regions.end(), [&](const Block& branch) -> bool {
      return needed(branch, wanted_results(branch), {&value, 1})[0];
    });
  }

  Block backward(const Block& branch) {
    return builder_.region({}, [&](std::span<const Value>) {
      std::vector<ValueId> outputs, arriving;
      for (Value value : clone_live(rule_.walk(), branch, {}, wanted_results(branch))) {
        outputs.push_back(value.id());
      }
      for (size_t i : wanted_) arriving.push_back(rule_.g(i).id());
      const std::vector<ValueId> gradients =
          gradient(builder_, {.outputs = outputs,
                              .output_gradients = arriving,
                              .sources = targets_,
                              .stopped = rule_.walk().stopped()});
      std::vector<Value> results;
      for (size_t i = 0; i < targets_.size(); ++i) {
        results.push_back(gradients[i] == no_value ? zeros_like(builder_.value(targets_[i]))
                                                   : builder_.value(gradients[i]));
      }
      return results;
    });
  }

  GradientRule& rule_;
  Builder& builder_;
  const Op op_;
  std::vector<size_t> wanted_;    // results at which a gradient arrives
  std::vector<ValueId> targets_;  // outside values that get gradients
};

void differentiate_branches(GradientRule& r) { BranchGradient(r).run(); }

// Puts the callee's ops here and differentiates these.
void differentiate_call(GradientRule& r) {
  Builder& builder = r.builder();
  const std::string callee = r.attributes<ir::CallAttributes>().callee;
  const ir::Function* function =
      builder.module() == nullptr ? nullptr : builder.module()->find(callee);
  if (function == nullptr) {
    r.none(str("function '", callee, "' is not known here"), "inline the calls first");
  }
  const std::vector<ValueId> operands = r.op().operands;
  std::vector<ValueId> outputs, arriving, sources;
  const size_t begin = builder.block().ops.size();
  const std::vector<ValueId> results =
      inline_function(*function, operands, builder.function(), builder.block());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!r.has_g(i)) continue;
    outputs.push_back(results[i]);
    arriving.push_back(r.g(i).id());
  }
  for (ValueId operand : operands) {
    const bool listed = std::find(sources.begin(), sources.end(), operand) != sources.end();
    if (!listed && r.walk().varied(operand)) sources.push_back(operand);
  }
  const GradientRequest::Interval inlined{begin, builder.block().ops.size()};
  const std::vector<ValueId> gradients = gradient(builder, {.outputs = outputs,
                                                            .output_gradients = arriving,
                                                            .sources = sources,
                                                            .intervals = {&inlined, 1},
                                                            .stopped = r.walk().stopped()});
  for (size_t i = 0; i < sources.size(); ++i) {
    if (gradients[i] != no_value) r.walk().accumulate(sources[i], builder.value(gradients[i]));
  }
}

void differentiate_optimization_barrier(GradientRule& r) {
  for (size_t i = 0; i < r.operands(); ++i) {
    if (r.has_g(i)) r.grad(i, r.g(i));
  }
}

constexpr GradientRow rows[] = {
    none(OpCode::rng_bit_generator, "random bits have no derivative"),

    whole(OpCode::call, differentiate_call),
    whole(OpCode::case_, differentiate_branches),
    none(OpCode::custom_call, "what a custom function computes is not known"),
    whole(OpCode::if_, differentiate_branches),
    whole(OpCode::optimization_barrier, differentiate_optimization_barrier),
    whole(OpCode::while_, differentiate_while),
};
static_assert(covers(rows, control_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> control_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
