#include "backends/cpu/compile.h"

#include <chrono>
#include <cstdlib>

#include "backends/cpu/dump.h"
#include "backends/cpu/plan/planner.h"
#include "backends/cpu/simplify.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/base/threads/thread_pool.h"

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

// Kernels cut their sums for this many threads, whoever runs them: those that run them, unless
// SYSTOLIC_PLANNED_THREADS gives a number. Programs planned for one number have the same results,
// to the bit, on any number of threads.
int planned_threads(const ThreadPool& pool) {
  const char* text = std::getenv("SYSTOLIC_PLANNED_THREADS");
  if (text == nullptr || *text == '\0') return pool.threads();
  int64_t threads = 0;
  if (parse_number(text, threads) && threads >= 1 && threads <= 4096) {
    return static_cast<int>(threads);
  }
  raise<InvalidArgument>({.what = str("SYSTOLIC_PLANNED_THREADS is '", text, "'"),
                          .wanted = "a number from 1 to 4096",
                          .hint = "unset it to plan for the threads of this machine"});
}

Signature make_signature(const ir::Module& original, const SimplifiedProgram& simplified) {
  const ir::Function &before = original.main(), &after = simplified.module.main();
  const bool per_core = original.num_replicas > 1;
  Signature signature{.arguments = {},
                      .results = {},
                      .cores = std::max(original.num_replicas, original.num_partitions)};
  const auto parameter = [](const std::vector<ir::Parameter>& parameters, size_t i) {
    return i < parameters.size() ? parameters[i] : ir::Parameter{};
  };
  for (size_t i = 0; i < before.body.arguments.size(); ++i) {
    // Stacking may have taken back a donation.
    ir::Parameter argument = parameter(before.arguments, i);
    argument.aliases_result = parameter(after.arguments, i).aliases_result;
    signature.arguments.push_back({.type = before.type(before.body.arguments[i]),
                                   .parameter = argument,
                                   .stacked = per_core && !argument.uniform});
  }
  for (size_t i = 0; i < before.body.results.size(); ++i) {
    signature.results.push_back({.type = before.type(before.body.results[i]),
                                 .parameter = parameter(before.results, i),
                                 .stacked = simplified.result_is_stacked[i]});
  }
  return signature;
}

}  // namespace

std::shared_ptr<CpuExecutable> compile(const std::shared_ptr<Engine>& engine,
                                       const ir::Module& module,
                                       const runtime::CompileOptions& options, LowerBlock lower) {
  const auto start = std::chrono::steady_clock::now();
  check_cores(module, engine->cores());
  Dump dump(options.name);
  const SimplifiedProgram simplified = simplify(module, lower, dump);
  Planner planner(simplified.module, simplified.module.main(), planned_threads(engine->pool()),
                  lower, options.split_products, engine->kind().generation.matrix_unit);
  Plan plan = planner.finish();
  dump.stage("plan.txt", [&] { return plan.text(); });
  auto executable = std::make_shared<CpuExecutable>(engine, options.name, std::move(plan),
                                                    make_signature(module, simplified));
  executable->set_collectives(passes::collective_bytes(module));
  check_memory(executable->memory(), engine->kind(), options.name);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  executable->set_compile_ms(time.count());
  return executable;
}

}  // namespace cpu
}  // namespace systolic::inline v0
