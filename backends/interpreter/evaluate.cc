#include "backends/interpreter/evaluate.h"

#include <cstring>

#include "backends/interpreter/evaluator.h"
#include "systolic/base/error.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/infer/verify.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

void check_argument(const ir::Module& module, size_t i, const Literal& given,
                    const ir::Type& wanted) {
  const ir::Type got{given.dtype(), given.shape()};
  if (got == wanted) return;
  const std::string& name = module.main().arguments[i].name;
  raise<InvalidArgument>({.what = str("argument ", i, name.empty() ? "" : str(" '", name, "'"),
                                      " of program '", module.name, "' is ", to_string(got)),
                          .wanted = to_string(wanted)});
}

void check_count(const ir::Module& module, size_t count) {
  const size_t wanted = module.main().body.arguments.size();
  if (count == wanted) return;
  raise<InvalidArgument>({.what = str("program '", module.name, "' is given ", count, " arguments"),
                          .wanted = str(wanted)});
}

}  // namespace

Literal stacked(const std::vector<std::vector<Literal>>& by_core, size_t i) {
  const Literal& first = by_core[0][i];
  const auto cores = static_cast<int64_t>(by_core.size());
  Literal result(first.dtype(), first.shape().with_inserted(0, cores));
  for (size_t core = 0; core < by_core.size(); ++core) {
    std::memcpy(result.mutable_raw() + core * first.byte_size(), by_core[core][i].raw(),
                first.byte_size());
  }
  return result;
}

std::vector<std::vector<Literal>> evaluate_cores(const ir::Module& module,
                                                 const std::vector<std::vector<Literal>>& arguments,
                                                 const EvaluateLimits& limits) {
  ir::verify(module);
  const ir::Module flat = ir::inline_calls(module);
  const ir::Function& main = flat.main();
  if (static_cast<int64_t>(arguments.size()) != module.num_replicas) {
    raise<InvalidArgument>({.what = str("program '", module.name, "' is given the arguments of ",
                                        arguments.size(), " cores"),
                            .wanted = str(module.num_replicas)});
  }
  for (const std::vector<Literal>& core : arguments) {
    check_count(module, core.size());
    for (size_t i = 0; i < core.size(); ++i) {
      check_argument(module, i, core[i], main.type(main.body.arguments[i]));
    }
  }
  return Evaluator(main, static_cast<int>(module.num_replicas), limits).run(arguments);
}

std::vector<Literal> evaluate(const ir::Module& module, std::span<const Literal> arguments,
                              const EvaluateLimits& limits) {
  const ir::Function& main = module.main();
  check_count(module, arguments.size());
  const int64_t cores = module.num_replicas;
  std::vector<std::vector<Literal>> by_core(static_cast<size_t>(cores));
  for (size_t i = 0; i < arguments.size(); ++i) {
    ir::Type wanted = main.type(main.body.arguments[i]);
    const bool split = cores > 1 && !main.arguments[i].uniform;
    if (split) wanted.shape = wanted.shape.with_inserted(0, cores);
    check_argument(module, i, arguments[i], wanted);
    for (int64_t core = 0; core < cores; ++core) {
      by_core[static_cast<size_t>(core)].push_back(split ? arguments[i].row(core) : arguments[i]);
    }
  }
  const std::vector<std::vector<Literal>> results = evaluate_cores(module, by_core, limits);
  if (cores == 1) return results[0];
  std::vector<Literal> together;
  for (size_t i = 0; i < results[0].size(); ++i) together.push_back(stacked(results, i));
  return together;
}

std::vector<Literal> evaluate(const ir::Module& module, std::initializer_list<Literal> arguments) {
  return evaluate(module, std::span<const Literal>(arguments.begin(), arguments.size()));
}

}  // namespace interpreter
}  // namespace systolic::inline v0
