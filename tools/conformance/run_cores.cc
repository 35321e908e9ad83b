#include "tools/conformance/run_cores.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/element_type.h"
#include "systolic/stablehlo/import/import.h"
#include "tools/conformance/collective.h"

namespace tool {
namespace {

using namespace systolic;
using stablehlo::Attribute;
using stablehlo::Function;
using stablehlo::Operation;
using stablehlo::Program;
using stablehlo::ValueId;

constexpr std::string_view send = "stablehlo.send", recv = "stablehlo.recv",
                           infeed_op = "stablehlo.infeed", outfeed_op = "stablehlo.outfeed";

bool moves_arrays(const Operation& op) {
  return op.name == send || op.name == recv || op.name == infeed_op || op.name == outfeed_op ||
         is_collective(op);
}

bool is_return(const Operation& op) { return op.name == "func.return"; }

// Channel and receiver; the host has no number.
using Address = std::pair<int64_t, int64_t>;
constexpr int64_t host = -1;

struct Core {
  int64_t number = 0;
  const Function* function = nullptr;
  size_t next = 0;  // the op to run
  std::map<ValueId, Arrays> values;
  bool done = false;
};

class Cores {
 public:
  Cores(const Program& program, const Grid& grid, std::deque<Arrays> infeed, const Execute& execute)
      : program_(program), grid_(grid), infeed_(std::move(infeed)), execute_(execute) {}

  std::vector<std::vector<Arrays>> run(const std::vector<std::vector<Arrays>>& arguments) {
    for (size_t i = 0; i < grid_.functions.size(); ++i) {
      Core core{.number = static_cast<int64_t>(i), .function = grid_.functions[i], .values = {}};
      const std::vector<ValueId>& names = core.function->body.arguments;
      for (size_t k = 0; k < names.size(); ++k) core.values[names[k]] = arguments[i][k];
      cores_.push_back(std::move(core));
    }
    while (!std::all_of(cores_.begin(), cores_.end(), [](const Core& c) { return c.done; })) {
      bool moved = false;
      for (Core& core : cores_) moved |= !core.done && advance(core);
      if (!moved) raise_waiting();
    }
    std::vector<std::vector<Arrays>> results;
    for (Core& core : cores_) {
      std::vector<Arrays>& returned = results.emplace_back();
      for (ValueId value : core.function->body.operations.back().operands) {
        returned.push_back(core.values[value]);
      }
    }
    return results;
  }

 private:
  // Up to where the core waits, or its end. Did it get anywhere?
  bool advance(Core& core) {
    const std::vector<Operation>& ops = core.function->body.operations;
    bool moved = false;
    while (true) {
      size_t end = core.next;
      while (end < ops.size() && !moves_arrays(ops[end]) && !is_return(ops[end])) ++end;
      if (end > core.next) {
        run_ops(core, end);
        moved = true;
      }
      if (end == ops.size() || is_return(ops[end])) {
        core.done = true;
        return true;
      }
      core.next = end;
      if (!transfer(core, ops[end])) return moved;
      core.next = end + 1;
      moved = true;
    }
  }

  void run_ops(Core& core, size_t end) {
    std::vector<size_t> counts;
    const std::vector<ValueId> wanted = used_later(core.function->body.operations, core.next, end);
    const ir::Module module = stablehlo::import_module(
        program_, {.replicas = grid_.replicas,
                   .partitions = grid_.partitions,
                   .entry = core.function,
                   .core = core.number,
                   .part =
                       stablehlo::Part{
                           .begin = core.next, .end = end, .known = core.values, .wanted = wanted},
                   .array_counts = &counts});
    const Arrays results = wanted.empty() ? Arrays{} : execute_(module, {})[0];
    size_t next = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      for (size_t k = 0; k < counts[i]; ++k) core.values[wanted[i]].push_back(results.at(next++));
    }
    core.next = end;
  }

  // false where nothing has come in yet.
  bool transfer(Core& core, const Operation& op) {
    if (is_collective(op)) return meet(core, op);
    if (op.name == infeed_op) {
      if (infeed_.empty()) {
        stablehlo::raise_at(program_, op.offset, "there is nothing more to feed", {},
                            "as many arrays in infeed as infeed ops take");
      }
      take(core, op, infeed_.front());
      infeed_.pop_front();
    } else if (op.name == recv) {
      std::deque<Arrays>& queue = queues_[{channel_of(op), is_host(op) ? host : core.number}];
      if (queue.empty()) return false;
      take(core, op, queue.front());
      queue.pop_front();
    } else {
      Arrays sent;
      for (ValueId operand : op.operands) {
        const Arrays& arrays = core.values[operand];
        sent.insert(sent.end(), arrays.begin(), arrays.end());
      }
      if (op.name == send) {
        for (int64_t receiver : receivers(core, op))
          queues_[{channel_of(op), receiver}].push_back(sent);
      }
      for (ValueId result : op.results) core.values[result] = {};
    }
    return true;
  }

  // The op at which a core stands.
  static const Operation& op_at(const Core& core) {
    return core.function->body.operations[core.next];
  }

  // Does the core wait at the collective that the op is for another core?
  static bool waits_at(const Core& core, const Operation& op) {
    if (core.done) return false;
    const Operation& other = op_at(core);
    return other.name == op.name && channel_of(other) == channel_of(op) &&
           other.operands.size() == op.operands.size();
  }

  // false where a core of the group has not come to it yet.
  bool meet(Core& core, const Operation& op) {
    const Collective collective(program_, grid_, *core.function, core.next, core.number);
    std::vector<Arrays> operands;
    for (int64_t member : collective.group()) {
      const Core& other = cores_[static_cast<size_t>(member)];
      if (!waits_at(other, op)) return false;
      Arrays& given = operands.emplace_back();
      for (ValueId operand : op_at(other).operands) given.push_back(other.values.at(operand).at(0));
    }
    const std::vector<Arrays> results = collective.run(operands, execute_);
    for (int64_t member : collective.group()) {
      Core& other = cores_[static_cast<size_t>(member)];
      const std::vector<ValueId>& names = op_at(other).results;
      for (size_t i = 0; i < names.size(); ++i) {
        other.values[names[i]] = {results[static_cast<size_t>(member)].at(i)};
      }
      if (&other != &core) ++other.next;
    }
    return true;
  }

  // The payload of an op; its token is left without arrays.
  void take(Core& core, const Operation& op, const Arrays& arrays) {
    size_t next = 0;
    for (ValueId result : op.results) {
      core.values[result] = {};
      const stablehlo::Type& type = program_.type(core.function->type(result));
      if (type.kind != stablehlo::Type::Kind::tensor) continue;
      const bool fits = next < arrays.size() && arrays[next].shape() == Shape(type.dims) &&
                        arrays[next].dtype() == info(type.element).dtype;
      if (!fits) {
        stablehlo::raise_at(program_, op.offset, str(op.name, ": what came in"),
                            next < arrays.size() ? str(to_string(arrays[next].dtype()),
                                                       to_string(arrays[next].shape()))
                                                 : "nothing",
                            str(info(type.element).name, to_string(Shape(type.dims))));
      }
      core.values[result].push_back(arrays[next++]);
    }
  }

  static bool is_host(const Operation& op) {
    const Attribute* found = op.find("is_host_transfer");
    return found != nullptr && (found->kind == Attribute::Kind::unit || found->integer != 0);
  }

  // source_target_pairs count replicas where there are several, else partitions.
  std::vector<int64_t> receivers(const Core& core, const Operation& op) const {
    if (is_host(op)) return {host};
    const Attribute* pairs = op.find("source_target_pairs");
    if (pairs == nullptr) {
      stablehlo::raise_at(program_, op.offset, "source_target_pairs is missing");
    }
    const std::vector<int64_t> flat = stablehlo::read_integers(program_, *pairs);
    const bool of_replicas = grid_.replicas > 1;
    const int64_t other = of_replicas ? core.number % grid_.partitions : 0;
    std::vector<int64_t> targets;
    for (size_t i = 0; i + 1 < flat.size(); i += 2) {
      const int64_t scale = of_replicas ? grid_.partitions : 1;
      if (flat[i] * scale + other == core.number) targets.push_back(flat[i + 1] * scale + other);
    }
    return targets;
  }

  [[noreturn]] void raise_waiting() const {
    for (const Core& core : cores_) {
      if (core.done) continue;
      const Operation& op = op_at(core);
      if (is_collective(op)) {
        stablehlo::raise_at(program_, op.offset,
                            str("core ", core.number, " waits at ", op.name, ", channel ",
                                channel_of(op), ", for the other cores of its group"),
                            {}, "the same op on each of them, outside of regions and calls");
      }
      stablehlo::raise_at(
          program_, op.offset,
          str("core ", core.number, " waits for what no core sends: channel ", channel_of(op)), {},
          "a send before it on another core");
    }
    raise<Internal>({.what = "no core waits"});
  }

  const Program& program_;
  const Grid& grid_;
  std::deque<Arrays> infeed_;
  const Execute& execute_;
  std::vector<Core> cores_;
  std::map<Address, std::deque<Arrays>> queues_;
};

void collect_uses(const Operation& op, std::set<ValueId>* uses) {
  uses->insert(op.operands.begin(), op.operands.end());
  for (const stablehlo::Region& region : op.regions) {
    for (const Operation& inside : region.operations) collect_uses(inside, uses);
  }
}

}  // namespace

std::vector<ValueId> used_later(const std::vector<Operation>& ops, size_t begin, size_t end) {
  std::set<ValueId> uses;
  for (size_t i = end; i < ops.size(); ++i) collect_uses(ops[i], &uses);
  std::vector<ValueId> wanted;
  for (size_t i = begin; i < std::min(end, ops.size()); ++i) {
    for (ValueId value : ops[i].results) {
      if (uses.count(value) > 0) wanted.push_back(value);
    }
  }
  return wanted;
}

bool exchanges_arrays(const Grid& grid) {
  for (const Function* function : grid.functions) {
    if (function != grid.functions[0]) return true;
    for (const Operation& op : function->body.operations) {
      const bool feeds = op.name == infeed_op && grid.functions.size() > 1;
      if (op.name == send || op.name == recv || feeds) return true;
    }
  }
  return false;
}

std::vector<std::vector<Arrays>> run_cores(const Program& program, const Grid& grid,
                                           const std::vector<std::vector<Arrays>>& arguments,
                                           std::deque<Arrays> infeed, const Execute& execute) {
  return Cores(program, grid, std::move(infeed), execute).run(arguments);
}

}  // namespace tool
