#include "backends/cpu/compile.h"

#include <chrono>

#include "backends/cpu/dump.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/base/thread_pool.h"
#include "systolic/ir/print.h"
#include "systolic/passes/optimize.h"
#include "systolic/passes/stack_cores.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

void check_cores(const ir::Module& module, int cores) {
  const int64_t asked = std::max(module.num_replicas, module.num_partitions);
  const bool both = module.num_replicas > 1 && module.num_partitions > 1;
  if (both || (asked != 1 && asked != cores)) {
    raise<InvalidArgument>({.what = str("a program for ", module.num_replicas, " replicas and ",
                                        module.num_partitions, " partitions on ", cores, " cores"),
                            .wanted = str("1 or ", cores, " of one of them")});
  }
}

// The program as one: calls inlined, cores stacked, simplified. Gradients are made by now, so that
// barriers have done what they are for.
ir::Module prepare(const ir::Module& module, Dump& dump) {
  dump.stage("traced.mlir", [&] { return ir::to_text(module); });
  ir::Module result = passes::optimize(module, {.drop_barriers = true});
  dump.stage("optimized.mlir", [&] { return ir::to_text(result); });
  if (module.num_replicas == 1) return result;
  result = passes::optimize(passes::stack_cores(result).module);
  dump.stage("stacked.mlir", [&] { return ir::to_text(result); });
  return result;
}

Signature make_signature(const ir::Module& original, const ir::Module& prepared) {
  const auto entries = [&](const std::vector<ir::ValueId>& values,
                           const std::vector<ir::ValueId>& stacked,
                           const std::vector<ir::Parameter>& parameters) {
    std::vector<Signature::Entry> result;
    for (size_t i = 0; i < values.size(); ++i) {
      const ir::Type& type = original.main().type(values[i]);
      result.push_back({.type = type,
                        .parameter = i < parameters.size() ? parameters[i] : ir::Parameter{},
                        .stacked = !(prepared.main().type(stacked[i]) == type)});
    }
    return result;
  };
  const ir::Function &before = original.main(), &after = prepared.main();
  return {.arguments = entries(before.body.arguments, after.body.arguments, before.arguments),
          .results = entries(before.body.results, after.body.results, before.results),
          .cores = std::max(original.num_replicas, original.num_partitions)};
}

}  // namespace

std::shared_ptr<CpuExecutable> compile(const std::shared_ptr<Engine>& engine,
                                       const ir::Module& module,
                                       const runtime::CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_cores(module, engine->cores());
  Dump dump(options.name);
  const ir::Module prepared = prepare(module, dump);
  Planner planner(prepared, prepared.main(), ThreadPool::compute().threads());
  Plan plan = planner.finish();
  dump.stage("plan.txt", [&] { return plan.text(); });
  auto executable = std::make_shared<CpuExecutable>(engine, options.name, std::move(plan),
                                                    make_signature(module, prepared));
  check_memory(executable->memory(), make_signature(module, prepared), engine->kind(),
               options.name);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  executable->set_compile_ms(time.count());
  return executable;
}

}  // namespace cpu
}  // namespace systolic::inline v0
