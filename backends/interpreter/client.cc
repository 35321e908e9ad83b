#include "backends/interpreter/client.h"

#include <cstring>
#include <mutex>

#include "backends/interpreter/buffer.h"
#include "backends/interpreter/evaluate.h"
#include "systolic/base/error.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/shard.h"
#include "systolic/runtime/core_clock.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using runtime::BufferPtr;
using runtime::Placement;
using Kind = Placement::Kind;

// Shared by all cores: each op runs on every core before the next.
struct SharedClock {
  std::mutex mutex;
  runtime::CoreClock clock;
};

runtime::MemoryStats memory_of(const ir::Module& module) {
  const ir::Function& main = module.main();
  runtime::MemoryStats stats;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    const int64_t bytes = main.type(main.body.arguments[i]).bytes();
    stats.arguments += bytes;
    if (main.arguments[i].aliases_result) stats.aliased += bytes;
  }
  for (ir::ValueId value : main.body.results) stats.results += main.type(value).bytes();
  for (const ir::Type& type : main.types) stats.temporaries += type.bytes();
  stats.temporaries = std::max<int64_t>(0, stats.temporaries - stats.arguments - stats.results);
  return stats;
}

class Executable : public runtime::Executable {
 public:
  Executable(ir::Module module, std::shared_ptr<DeviceState> state,
             std::shared_ptr<SharedClock> clock)
      : module_(std::move(module)), state_(std::move(state)), clock_(std::move(clock)) {}

  // Arguments are never overwritten.
  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                 const runtime::ExecuteOptions& options) override {
    const std::lock_guard running(clock_->mutex);
    clock_->clock.begin_run();
    try {
      std::vector<BufferPtr> results =
          module_.num_replicas > 1 ? run_per_core(arguments) : run_whole(arguments);
      clock_->clock.end_run({});
      return results;
    } catch (const Error& error) {
      clock_->clock.end_run({});
      error.rethrow_within(
          options.step < 0 ? module_.name : str("step ", options.step, " of ", module_.name),
          options.location);
    }
  }

  runtime::MemoryStats memory() const override { return memory_of(module_); }
  runtime::CostStats cost() const override { return {}; }
  double compile_ms() const override { return 0; }

 private:
  BufferPtr buffer(Literal literal, Placement placement) const {
    return std::make_shared<Buffer>(std::move(literal), std::move(placement), state_);
  }

  std::vector<BufferPtr> run_whole(const std::vector<BufferPtr>& arguments) const {
    std::vector<Literal> literals;
    Placement placement;
    for (const BufferPtr& argument : arguments) {
      literals.push_back(argument->to_literal());
      if (argument->placement().kind == Kind::single) placement = argument->placement();
    }
    std::vector<BufferPtr> buffers;
    const std::vector<Literal> results = evaluate(module_, literals);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::optional<ir::Sharding>& sharding = module_.main().results[i].sharding;
      const bool sharded = sharding && !sharding->replicated();
      buffers.push_back(
          buffer(results[i], sharded ? Placement{Kind::sharded, *sharding, 0} : placement));
    }
    return buffers;
  }

  std::vector<BufferPtr> run_per_core(const std::vector<BufferPtr>& arguments) const {
    std::vector<std::vector<Literal>> literals(static_cast<size_t>(module_.num_replicas));
    for (size_t core = 0; core < literals.size(); ++core) {
      for (const BufferPtr& argument : arguments) {
        literals[core].push_back(argument->core_literal(static_cast<int>(core)));
      }
    }
    const std::vector<std::vector<Literal>> results = evaluate_cores(module_, literals);
    std::vector<BufferPtr> buffers;
    for (size_t i = 0; i < results[0].size(); ++i) {
      const bool uniform = module_.main().results[i].uniform;
      buffers.push_back(uniform ? buffer(results[0][i], {})
                                : buffer(stacked(results, i), {Kind::per_core, {}, 0}));
    }
    return buffers;
  }

  ir::Module module_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<SharedClock> clock_;
};

class Client : public runtime::Client {
 public:
  Client(const TpuKind& kind, int cores)
      : kind_(kind),
        state_(std::make_shared<DeviceState>(cores)),
        clock_(std::make_shared<SharedClock>()) {}

  std::string platform() const override { return "interpreter"; }
  const TpuKind& kind() const override { return kind_; }
  const runtime::Topology& topology() const override { return state_->topology; }

  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    if (literal.dtype() == DType::string) {
      raise<InvalidArgument>({.what = str("a string array ", to_string(literal.shape()),
                                          " cannot be copied to a device"),
                              .hint = "tokenize or encode it on the host first"});
    }
    check_placement(literal.shape(), placement);
    return std::make_shared<Buffer>(literal, placement, state_);
  }

  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    ir::verify(module);
    for (int64_t count : {module.num_replicas, module.num_partitions}) {
      if (count == 1 || count == cores()) continue;
      raise<InvalidArgument>({.what = str("program '", options.name, "' is for ", count, " cores"),
                              .wanted = str("1 or ", cores())});
    }
    check_memory(module, options);
    return std::make_shared<Executable>(module, state_, clock_);
  }

  runtime::CoreCounters counters(int) const override {
    const std::lock_guard lock(clock_->mutex);
    return clock_->clock.read();
  }
  void reset_counters() override {
    const std::lock_guard lock(clock_->mutex);
    clock_->clock = runtime::CoreClock();
  }
  void add_input_wait(double seconds) override {
    const std::lock_guard lock(clock_->mutex);
    clock_->clock.input_waited(seconds);
  }
  int64_t memory_in_use(int core) const override {
    return state_->memory_in_use.at(static_cast<size_t>(core));
  }
  void reset() override {
    ++state_->generation;
    for (std::atomic<int64_t>& bytes : state_->memory_in_use) bytes = 0;
  }

 private:
  void check_placement(const Shape& shape, const Placement& placement) const {
    if (placement.kind == Kind::per_core && (shape.rank() == 0 || shape[0] != cores())) {
      raise<InvalidArgument>({.what = str("a per-core array ", to_string(shape)),
                              .wanted = str("a leading axis of ", cores(), " cores")});
    }
    if (placement.kind == Kind::single && (placement.core < 0 || placement.core >= cores())) {
      raise<InvalidArgument>(
          {.what = str("core ", placement.core), .wanted = str("0 to ", cores() - 1)});
    }
    if (placement.kind == Kind::sharded) {
      ir::check_sharding(placement.sharding, shape, cores());
    }
  }

  void check_memory(const ir::Module& module, const runtime::CompileOptions& options) const {
    const runtime::MemoryStats memory = memory_of(module);
    const int64_t needed = memory.arguments + memory.results - memory.aliased;
    const int64_t available = kind_.generation.memory_bytes_per_core * module.num_partitions;
    if (needed <= available) return;
    raise<ResourceExhausted>(
        {.what = str("program '", options.name, "' needs ", bytes_text(needed), ": arguments ",
                     bytes_text(memory.arguments), ", results ", bytes_text(memory.results),
                     ", of these shared ", bytes_text(memory.aliased)),
         .wanted = str("at most ", bytes_text(available))});
  }

  TpuKind kind_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<SharedClock> clock_;
};

}  // namespace

runtime::ClientPtr open_client(const TpuKind& kind, int cores) {
  if (cores < 0 || cores > kind.cores()) {
    raise<InvalidArgument>(
        {.what = str(cores, " cores of a ", kind.name), .wanted = str("at most ", kind.cores())});
  }
  return std::make_shared<Client>(kind, cores == 0 ? kind.cores() : cores);
}

}  // namespace interpreter
}  // namespace systolic::inline v0
