#include "backends/pjrt/executable.h"

#include <chrono>
#include <utility>

#include "backends/pjrt/executable_cache.h"
#include "backends/pjrt/place.h"
#include "backends/pjrt/spread_module.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/spans/spans.h"
#include "systolic/ir/print/print.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace pjrt {

using runtime::BufferPtr;
using runtime::Placement;
using Kind = Placement::Kind;

// One call of execute(), while it is prepared.
struct Executable::Call {
  Placement single;  // of kind `single` where the program runs on one core alone
  std::vector<Parts> kept;
  std::vector<std::vector<abi::Buffer*>> arguments;  // [device][argument]
  std::vector<int64_t> not_donated;
  std::vector<size_t> donated;  // arguments whose memory is gone afterwards

  bool alone() const { return single.kind == Kind::single; }
};

Executable::Executable(ClientStatePtr state, const ir::Module& module, std::string name)
    : state_(std::move(state)), name_(std::move(name)), module_(module) {
  const ir::Function& main = module_.main();
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    arguments_.push_back({main.type(main.body.arguments[i]), main.arguments[i]});
  }
  for (size_t i = 0; i < main.body.results.size(); ++i) {
    results_.push_back({main.type(main.body.results[i]), main.results[i]});
  }
  const auto start = std::chrono::steady_clock::now();
  programs_[all_cores] = compile(all_cores);
  compile_ms_ =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  read_statistics();
}

std::shared_ptr<LoadedProgram> Executable::compile(int core) const {
  // A program without collectives is each process's own: no other one need run it, too.
  const bool plain = module_.num_replicas == 1 && module_.num_partitions == 1;
  const int copies = plain && core == all_cores ? state_->topology.local_cores() : 1;
  const ir::Module spread = plain ? spread_over(module_, copies) : module_;
  BuildOptions build;
  build.replicas = spread.num_replicas;
  build.partitions = spread.num_partitions;
  const std::vector<int>& ids = state_->client->device_ids();
  if (core != all_cores) {
    build.device_ids = {ids[static_cast<size_t>(core)]};
  } else {
    const runtime::Topology& topology = state_->topology;
    for (int number = 0; number < topology.cores(); ++number) {
      if (plain && !topology.is_addressable(number)) continue;
      build.device_ids.push_back(ids[static_cast<size_t>(number)]);
    }
  }
  std::shared_ptr<LoadedProgram> program;
  try {
    program = compile_cached(*state_->client, ir::to_text(spread), serialize(build));
  } catch (const Error& error) {
    error.rethrow_within(str("compiling '", name_, "'"));
  }
  ensure(program->outputs() == results_.size(), "as many results as the program has");
  for (size_t i = 0; i < program->devices().size(); ++i) {
    const size_t wanted = core == all_cores ? i : state_->device_of(core);
    ensure(program->devices()[i] == wanted, "the program on the cores that were asked for");
  }
  return program;
}

std::shared_ptr<LoadedProgram> Executable::program_for(int core) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<LoadedProgram>& program = programs_[core];
  if (program == nullptr) program = compile(core);
  return program;
}

void Executable::read_statistics() {
  const CompiledProgram compiled = programs_[all_cores]->compiled();
  const ProgramMemory bytes = compiled.memory();
  memory_.arguments = bytes.arguments;
  memory_.results = bytes.outputs;
  memory_.aliased = bytes.aliased;
  memory_.temporaries = bytes.temporaries;
  for (const Entry& entry : arguments_) {
    const ir::Sharding sharding = entry.parameter.sharding.value_or(ir::Sharding{});
    const int64_t share = entry.type.bytes() / ir::tile_count(sharding);
    if (entry.parameter.role == ir::Role::parameter) memory_.parameters += share;
    if (entry.parameter.role == ir::Role::optimizer_state) memory_.optimizer_state += share;
  }
  const Values cost = compiled.cost();
  const auto number = [&](const char* name) {
    const auto found = cost.find(name);
    const float* value = found == cost.end() ? nullptr : std::get_if<float>(&found->second);
    return value == nullptr || *value < 0 ? 0.0 : static_cast<double>(*value);
  };
  core_flops_ = number("flops");
  core_bytes_ = number("bytes accessed");
  const int cores = state_->topology.cores();
  cost_ = {core_flops_ * cores, core_bytes_ * cores};
}

const Buffer& Executable::check_argument(size_t i, const BufferPtr& argument) const {
  const auto* buffer = dynamic_cast<const Buffer*>(argument.get());
  const std::string& given_name = arguments_[i].parameter.name;
  const std::string label = str(name_, ": argument ", i, given_name.empty() ? "" : " ", given_name);
  if (buffer == nullptr || buffer->state() != state_) {
    raise<InvalidArgument>({.what = str(label, " lives on another device"),
                            .hint = "copy it with from_host() of this client"});
  }
  if (!(buffer->type() == arguments_[i].type)) {
    raise<InvalidArgument>({.what = label,
                            .got = ir::to_string(buffer->type()),
                            .wanted = ir::to_string(arguments_[i].type)});
  }
  if (buffer->placement().kind == Kind::per_core &&
      (module_.num_replicas == 1 || arguments_[i].parameter.uniform)) {
    raise<InvalidArgument>({.what = str(label, " differs between cores, and the program takes one"),
                            .hint = "pass a replicated or sharded buffer"});
  }
  return *buffer;
}

// Where the program wants an array, or leaves one: `given` is where an argument lies.
Placement Executable::placement_of(const Entry& entry, const Placement& single,
                                   const Placement* given) const {
  if (single.kind == Kind::single) return single;
  const auto& sharding = entry.parameter.sharding;
  if (module_.num_partitions > 1 && sharding && !sharding->replicated()) {
    return {.kind = Kind::sharded, .sharding = *sharding};
  }
  const bool per_core = module_.num_replicas > 1 && !entry.parameter.uniform;
  const bool same_everywhere = given != nullptr && given->kind != Kind::per_core;
  if (per_core && !same_everywhere) return {.kind = Kind::per_core};
  return {};
}

void Executable::add_argument(Call& call, size_t i, const BufferPtr& argument) const {
  const Buffer& buffer = check_argument(i, argument);
  const Placement wanted = placement_of(arguments_[i], call.single, &buffer.placement());
  Parts parts = buffer.parts();
  const bool moved = !(wanted == buffer.placement());
  if (moved) {
    log_once(LogLevel::warning,
             str(name_, ": argument ", i, " ", arguments_[i].parameter.name,
                 " is laid out on the cores differently than the program expects; "
                 "it is copied through the host at each run"));
    parts = place(*state_, buffer.to_literal(), wanted);
  }
  if (arguments_[i].parameter.aliases_result && !moved) {
    if (argument.use_count() == 1) {
      call.donated.push_back(i);
    } else {
      call.not_donated.push_back(static_cast<int64_t>(i));
    }
  }
  for (size_t device = 0; device < call.arguments.size(); ++device) {
    call.arguments[device].push_back((*parts)[device].get());
  }
  call.kept.push_back(std::move(parts));
}

// Each core is busy until the plugin says that its run is complete.
void Executable::count(const Run& run, int core) const {
  for (size_t device = 0; device < run.complete.size(); ++device) {
    const size_t which = core == all_cores ? device : state_->device_of(core);
    const auto end = [state = state_, which, flops = core_flops_,
                      bytes = core_bytes_](const std::optional<PluginError>& error) {
      state->use[which].end(error ? 0 : flops, error ? 0 : bytes);
    };
    state_->use[which].begin();
    try {
      run.complete[device].on_ready(end);
    } catch (
        const Error&) {  // then its time is not known; an error of the run shows in its results
      end(std::nullopt);
    }
  }
}

std::vector<BufferPtr> Executable::results_of(Run&& run, const Call& call,
                                              const RunLabel& label) const {
  std::vector<BufferPtr> results;
  for (size_t i = 0; i < results_.size(); ++i) {
    auto parts = std::make_shared<std::vector<DeviceBuffer>>();
    for (std::vector<DeviceBuffer>& device : run.results) parts->push_back(std::move(device[i]));
    results.push_back(std::make_shared<Buffer>(state_, results_[i].type,
                                               placement_of(results_[i], call.single, nullptr),
                                               std::move(parts), label));
  }
  return results;
}

std::vector<BufferPtr> Executable::execute(std::vector<BufferPtr>&& arguments,
                                           const runtime::ExecuteOptions& options) {
  const RunLabel label = {options.step < 0 ? name_ : str("step ", options.step, " of ", name_),
                          options.location};
  // Its own profiler alone knows what the device does then.
  const spans::Span span(
      [&] { return spans::id_of({.name = str("start '", name_, "' on the device")}); });
  try {
    if (arguments.size() != arguments_.size()) {
      raise<InvalidArgument>({.what = str("called with ", arguments.size(), " arguments"),
                              .wanted = str(arguments_.size())});
    }
    Call call;
    const bool plain = module_.num_replicas == 1 && module_.num_partitions == 1;
    if (plain && !arguments.empty() && arguments[0]->placement().kind == Kind::single) {
      call.single = arguments[0]->placement();
    }
    const int core = call.alone() ? call.single.core : all_cores;
    const auto program = program_for(core);
    call.arguments.resize(program->devices().size());
    for (size_t i = 0; i < arguments.size(); ++i) add_argument(call, i, arguments[i]);
    Run run = program->execute(call.arguments, call.not_donated, options.step);
    for (size_t i : call.donated) static_cast<Buffer&>(*arguments[i]).release();
    count(run, core);
    return results_of(std::move(run), call, label);
  } catch (const Error& error) {
    error.rethrow_within(label.name, label.location);
  }
}

}  // namespace pjrt
}  // namespace systolic::inline v0
