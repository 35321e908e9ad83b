#include "backends/interpreter/evaluator.h"

#include <algorithm>
#include <map>

#include "backends/interpreter/collectives.h"
#include "systolic/base/error.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::Block;
using ir::Op;
using ir::OpCode;

// The branch that a core takes: if has the true one first; case takes its last for any index out
// of range.
size_t branch_of(const Op& op, const Literal& operand) {
  if (op.code == OpCode::if_) return operand.data<bool>()[0] ? 0 : 1;
  const int32_t index = operand.data<int32_t>()[0];
  const auto count = static_cast<int32_t>(op.regions.size());
  return static_cast<size_t>(index < 0 || index >= count ? count - 1 : index);
}

bool is_called_once(const Op& op) {
  return op.code == OpCode::custom_call && op.get<ir::CustomCallAttributes>().once;
}

}  // namespace

Evaluator::Evaluator(const ir::Function& function, int cores, const EvaluateLimits& limits)
    : function_(function),
      cores_(cores),
      ops_left_(limits.most_ops),
      values_(static_cast<size_t>(cores),
              std::vector<std::optional<Literal>>(function.types.size())) {}

std::vector<std::vector<Literal>> Evaluator::run(
    const std::vector<std::vector<Literal>>& arguments) {
  Cores all;
  for (int core = 0; core < cores_; ++core) {
    all.push_back(core);
    set_all(core, function_.body.arguments, arguments[static_cast<size_t>(core)]);
  }
  run_block(function_.body, all);
  std::vector<std::vector<Literal>> results;
  for (int core : all) results.push_back(values(core, function_.body.results));
  return results;
}

std::vector<Literal> Evaluator::values(int core, const std::vector<ir::ValueId>& ids) {
  std::vector<Literal> literals;
  literals.reserve(ids.size());
  for (ir::ValueId id : ids) literals.push_back(value(core, id));
  return literals;
}

void Evaluator::set_all(int core, const std::vector<ir::ValueId>& ids,
                        std::vector<Literal> literals) {
  for (size_t i = 0; i < ids.size(); ++i) set(core, ids[i], std::move(literals[i]));
}

std::vector<ir::Type> Evaluator::types(const std::vector<ir::ValueId>& ids) const {
  std::vector<ir::Type> result;
  for (ir::ValueId id : ids) result.push_back(function_.type(id));
  return result;
}

void Evaluator::run_block(const Block& block, const Cores& active) {
  for (const Op& op : block.ops) run_op(op, active);
}

void Evaluator::run_op(const Op& op, const Cores& active) {
  if (--ops_left_ < 0) {
    raise<ResourceExhausted>(
        {.what = "the program runs more ops than it may", .location = op.location});
  }
  if (const Kernel found = kernel(op.code)) {
    if (is_called_once(op)) return run_once(op, found, active);
    for (int core : active) run_kernel(op, found, core);
    return;
  }
  switch (op.code) {
    case OpCode::replica_id:
      for (int core : active) {
        set(core, op.results[0], Literal::scalar(static_cast<uint32_t>(core)));
      }
      return;
    case OpCode::partition_id:
      for (int core : active) set(core, op.results[0], Literal::scalar(uint32_t{0}));
      return;
    case OpCode::optimization_barrier:
      for (int core : active) set_all(core, op.results, values(core, op.operands));
      return;
    case OpCode::if_:
    case OpCode::case_:
      run_branches(op, active);
      return;
    case OpCode::while_:
      run_while(op, active);
      return;
    case OpCode::call:
      raise<Internal>({.what = "a call was not inlined", .location = op.location});
    default:
      run_collective(op, active);
  }
}

Call Evaluator::call_on(const Op& op, std::span<const Literal> operands,
                        std::span<const ir::Type> results, int core) {
  return {op, operands, results, [this, &op, core](size_t region, std::span<const Literal> given) {
            const Block& block = op.regions[region];
            set_all(core, block.arguments, {given.begin(), given.end()});
            run_block(block, {core});
            return values(core, block.results);
          }};
}

void Evaluator::run_kernel(const Op& op, Kernel kernel, int core) {
  const std::vector<Literal> operands = values(core, op.operands);
  const std::vector<ir::Type> results = types(op.results);
  try {
    set_all(core, op.results, kernel(call_on(op, operands, results, core)));
  } catch (const Error& error) {
    const std::string_view layer = op.layer_path;
    error.rethrow_within(str(ir::info(op.code).name, layer.empty() ? "" : " in ", layer),
                         op.location);
  }
}

void Evaluator::run_once(const Op& op, Kernel kernel, const Cores& active) {
  run_kernel(op, kernel, active[0]);
  for (int core : active) {
    if (core != active[0]) set_all(core, op.results, values(active[0], op.results));
  }
}

std::vector<uint8_t> Evaluator::check_together(const Op& op, const Cores& active) const {
  std::vector<uint8_t> comes(static_cast<size_t>(cores_), 0);
  for (int core : active) comes[static_cast<size_t>(core)] = 1;
  const auto split = ir::find_split_group(ir::reached_groups(op, cores_), comes);
  if (!split) return comes;
  raise<InvalidArgument>({.what = str("cores diverged at ", ir::info(op.code).name, ": ", *split),
                          .wanted = "all cores that exchange values to reach each collective",
                          .hint = "make the condition around it the same on all of these cores, "
                                  "for example by all_reduce of it",
                          .location = op.location});
}

void Evaluator::run_branches(const Op& op, const Cores& active) {
  std::map<size_t, Cores> by_branch;
  for (int core : active) by_branch[branch_of(op, value(core, op.operands[0]))].push_back(core);
  for (const auto& [branch, cores] : by_branch) {
    const Block& region = op.regions[branch];
    run_block(region, cores);
    for (int core : cores) set_all(core, op.results, values(core, region.results));
  }
}

void Evaluator::run_while(const Op& op, const Cores& active) {
  const Block &condition = op.regions[0], &body = op.regions[1];
  // The results hold the state while the loop runs.
  for (int core : active) set_all(core, op.results, values(core, op.operands));
  Cores running = active;
  while (true) {
    for (int core : running) set_all(core, condition.arguments, values(core, op.results));
    run_block(condition, running);
    Cores next;
    for (int core : running) {
      const bool goes_on = value(core, condition.results[0]).data<bool>()[0];
      if (goes_on) next.push_back(core);
    }
    running = std::move(next);
    if (running.empty()) return;
    for (int core : running) set_all(core, body.arguments, values(core, op.results));
    run_block(body, running);
    for (int core : running) set_all(core, op.results, values(core, body.results));
  }
}

void Evaluator::run_collective(const Op& op, const Cores& active) {
  const std::vector<uint8_t> comes = check_together(op, active);
  const std::vector<ir::Type> result_types = types(op.results);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    std::vector<Literal> operands, results;
    for (int core = 0; core < cores_; ++core) {
      // One that does not come has no operand; nor does anybody read what it would send.
      const bool is_there = comes[static_cast<size_t>(core)] != 0;
      operands.push_back(value(is_there ? core : active[0], op.operands[k]));
    }
    if (op.code == OpCode::collective_permute) {
      results = run_permute(op.get<ir::PermuteAttributes>(), operands);
    } else {
      for (const Literal& x : operands) results.push_back(Literal::zeros(x.dtype(), x.shape()));
      for (const auto& group : ir::groups_of(op, cores_)) {
        std::vector<Literal> members;
        for (int64_t core : group) members.push_back(operands[static_cast<size_t>(core)]);
        const Call call = call_on(op, {}, result_types, static_cast<int>(group[0]));
        const std::vector<Literal> given = run_group(call, members, k);
        for (size_t i = 0; i < group.size(); ++i) results[static_cast<size_t>(group[i])] = given[i];
      }
    }
    for (int core : active) {
      set(core, op.results[k], std::move(results[static_cast<size_t>(core)]));
    }
  }
}

}  // namespace interpreter
}  // namespace systolic::inline v0
