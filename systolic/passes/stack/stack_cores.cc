#include "systolic/passes/stack/stack_cores.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

// What the results are: as the analysis says, but stacked where a stacked argument is donated to
// them.
std::vector<bool> result_placements(const ir::Function& function, const StackAnalysis& analysis,
                                    const std::vector<bool>& argument_is_stacked) {
  std::vector<bool> stacked;
  for (ir::ValueId result : function.body.results) stacked.push_back(analysis.stacked(result));
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const std::optional<int64_t> result = function.arguments[i].aliases_result;
    if (result && argument_is_stacked[i]) stacked[static_cast<size_t>(*result)] = true;
  }
  return stacked;
}

}  // namespace

StackedModule stack_cores(const ir::Module& module) {
  std::vector<bool> stacked;
  for (const ir::Parameter& argument : module.main().arguments)
    stacked.push_back(!argument.uniform);
  return stack_cores(module, stacked);
}

namespace {

// An argument is not donated to a result that lies otherwise on the cores.
void add_arguments(Stacker& stacker, const ir::Function& source,
                   const std::vector<bool>& argument_is_stacked,
                   const std::vector<bool>& result_is_stacked) {
  for (size_t i = 0; i < source.arguments.size(); ++i) {
    const ir::ValueId argument = source.body.arguments[i];
    const ir::Type& type = source.type(argument);
    ir::Parameter parameter = source.arguments[i];
    const std::optional<int64_t> donated_to = parameter.aliases_result;
    const bool stacked = argument_is_stacked[i];
    if (donated_to && stacked != result_is_stacked[static_cast<size_t>(*donated_to)])
      parameter.aliases_result.reset();
    stacker.set(
        argument,
        stacker.builder().argument(stacked ? stacker.with_cores(type) : type, std::move(parameter)),
        stacked);
  }
}

// Sums over the cores take the place right after what they sum. An optimizer adds gradients up
// after the whole backward pass, and a sum of products is one product, of all cores' rows: made
// there it would keep everything that the gradients are made of.
void sum_early(ir::Function& function) {
  std::vector<ir::Op>& ops = function.body.ops;
  std::vector<size_t> made_at(function.types.size(), 0);  // by value; arguments: the start
  std::vector<std::pair<size_t, size_t>> order;           // turn, op
  for (size_t i = 0; i < ops.size(); ++i) {
    size_t turn = i;
    if (ops[i].code == ir::OpCode::all_reduce) {
      turn = 0;
      for (const ir::ValueId read : ir::values_read(ops[i]))
        turn = std::max(turn, made_at[static_cast<size_t>(read)]);
    }
    for (const ir::ValueId result : ops[i].results) made_at[static_cast<size_t>(result)] = turn;
    order.emplace_back(turn, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<ir::Op> sorted;
  sorted.reserve(ops.size());
  for (const auto& [turn, i] : order) sorted.push_back(std::move(ops[i]));
  ops = std::move(sorted);
}

}  // namespace

StackedModule stack_cores(const ir::Module& original,
                          const std::vector<bool>& argument_is_stacked) {
  ir::Module flat = ir::inline_calls(original);
  sum_early(flat.main());
  const ir::Function& source = flat.main();
  if (argument_is_stacked.size() != source.body.arguments.size()) {
    raise<InvalidArgument>({.what = str("program '", original.name, "' is given the placement of ",
                                        argument_is_stacked.size(), " arguments"),
                            .wanted = str(source.body.arguments.size())});
  }
  const int64_t cores = original.num_replicas;
  const StackAnalysis analysis(source, cores, argument_is_stacked);

  StackedModule result;
  result.module.name = original.name;
  ir::Function& target = result.module.functions.emplace_back();
  target.name = source.name;
  Stacker stacker(source, analysis, cores, target, result.module);
  result.result_is_stacked = result_placements(source, analysis, argument_is_stacked);
  add_arguments(stacker, source, argument_is_stacked, result.result_is_stacked);
  stacker.convert(source.body);
  for (size_t i = 0; i < source.results.size(); ++i) {
    const ir::ValueId value = source.body.results[i];
    stacker.builder().result(
        result.result_is_stacked[i] ? stacker.get_stacked(value) : stacker.get(value),
        source.results[i]);
  }
  result.module = eliminate_dead_code(std::move(result.module));
  return result;
}

}  // namespace passes
}  // namespace systolic::inline v0
