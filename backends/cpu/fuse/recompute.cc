#include "backends/cpu/fuse/recompute.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/cpu/fuse/group.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// From this size on an array is taken to have left the caches when a later cluster reads it.
constexpr int64_t least_bytes = int64_t{1} << 20;
// What may be spent on an element, in simple ops, rather than write and read it.
constexpr int most_cost = 32;
constexpr size_t most_ops = 64;  // in a cluster with the copies that it gets; see group.cc
constexpr int too_dear = std::numeric_limits<int>::max() / 4;

// Of computing an element again, in simple ops.
int cost_of(const ir::Op& op, DType dtype) {
  const bool in_f32 = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  switch (op.code) {
    case ir::OpCode::abs:
    case ir::OpCode::add:
    case ir::OpCode::compare:
    case ir::OpCode::convert:
    case ir::OpCode::maximum:
    case ir::OpCode::minimum:
    case ir::OpCode::multiply:
    case ir::OpCode::negate:
    case ir::OpCode::select:
    case ir::OpCode::subtract:
      return 1;
    case ir::OpCode::divide:
    case ir::OpCode::rsqrt:
    case ir::OpCode::sqrt:
      return in_f32 ? 4 : too_dear;
    case ir::OpCode::erf:
    case ir::OpCode::exponential:
    case ir::OpCode::exponential_minus_one:
    case ir::OpCode::log:
    case ir::OpCode::log_plus_one:
    case ir::OpCode::logistic:
    case ir::OpCode::tanh:
      return in_f32 ? 8 : too_dear;
    default:
      return too_dear;
  }
}

// How a value follows from one array that its cluster reads.
struct Origin {
  ir::ValueId source = ir::no_value;
  int cost = 0;
};

// Ops of a cluster and what they are to read instead.
struct Copies {
  std::vector<size_t> ops;      // to be copied before the first reader, in program order
  std::vector<size_t> readers;  // whose operands the copies replace
};

// Of one block: looks at it as it was, and changes what will run.
class BlockRewrite {
 public:
  BlockRewrite(const Planner& planner, const ir::Block& block)
      : planner_(planner), block_(block), groups_(group_ops(planner, block)) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ir::ValueId result : block.ops[i].results) defined_[result] = i;
      for (ir::ValueId value : ir::values_read(block.ops[i])) readers_[value].push_back(i);
    }
    for (const Group& group : groups_) {
      if (!group.elementwise) continue;
      for (const ir::Op* op : group.ops) {
        if (ir::is_elementwise(op->code))
          group_[static_cast<size_t>(op - block.ops.data())] = &group;
      }
    }
  }

  void run(ir::Function& function, ir::Block& block) const {
    std::unordered_map<const Group*, Copies> copies;
    for (const Group& group : groups_) {
      if (group.elementwise && !group.reduces) look_at(group, copies);
    }
    std::vector<Copies> chosen;
    for (const Group& group : groups_) {
      const auto found = copies.find(&group);
      if (found == copies.end() || group.ops.size() + found->second.ops.size() > most_ops) continue;
      chosen.push_back(std::move(found->second));
    }
    if (!chosen.empty()) apply(chosen, function, block);
  }

 private:
  const ir::Type& type(ir::ValueId value) const { return planner_.type(value); }

  // How the group's values follow from what it reads; those that are too dear are left out.
  std::unordered_map<ir::ValueId, Origin> origins(const Group& group) const {
    std::unordered_map<ir::ValueId, Origin> found;
    for (const ir::Op* op : group.ops) {
      Origin origin{.cost = cost_of(*op, type(op->results[0]).dtype)};
      for (ir::ValueId operand : op->operands) {
        if (!planner_.splat(operand)) join(origin, origin_of(group, found, operand));
      }
      if (origin.cost <= most_cost && origin.source != ir::no_value) found[op->results[0]] = origin;
    }
    return found;
  }

  Origin origin_of(const Group& group, const std::unordered_map<ir::ValueId, Origin>& found,
                   ir::ValueId operand) const {
    const auto inside = found.find(operand);
    if (inside != found.end()) return inside->second;
    const bool stored = !is_member(group, operand) && is_stored(group, operand);
    return stored ? Origin{.source = operand} : Origin{.cost = too_dear};
  }

  static void join(Origin& origin, const Origin& operand) {
    const bool another = origin.source != ir::no_value && operand.source != origin.source;
    origin = {operand.source, another ? too_dear : std::min(too_dear, origin.cost + operand.cost)};
  }

  bool is_member(const Group& group, ir::ValueId value) const {
    const auto at = defined_.find(value);
    if (at == defined_.end()) return false;
    const auto member = group_.find(at->second);
    return member != group_.end() && member->second == &group;
  }

  // Whether what the group reads is an array of its own that can wait for a later cluster:
  // arguments may be overwritten meanwhile.
  bool is_stored(const Group& group, ir::ValueId value) const {
    const auto at = defined_.find(value);
    if (at == defined_.end() || type(value).shape != type(group.ops[0]->results[0]).shape) {
      return false;
    }
    const ir::Op& op = block_.ops[at->second];
    return !is_view_op(op.code) && &op != group.product && op.code != ir::OpCode::scatter;
  }

  // Whether there are readers outside of the group, and all are elementwise ops of this block.
  bool goes_to_clusters(const Group& group, ir::ValueId value) const {
    const auto readers = readers_.find(value);
    if (readers == readers_.end()) return false;
    int64_t reads = 0;
    bool leaves = false;
    for (size_t reader : readers->second) {
      const auto found = group_.find(reader);
      if (found == group_.end()) return false;
      leaves = leaves || found->second != &group;
      const auto& operands = block_.ops[reader].operands;
      reads += std::count(operands.begin(), operands.end(), value);
    }
    return leaves && reads == planner_.uses(value);  // else the block returns it
  }

  void look_at(const Group& group, std::unordered_map<const Group*, Copies>& copies) const {
    if (type(group.ops[0]->results[0]).shape.elements() < least_bytes / 8) return;
    const auto origins = this->origins(group);
    for (const ir::Op* op : group.ops) {
      const ir::ValueId value = op->results[0];
      const auto origin = origins.find(value);
      if (origin == origins.end() || type(value).bytes() < least_bytes) continue;
      const ir::ValueId source = origin->second.source;
      const bool wider = byte_width(type(source).dtype) > byte_width(type(value).dtype);
      if (wider || !goes_to_clusters(group, value)) continue;
      for (size_t reader : readers_.at(value)) {
        const Group* other = group_.at(reader);
        if (other == &group) continue;
        copies[other].readers.push_back(reader);
        add_makers(group, value, copies[other].ops);
      }
    }
  }

  // The group's ops that make the value.
  void add_makers(const Group& group, ir::ValueId value, std::vector<size_t>& ops) const {
    std::vector<ir::ValueId> open{value};
    while (!open.empty()) {
      const ir::ValueId next = open.back();
      open.pop_back();
      if (!is_member(group, next)) continue;
      const size_t at = defined_.at(next);
      if (std::find(ops.begin(), ops.end(), at) != ops.end()) continue;
      ops.push_back(at);
      const auto& operands = block_.ops[at].operands;
      open.insert(open.end(), operands.begin(), operands.end());
    }
  }

  void apply(std::vector<Copies>& chosen, ir::Function& function, ir::Block& block) const {
    std::unordered_map<size_t, std::vector<ir::Op>> before;  // copies, by the op they stand before
    for (Copies& copies : chosen) {
      std::sort(copies.ops.begin(), copies.ops.end());
      std::unordered_map<ir::ValueId, ir::ValueId> renamed;
      const auto rename = [&](std::vector<ir::ValueId>& operands) {
        for (ir::ValueId& operand : operands) {
          const auto found = renamed.find(operand);
          if (found != renamed.end()) operand = found->second;
        }
      };
      const size_t first = *std::min_element(copies.readers.begin(), copies.readers.end());
      for (size_t index : copies.ops) {
        ir::Op copy = block_.ops[index];
        rename(copy.operands);
        const ir::ValueId result = function.new_value(type(copy.results[0]));
        renamed[std::exchange(copy.results[0], result)] = result;
        before[first].push_back(std::move(copy));
      }
      for (size_t reader : copies.readers) rename(block.ops[reader].operands);
    }
    std::vector<ir::Op> ops;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ir::Op& copy : before[i]) ops.push_back(std::move(copy));
      ops.push_back(std::move(block.ops[i]));
    }
    block.ops = std::move(ops);
  }

  const Planner& planner_;
  const ir::Block& block_;
  const std::vector<Group> groups_;
  std::unordered_map<ir::ValueId, size_t> defined_;               // by which op of this block
  std::unordered_map<ir::ValueId, std::vector<size_t>> readers_;  // ops of this block
  std::unordered_map<size_t, const Group*> group_;                // of elementwise ops
};

void rewrite(const Planner& planner, const ir::Block& before, ir::Function& function,
             ir::Block& block) {
  for (size_t i = 0; i < before.ops.size(); ++i) {
    for (size_t k = 0; k < before.ops[i].regions.size(); ++k) {
      rewrite(planner, before.ops[i].regions[k], function, block.ops[i].regions[k]);
    }
  }
  BlockRewrite(planner, before).run(function, block);
}

}  // namespace

ir::Module recompute_cheap_values(const ir::Module& module, LowerBlock lower_block) {
  ir::Module result = module;
  const Planner planner(module, module.main(), 1, lower_block);
  rewrite(planner, module.main().body, result.main(), result.main().body);
  return result;
}

}  // namespace cpu
}  // namespace systolic::inline v0
