#include "tools/conformance/run_program.h"

#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"
#include "tools/conformance/compare.h"

namespace tool {
namespace {

using namespace systolic;
using stablehlo::Attribute;
using stablehlo::Operation;
using stablehlo::Part;
using stablehlo::Program;
using stablehlo::ValueId;
constexpr std::string_view parallel_op = "interpreter.run_parallel";

// programs = [[@a, @b], [@c, @d]]: a row for each replica, an entry for each partition.
Grid grid_of(const Program& program, const Operation& op) {
  const Attribute* programs = op.find("programs");
  Grid grid;
  if (programs == nullptr) return grid;
  for (const Attribute& row : programs->items) {
    ++grid.replicas;
    grid.partitions = static_cast<int64_t>(row.items.size());
    for (const Attribute& entry : row.items) {
      grid.functions.push_back(program.find(entry.text));
      if (grid.functions.back() == nullptr || grid.functions.back()->declared_only) {
        stablehlo::raise_at(program, op.offset, str("there is no function @", entry.text));
      }
    }
    if (static_cast<int64_t>(grid.functions.size()) != grid.replicas * grid.partitions) {
      stablehlo::raise_at(program, op.offset, "programs has rows of different lengths");
    }
  }
  return grid;
}

// "5:3" of a text, "byte 118" of bytecode.
std::string place_in_file(const Program& program, size_t offset) {
  if (program.is_bytecode) return str("byte ", offset);
  const stablehlo::Position at = position_of(program, offset);
  return str(at.line, ":", at.column);
}

}  // namespace

TestRunner::TestRunner(std::string backend) : backend_(std::move(backend)) {
  record_probes(probes_);
}

const runtime::ClientPtr& TestRunner::client(int cores) {
  runtime::ClientPtr& found = clients_[cores];
  if (found == nullptr) {
    const int chip_cores = cores <= 8 ? 8 : cores <= 32 ? 32 : 128;
    // What the specification says of floats is IEEE 754.
    found = runtime::open_client({.backend = backend_,
                                  .tpu = str("v3-", chip_cores),
                                  .cores = cores,
                                  .keep_subnormals = true});
  }
  return found;
}

std::vector<Arrays> TestRunner::execute(const ir::Module& module, const Arrays& arguments) {
  const bool per_core = module.num_replicas > 1;
  runtime::Client& device = *client(static_cast<int>(module.num_replicas));
  const runtime::ExecutablePtr executable = device.compile(module, {.name = module.name});
  runtime::Placement placement;
  if (per_core) placement.kind = runtime::Placement::Kind::per_core;
  std::vector<runtime::BufferPtr> buffers;
  for (const Literal& argument : arguments) {
    buffers.push_back(device.from_host(argument, placement));
  }
  std::vector<Arrays> by_core(static_cast<size_t>(module.num_replicas));
  for (const runtime::BufferPtr& buffer : executable->execute(std::move(buffers))) {
    for (size_t core = 0; core < by_core.size(); ++core) {
      by_core[core].push_back(per_core ? buffer->core_literal(static_cast<int>(core))
                                       : buffer->to_literal());
    }
  }
  return by_core;
}

// What the functions of infeed = [@a, @b] return, one after the other.
std::deque<Arrays> TestRunner::infeed_of(const Program& program, const Operation& op) {
  std::deque<Arrays> fed;
  const Attribute* queue = op.find("infeed");
  if (queue == nullptr) return fed;
  for (const Attribute& entry : queue->items) {
    const stablehlo::Function* function = program.find(entry.text);
    if (function == nullptr) {
      stablehlo::raise_at(program, op.offset, str("there is no function @", entry.text));
    }
    const ir::Module module =
        stablehlo::import_module(program, {.replicas = 1, .partitions = 1, .entry = function});
    fed.push_back(execute(module, {})[0]);
  }
  return fed;
}

// Operands and results stand core by core.
std::vector<Arrays> TestRunner::run_exchanging(const Program& program, const Operation& op,
                                               const Grid& grid,
                                               const std::map<ValueId, Arrays>& values) {
  std::vector<std::vector<Arrays>> arguments;
  size_t next = 0;
  for (const stablehlo::Function* function : grid.functions) {
    std::vector<Arrays>& given = arguments.emplace_back();
    for (size_t i = 0; i < function->body.arguments.size(); ++i) {
      if (next == op.operands.size()) {
        stablehlo::raise_at(program, op.offset, str("run_parallel is given ", next), {},
                            "an operand for each argument of its functions");
      }
      given.push_back(values.at(op.operands[next++]));
    }
  }
  std::vector<Arrays> by_value;
  for (std::vector<Arrays>&results : run_cores(
           program, grid, arguments, infeed_of(program, op),
           [&](const ir::Module&module, const Arrays&given) { return execute(module, given); })) {
    for (Arrays& arrays : results) by_value.push_back(std::move(arrays));
  }
  if (next != op.operands.size() || by_value.size() != op.results.size()) {
    stablehlo::raise_at(program, op.offset, "run_parallel has other operands or results", {},
                        "those of its functions, core by core");
  }
  return by_value;
}

std::vector<Arrays> TestRunner::run_parallel(const Program& program, const Operation& op,
                                             const std::map<ValueId, Arrays>& values) {
  const Grid grid = grid_of(program, op);
  if (grid.functions.empty()) stablehlo::raise_at(program, op.offset, "run_parallel runs nothing");
  if (exchanges_arrays(grid)) return run_exchanging(program, op, grid, values);
  const stablehlo::Function& function = *grid.functions[0];
  const size_t cores = grid.functions.size(), arguments = function.body.arguments.size();
  if (op.operands.size() != cores * arguments) {
    stablehlo::raise_at(program, op.offset, str("run_parallel is given ", op.operands.size()), {},
                        str(cores * arguments, " operands"));
  }
  ir::Module module = stablehlo::import_module(program, {.replicas = grid.replicas,
                                                         .partitions = grid.partitions,
                                                         .host_queues = true,
                                                         .entry = &function,
                                                         .is_custom_function = is_custom_function});
  Arrays given;
  for (size_t i = 0; i < arguments; ++i) {
    std::vector<const Literal*> parts;
    for (size_t core = 0; core < cores; ++core) {
      for (const Literal& array : values.at(op.operands[core * arguments + i])) {
        parts.push_back(&array);
      }
    }
    if (parts.empty()) continue;  // tokens
    given.push_back(cores == 1 ? *parts[0] : stacked(parts));
  }
  if (cores == 1) {
    for (const Arrays& fed : infeed_of(program, op))
      given.insert(given.end(), fed.begin(), fed.end());
  }
  const std::vector<Arrays> results = execute(module, given);
  // Results stand core by core; tokens have no array.
  std::vector<Arrays> by_value(op.results.size());
  const size_t each = op.results.size() / cores;
  for (size_t core = 0; core < cores; ++core) {
    size_t next = 0;
    for (size_t i = 0; i < each; ++i) {
      const size_t at = core * each + i;
      const stablehlo::TypeId type = program.entry().type(op.results[at]);
      if (program.type(type).kind == stablehlo::Type::Kind::token) continue;
      by_value[at].push_back(results[core].at(next++));
    }
  }
  return by_value;
}

std::optional<std::string> TestRunner::mismatch_of(const stablehlo::Check& check,
                                                   const Arrays& results) const {
  const Literal& actual = results.at(check.actual);
  if (check.kind != stablehlo::Check::Kind::probed) {
    return mismatch(check, actual, results.at(check.expected));
  }
  const auto found = probes_->find(check.probe);
  const auto seen = found == probes_->end() ? 0 : static_cast<int64_t>(found->second.size());
  if (check.iteration < 0 || check.iteration >= seen) {
    return str("probe '", check.probe, "' was reached ", seen, " times, expected iteration ",
               check.iteration);
  }
  return mismatch(check, actual, found->second[static_cast<size_t>(check.iteration)]);
}

std::optional<std::string> TestRunner::run_part(const Program& program, Part part,
                                                std::map<ValueId, Arrays>* values) {
  std::vector<stablehlo::Check> checks;
  const std::vector<ValueId> wanted = part.wanted;
  std::vector<size_t> counts;
  const ir::Module module =
      stablehlo::import_module(program, {.replicas = 1,
                                         .partitions = 1,
                                         .checks = &checks,
                                         .part = std::move(part),
                                         .is_custom_function = is_custom_function,
                                         .array_counts = &counts});
  const Arrays results = execute(module, {})[0];
  size_t next = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    Arrays& arrays = (*values)[wanted[i]];
    for (size_t k = 0; k < counts[i]; ++k) arrays.push_back(results.at(next++));
  }
  for (const stablehlo::Check& check : checks) {
    const auto found = mismatch_of(check, results);
    if (!found) {
      ++checks_held_;
      continue;
    }
    return str(place_in_file(program, check.offset), ": ", *found);
  }
  return std::nullopt;
}

std::optional<std::string> TestRunner::run(const Program& program) {
  probes_->clear();
  const stablehlo::Function& main = program.entry();
  const std::vector<Operation>& ops = main.body.operations;
  std::map<ValueId, Arrays> values;
  size_t begin = 0;
  while (true) {
    size_t end = begin;
    while (end < ops.size() && ops[end].name != parallel_op) ++end;
    const bool more = end < ops.size();
    Part part{.begin = begin, .end = end, .known = values};
    // All that was computed before is wanted by a later part, as far as it is asked for.
    if (more) part.wanted = used_later(ops, begin, end);
    if (auto failed = run_part(program, std::move(part), &values)) return failed;
    if (!more) return std::nullopt;
    const std::vector<Arrays> results = run_parallel(program, ops[end], values);
    for (size_t i = 0; i < results.size(); ++i) values[ops[end].results[i]] = results[i];
    begin = end + 1;
  }
}

}  // namespace tool
