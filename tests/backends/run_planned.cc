#include "tests/backends/run_planned.h"

#include <cstring>

#include "backends/cpu/buffer.h"
#include "backends/cpu/compile.h"
#include "systolic/base/threads/thread_pool.h"
#include "tests/backends/compare.h"

namespace systolic {

namespace {

struct Planned {
  std::unique_ptr<ThreadPool> pool;
  std::shared_ptr<cpu::Engine> engine;
  std::shared_ptr<cpu::CpuExecutable> program;
};

Planned plan_for(int threads, const ir::Module& module) {
  auto pool = std::make_unique<ThreadPool>(threads);
  auto engine = std::make_shared<cpu::Engine>(parse_tpu_kind("v3-8"), 1, *pool);
  auto program = cpu::compile(engine, module, {.name = "step"});
  return {std::move(pool), std::move(engine), std::move(program)};
}

}  // namespace

PlanSummary plan_summary(int threads, const ir::Module& module) {
  const Planned planned = plan_for(threads, module);
  const cpu::Plan& plan = planned.program->plan();
  return {.text = plan.text(), .arena_bytes = plan.arena_bytes, .moved_bytes = plan.bytes};
}

std::vector<Literal> run_with(int threads, const ir::Module& module) {
  const Planned planned = plan_for(threads, module);
  std::vector<runtime::BufferPtr> arguments;
  uint32_t seed = 1;
  for (const ir::ValueId id : module.main().body.arguments) {
    const ir::Type& type = module.main().type(id);
    arguments.push_back(
        std::make_shared<cpu::CpuBuffer>(planned.engine, type, runtime::Placement{},
                                         std::make_shared<cpu::MemoryBlock>(random_literal(
                                             type.dtype, type.shape, seed++, {-0.3, 0.3}))));
  }
  std::vector<Literal> results;
  for (const auto& result : planned.program->execute(std::move(arguments), {})) {
    results.push_back(result->to_literal());
  }
  return results;
}

bool same_bits(const Literal& a, const Literal& b) {
  return a.byte_size() == b.byte_size() && std::memcmp(a.raw(), b.raw(), a.byte_size()) == 0;
}

}  // namespace systolic
