#include "systolic/passes/partition/partition.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/ir/clone.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "systolic/passes/partition/partitioner.h"

namespace systolic::inline v0 {
namespace passes {

namespace {

void check_cuts(const ir::Module& module, int64_t processes, const std::vector<int>& cuts) {
  const ir::Function& main = module.main();
  if (module.num_replicas != 1) {
    raise<InvalidArgument>({.what = str("program '", module.name, "' is one for each of ",
                                        module.num_replicas, " cores"),
                            .wanted = "a program over whole arrays"});
  }
  if (cuts.size() != main.body.arguments.size()) {
    raise<InvalidArgument>({.what = str("program '", module.name, "' is given the cuts of ",
                                        cuts.size(), " arguments"),
                            .wanted = str(main.body.arguments.size())});
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i] == no_cut) continue;
    const Shape& shape = main.type(main.body.arguments[i]).shape;
    const bool exists = cuts[i] >= 0 && cuts[i] < shape.rank();
    if (!exists || shape[cuts[i]] % processes != 0) {
      raise<InvalidArgument>({.what = str("argument ", i, " ", main.arguments[i].name, " ",
                                          to_string(shape), " is cut along axis ", cuts[i]),
                              .wanted = str("an axis that divides by ", processes, " processes")});
    }
  }
}

// The parameter of one process's program, in which nothing is split by a sharding any more.
ir::Parameter of_one_process(const ir::Parameter& parameter) {
  return {
      .name = parameter.name, .aliases_result = parameter.aliases_result, .role = parameter.role};
}

// The cuts that results must have: where they take an argument's memory, the argument's.
std::vector<std::optional<int>> wanted_results(const ir::Function& main,
                                               const std::vector<int>& argument_cuts,
                                               std::vector<std::optional<int>> wanted) {
  wanted.resize(main.results.size());
  for (size_t i = 0; i < main.arguments.size(); ++i) {
    if (const auto result = main.arguments[i].aliases_result) {
      wanted[static_cast<size_t>(*result)] = argument_cuts[i];
    }
  }
  return wanted;
}

}  // namespace

int cut_of(const ir::Sharding& sharding, int64_t processes) {
  for (size_t axis = 0; axis < sharding.tiles.size(); ++axis) {
    if (sharding.tiles[axis] > 1) {
      return sharding.tiles[axis] % processes == 0 ? static_cast<int>(axis) : no_cut;
    }
  }
  return no_cut;
}

Partitioned partition(const ir::Module& original, int64_t processes,
                      const std::vector<int>& argument_cuts,
                      std::vector<std::optional<int>> result_cuts) {
  check_cuts(original, processes, argument_cuts);
  const ir::Module flat = ir::inline_calls(original);
  const ir::Function& source = flat.main();
  Partitioned result;
  result.module.name = original.name;
  result.module.num_replicas = processes;
  ir::Function& target = result.module.functions.emplace_back();
  target.name = source.name;
  Partitioner partitioner(source, processes, target, result.module);
  for (size_t i = 0; i < source.arguments.size(); ++i) {
    const ir::ValueId argument = source.body.arguments[i];
    ir::Parameter parameter = of_one_process(source.arguments[i]);
    parameter.uniform = argument_cuts[i] == no_cut;
    partitioner.set(argument,
                    partitioner.builder().argument(partitioner.type(argument, argument_cuts[i]),
                                                   std::move(parameter)),
                    argument_cuts[i]);
  }
  partitioner.convert(source.body);
  const auto wanted = wanted_results(source, argument_cuts, std::move(result_cuts));
  for (size_t i = 0; i < source.results.size(); ++i) {
    const ir::ValueId value = source.body.results[i];
    const int cut = wanted[i].value_or(partitioner.cut(value));
    partitioner.builder().result(partitioner.get(value, cut), of_one_process(source.results[i]));
    result.result_cuts.push_back(cut);
  }
  result.gathered = partitioner.take_gathered();
  result.module = eliminate_dead_code(std::move(result.module));
  return result;
}

}  // namespace passes
}  // namespace systolic::inline v0
