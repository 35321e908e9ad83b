#include "plugin/compiled.h"

#include <algorithm>

#include "backends/cpu/memory_fit.h"
#include "backends/peers/exchange.h"
#include "plugin/exchange.h"
#include "plugin/program/aliases.h"
#include "plugin/program/equal_factors.h"
#include "plugin/program/hlo_module.h"
#include "plugin/program/op_kinds.h"
#include "plugin/program/value_shardings.h"
#include "systolic/base/error.h"
#include "systolic/base/floating_point.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/ir/shard.h"
#include "systolic/ir/structure_key.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "systolic/runtime/custom_function.h"
#include "systolic/stablehlo/bytecode/read_program.h"
#include "systolic/stablehlo/import/check_cores.h"
#include "systolic/stablehlo/import/import.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using protobuf::Message;
using protobuf::MessageReader;
using stablehlo::Program;

// StableHLO as text, or as the bytecode that JAX sends.
Program program_of(std::string_view format, std::string_view bytes) {
  if (format != "mlir") {
    raise<Unimplemented>({.what = str("a program in the format ", format),
                          .wanted = "mlir: StableHLO",
                          .hint = "PyTorch/XLA sends it where XLA_STABLEHLO_COMPILE is 1"});
  }
  Program program = stablehlo::read_program(std::string(bytes));
  make_factors_equal(program);
  return program;
}

// How the parts of an array, or of a process's piece of it, lie along its axes.
ir::Sharding tiles_of(const Port& port, int64_t shares) {
  ir::Sharding sharding;
  for (int axis = 0; axis < port.type.shape.rank(); ++axis) {
    const int64_t size = port.parts.size[static_cast<size_t>(axis)];
    const int64_t length = port.type.shape[axis] / (axis == port.cut ? shares : 1);
    sharding.tiles.push_back(size == 0 ? 1 : length / size);
  }
  return sharding;
}

// The engine's way of saying the same, where it has one. Where processes share the program, it says
// only into how many parts a piece is cut.
std::optional<ir::Sharding> sharding_of(const Port& port, int64_t cores, int64_t shares) {
  if (port.differs) return ir::Sharding::along(0, port.type.shape.rank() + 1, cores / shares);
  const ir::Sharding sharding = tiles_of(port, shares);
  if (port.cut >= 0) {
    const int64_t parts = ir::tile_count(sharding);
    return cores % parts == 0 ? std::optional(sharding) : std::nullopt;
  }
  for (int64_t core = 0; core < cores; ++core) {
    const ir::ShardRange range = ir::shard_range(port.type.shape, sharding, core, cores);
    if (range.start != port.parts.start[static_cast<size_t>(core)]) return std::nullopt;
  }
  return sharding;
}

// The form in which the engine runs the program.
//
// Replicas: per core, every core with arrays of its own. Partitions: the whole program once, on
// whole arrays; where a part of it is written per core, all of it is, with equal arrays on all
// cores outside of that part, which the engine computes once. Replicas of partitions: a core for
// each replica with its whole arrays, or, where a part is written per core, one for each device.
ir::Module module_of(const Program& program, const Layout& layout) {
  const bool manual = layout.partitions > 1 && stablehlo::has_manual_part(program);
  std::optional<ValueShardings> shardings;  // few programs ask for them
  const auto operand_parts = [&](const stablehlo::Operation& call) {
    if (!shardings.has_value()) shardings.emplace(program, program.entry(), layout.partitions);
    return shardings->operands(call);
  };
  ir::Module module =
      stablehlo::import_module(program, {.replicas = layout.replicas,
                                         .partitions = manual ? layout.partitions : 1,
                                         .entry_tokens = true,
                                         .is_custom_function = is_custom_function,
                                         .operand_parts = operand_parts});
  if (layout.replicas == 1) {
    for (ir::Parameter& argument : module.main().arguments) argument.uniform = true;
  }
  return module;
}

// Shardings, so that work and memory are counted for the cores that would have them.
void set_shardings(ir::Module& module, const Signature& signature, int64_t partitions,
                   int64_t shares) {
  module.num_partitions = partitions;
  ir::Function& main = module.main();
  for (size_t i = 0; i < main.arguments.size(); ++i) {
    main.arguments[i].sharding = sharding_of(signature.arguments[i], partitions, shares);
  }
  for (size_t i = 0; i < main.results.size(); ++i) {
    main.results[i].sharding = sharding_of(signature.results[i], partitions, shares);
  }
}

// Whether the engine divides temporaries by its cores.
bool is_split(const ir::Function& main) {
  return std::any_of(main.arguments.begin(), main.arguments.end(), [](const ir::Parameter& one) {
    return one.sharding && ir::tile_count(*one.sharding) > 1;
  });
}

// FNV-1a of two starts.
std::string fingerprint_of(std::string_view bytes) {
  uint64_t a = 14695981039346656037u, b = 1099511628211u;
  for (char c : bytes) {
    a = (a ^ static_cast<unsigned char>(c)) * 1099511628211u;
    b = (b ^ static_cast<unsigned char>(c)) * 6364136223846793005u + 1;
  }
  return str("systolic-", a, "-", b);
}

abi::NamedValue cost(const char* name, double value) {
  abi::NamedValue result{};
  result.struct_size = abi::named_value_size;
  result.name = name;
  result.name_size = std::string_view(name).size();
  result.type = abi::ValueType::real;
  result.real = static_cast<float>(value);
  result.value_size = 1;
  return result;
}

void describe_outputs(Compiled& compiled) {
  for (const Port& port : compiled.signature.results) {
    compiled.output_types.push_back(port.element);
    compiled.output_dims.insert(compiled.output_dims.end(), port.parts.size.begin(),
                                port.parts.size.end());
    compiled.output_ranks.push_back(port.parts.size.size());
    compiled.output_memories.push_back(memory_kind.data());
    compiled.output_memory_sizes.push_back(memory_kind.size());
  }
  const runtime::CostStats work = compiled.cost();
  compiled.costs = {cost("flops", work.flops), cost("bytes accessed", work.bytes)};
}

// The fields of a message that holds what compile() was given.
enum SerializedField : uint32_t { version_field = 1, options_field = 2, program_field = 3 };
constexpr std::string_view serialized_version = "systolic program 1";

void set_cuts(std::vector<Port>& ports, const std::vector<int>& cuts) {
  for (size_t i = 0; i < ports.size(); ++i) ports[i].cut = cuts[i];
}

// In a run of several processes: the share of this one, where the shardings give each one.
ir::Module with_share(Client& client, Compiled& compiled, ir::Module module) {
  const Span span(client, compiled.layout.devices);
  if (!span.several() || span.own.empty() || compiled.layout.replicas > 1) return module;
  const std::optional<Share> share = share_of(module, compiled.signature, span.places);
  if (!share) return module;
  set_cuts(compiled.signature.arguments, share->argument_cuts);
  set_cuts(compiled.signature.results, share->result_cuts);
  for (size_t i = 0; i < share->result_differs.size(); ++i)
    compiled.signature.results[i].differs = share->result_differs[i];
  const std::shared_ptr<ProcessGroup> group = client.processes()->group_of(span.processes);
  compiled.shares = group->peers->processes().count;
  compiled.own_share = group->peers->processes().index;
  compiled.meeting_key =
      fingerprint_of(str(ir::structure_key(share->module), join(share->argument_cuts), " ",
                         join(share->result_cuts), compiled.assignment));
  return peers::with_exchange(share->module, group->exchange());
}

std::shared_ptr<Compiled> compile_program(Client& client, const Program& program,
                                          const Layout& layout) {
  auto compiled = std::make_shared<Compiled>();
  compiled->layout = layout;
  ir::Module module = passes::eliminate_dead_code(module_of(program, layout));
  compiled->signature = signature_of(program, module, layout.replicas, layout.partitions);
  pair_donated(module, compiled->signature, program);
  compiled->signature.ops = op_kinds(module);
  compiled->assignment = assignment_of(layout);
  const bool asks_others = asks_other_cores(module);
  module = with_share(client, *compiled, std::move(module));
  const bool whole = module.num_replicas == 1;
  compiled->cores = module.num_replicas;
  compiled->engine = whole ? client.engine : client.engine_of(module.num_replicas);
  if (whole && layout.partitions == client.engine->cores()) {
    set_shardings(module, compiled->signature, layout.partitions, compiled->shares);
    if (is_split(module.main())) compiled->times_temporaries = compiled->shares;
  }
  compiled->name = program.name.empty() ? "main" : program.name;
  if (layout.partitions == 1 && layout.replicas > 1 && !asks_others) {
    compiled->alone = compile_program(client, program, Layout{});
  }
  if (layout.size() > 1 && compiled->shares == 1) {
    compiled->meeting_key = fingerprint_of(ir::structure_key(module) + compiled->assignment);
  }
  compiled->set_program(std::move(module), compiled->alone == nullptr);
  if (compiled->shares > 1) {
    cpu::check_memory(compiled->memory(), client.engine->kind(), compiled->name);
  }
  compiled->hlo = hlo_module(compiled->name, compiled->signature, layout);
  describe_outputs(*compiled);
  return compiled;
}

}  // namespace

Piece Compiled::piece_of(const Port& port) const {
  if (port.cut < 0) return {};
  const int64_t size = port.type.shape[port.cut] / shares;
  return {.axis = port.cut, .first = size * own_share, .size = size};
}

void Compiled::set_program(ir::Module module, bool now) {
  module_ = std::move(module);
  if (now) program();
}

const runtime::ExecutablePtr& Compiled::program() const {
  const std::lock_guard lock(mutex_);
  if (program_ == nullptr) {
    program_ = engine->compile(*module_, {.name = name});
    module_.reset();
  }
  return program_;
}

runtime::MemoryStats Compiled::memory() const {
  if (alone != nullptr) return alone->memory();
  runtime::MemoryStats memory = program()->memory();
  memory.temporaries *= times_temporaries;
  memory.activations *= times_temporaries;
  return memory;
}

runtime::CostStats Compiled::cost() const {
  if (alone != nullptr) return alone->cost();
  const runtime::CostStats all = program()->cost();
  const auto devices = static_cast<double>(layout.size()) / static_cast<double>(shares);
  return {all.flops / devices, all.bytes / devices};
}

CompiledPtr compile(Client& client, std::string_view format, std::string_view bytes,
                    std::string_view options) {
  // XLA's callers may have set their thread to flush subnormals while it compiles.
  const KeepSubnormals whole_constants;
  check_named_options(options);
  const Layout layout = read_layout(options, static_cast<int64_t>(client.devices.size()));
  const std::shared_ptr<Compiled> compiled =
      compile_program(client, program_of(format, bytes), layout);
  compiled->serialized = Message()
                             .bytes(version_field, serialized_version)
                             .bytes(options_field, options)
                             .bytes(program_field, bytes)
                             .data();
  compiled->fingerprint = fingerprint_of(compiled->serialized);
  return compiled;
}

CompiledPtr compile_serialized(Client& client, std::string_view serialized) {
  std::string_view version, options, program;
  MessageReader reader(serialized);
  while (reader.next()) {
    if (reader.field() == version_field) version = reader.bytes();
    if (reader.field() == options_field) options = reader.bytes();
    if (reader.field() == program_field) program = reader.bytes();
  }
  if (version != serialized_version) {
    raise<InvalidArgument>({.what = "a serialized program of another kind or version",
                            .wanted = std::string(serialized_version)});
  }
  return compile(client, "mlir", program, options);
}

}  // namespace plugin
}  // namespace systolic::inline v0
