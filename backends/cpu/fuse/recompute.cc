#include "backends/cpu/fuse/recompute.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "backends/cpu/fuse/group.h"
#include "systolic/ir/clone.h"
#include "systolic/passes/eliminate_dead_code.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// From this size on an array is taken to have left the caches when a later cluster reads it.
constexpr int64_t least_bytes = int64_t{1} << 20;
// What a cluster reads besides the product, for each repeated array: the caches hold it.
constexpr int64_t most_bytes_at_hand = least_bytes / 16;
// What may be spent on an element, in simple ops, rather than write and read it.
constexpr int most_cost = 32;
// In a cluster with its copies: well below what group.cc puts in one, and a tile program holds.
constexpr size_t most_ops_with_copies = 64;
constexpr int too_dear = std::numeric_limits<int>::max() / 4;

// What computing an element again costs, in simple ops. Ops that jump are not simple: what rounds
// otherwise may fall on the other side.
int cost_of(const ir::Op& op, DType dtype) {
  if (!is_float(dtype)) return too_dear;
  const bool in_f32 = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  switch (op.code) {
    case ir::OpCode::abs:
    case ir::OpCode::add:
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

// How a value follows from one product that its cluster reads.
struct Origin {
  ir::ValueId source = ir::no_value;
  int cost = 0;
};

// What a cluster gets: copies of ops, each with the op of the cluster that it is to stand before,
// and the values that they replace.
struct Copies {
  std::map<size_t, size_t> places;
  std::unordered_set<ir::ValueId> values;
};
using CopiesOf = std::unordered_map<const Group*, Copies>;

// Rewrites one block: looks at it as it was, and changes what will run.
class BlockRewrite {
 public:
  BlockRewrite(const Planner& planner, const ir::Block& block)
      : planner_(planner), block_(block), groups_(group_ops(planner, block)) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ir::ValueId result : block.ops[i].results) defined_[result] = i;
      for (ir::ValueId value : ir::values_read(block.ops[i])) readers_[value].push_back(i);
    }
    for (const Group& group : groups_) {
      const auto ops = is_cluster(group) ? elementwise_ops(group) : std::span(group.ops);
      for (const ir::Op* op : ops) group_[static_cast<size_t>(op - block.ops.data())] = &group;
    }
  }

  void run(ir::Function& function, ir::Block& block) const {
    std::unordered_set<const Group*> unwilling;
    CopiesOf copies = collect(unwilling);
    // What one reader does not compute again is stored, and then the others read it too.
    for (size_t before = copies.size() + 1; before > copies.size();) {
      before = copies.size();
      for (const auto& [group, found] : copies) {
        if (!takes(*group, found)) unwilling.insert(group);
      }
      copies = collect(unwilling);
    }
    if (!copies.empty()) apply(copies, function, block);
  }

 private:
  const ir::Type& type(ir::ValueId value) const { return planner_.type(value); }

  const Group* group_of(ir::ValueId value) const {
    const auto at = defined_.find(value);
    if (at == defined_.end()) return nullptr;
    const auto found = group_.find(at->second);
    return found == group_.end() ? nullptr : found->second;
  }

  CopiesOf collect(const std::unordered_set<const Group*>& unwilling) const {
    CopiesOf copies;
    for (const Group& group : groups_) {
      if (is_cluster(group) && !group.is<ReducingCluster>()) look_at(group, unwilling, copies);
    }
    return copies;
  }

  void look_at(const Group& group, const std::unordered_set<const Group*>& unwilling,
               CopiesOf& copies) const {
    if (type(group.ops[0]->results[0]).shape.elements() < least_bytes / 8) return;
    const auto origins = this->origins(group);
    for (const ir::Op* op : group.ops) {
      const ir::ValueId value = op->results[0];
      const auto origin = origins.find(value);
      if (origin == origins.end() || type(value).bytes() < least_bytes) continue;
      const DType from = type(origin->second.source).dtype;
      if (byte_width(from) > byte_width(type(value).dtype)) continue;
      if (!goes_to_clusters(group, value, unwilling)) continue;
      for (size_t reader : readers_.at(value)) {
        const Group* other = group_.at(reader);
        if (other == &group) continue;
        copies[other].values.insert(value);
        add_makers(group, value, reader, copies[other]);
      }
    }
  }

  // How the group's values follow from what it reads; those that are too dear are left out.
  std::unordered_map<ir::ValueId, Origin> origins(const Group& group) const {
    std::unordered_map<ir::ValueId, Origin> found;
    for (const ir::Op* op : group.ops) {
      Origin origin{.cost = cost_of(*op, type(op->results[0]).dtype)};
      for (ir::ValueId operand : op->operands) {
        if (origin.cost > most_cost) break;
        if (!is_at_hand(operand)) join(origin, origin_of(group, found, operand));
      }
      if (origin.cost <= most_cost && origin.source != ir::no_value) found[op->results[0]] = origin;
    }
    return found;
  }

  // A number, or a small array that is repeated, as a bias is.
  bool is_at_hand(ir::ValueId value) const {
    if (planner_.splat(value)) return true;
    const ir::Op* op = planner_.definition(value);
    return op != nullptr && op->code == ir::OpCode::broadcast_in_dim &&
           type(op->operands[0]).bytes() <= most_bytes_at_hand;
  }

  Origin origin_of(const Group& group, const std::unordered_map<ir::ValueId, Origin>& found,
                   ir::ValueId operand) const {
    const auto inside = found.find(operand);
    if (inside != found.end()) return inside->second;
    return is_product(group, operand) ? Origin{.source = operand} : Origin{.cost = too_dear};
  }

  static void join(Origin& origin, const Origin& operand) {
    const bool another = origin.source != ir::no_value && operand.source != origin.source;
    origin = {operand.source, another ? too_dear : std::min(too_dear, origin.cost + operand.cost)};
  }

  // Whether what the group reads is a product, maybe with its bias, that is stored as the group's
  // values are: an array of its own, which nobody overwrites before its last reader.
  bool is_product(const Group& group, ir::ValueId value) const {
    const Group* maker = group_of(value);
    if (maker == nullptr) return false;
    if (type(value).shape != type(group.ops[0]->results[0]).shape) return false;
    if (const auto* product = std::get_if<BiasedProduct>(&maker->kind)) {
      return product->result == value;
    }
    if (!maker->is<PlainOp>()) return false;
    const ir::OpCode code = maker->ops[0]->code;
    return code == ir::OpCode::dot_general || code == ir::OpCode::convolution;
  }

  // Whether there are readers outside of the group, and all are ops of clusters that take copies.
  bool goes_to_clusters(const Group& group, ir::ValueId value,
                        const std::unordered_set<const Group*>& unwilling) const {
    const auto readers = readers_.find(value);
    if (readers == readers_.end()) return false;
    int64_t reads = 0;
    bool leaves = false;
    for (size_t reader : readers->second) {
      const auto found = group_.find(reader);
      if (found == group_.end() || !is_cluster(*found->second)) return false;
      if (unwilling.count(found->second) != 0) return false;
      leaves = leaves || found->second != &group;
      const auto& operands = block_.ops[reader].operands;
      reads += std::count(operands.begin(), operands.end(), value);
    }
    return leaves && reads == planner_.uses(value);  // else the block returns it
  }

  // The group's ops that make the value, before the first of the cluster's ops that needs them.
  void add_makers(const Group& group, ir::ValueId value, size_t reader, Copies& copies) const {
    std::vector<ir::ValueId> open{value};
    while (!open.empty()) {
      const ir::ValueId next = open.back();
      open.pop_back();
      if (group_of(next) != &group) continue;
      const size_t at = defined_.at(next);
      const auto [place, is_new] = copies.places.emplace(at, reader);
      if (!is_new && place->second <= reader) continue;
      place->second = reader;
      const auto& operands = block_.ops[at].operands;
      open.insert(open.end(), operands.begin(), operands.end());
    }
  }

  // Whether the cluster has room for the copies, and what it makes of them changes but a little
  // where they do.
  bool takes(const Group& group, const Copies& copies) const {
    if (group.ops.size() + copies.places.size() > most_ops_with_copies) return false;
    std::unordered_set<ir::ValueId> reached = copies.values;
    for (const ir::Op* op : group.ops) {
      const bool reads = std::any_of(op->operands.begin(), op->operands.end(),
                                     [&](ir::ValueId value) { return reached.count(value) != 0; });
      if (!reads || op->code == ir::OpCode::reduce) continue;
      if (cost_of(*op, type(op->results[0]).dtype) >= too_dear) return false;
      reached.insert(op->results[0]);
    }
    return true;
  }

  void apply(const CopiesOf& copies, ir::Function& function, ir::Block& block) const {
    std::unordered_map<size_t, std::vector<ir::Op>> before;  // by the op that they stand before
    for (const Group& group : groups_) {
      const auto found = copies.find(&group);
      if (found != copies.end()) copy_ops(group, found->second, function, block, before);
    }
    std::vector<ir::Op> ops;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const auto found = before.find(i);
      if (found != before.end()) {
        std::move(found->second.begin(), found->second.end(), std::back_inserter(ops));
      }
      ops.push_back(std::move(block.ops[i]));
    }
    block.ops = std::move(ops);
  }

  // Copies one cluster's ops in program order, and has the cluster read them.
  void copy_ops(const Group& group, const Copies& copies, ir::Function& function, ir::Block& block,
                std::unordered_map<size_t, std::vector<ir::Op>>& before) const {
    std::unordered_map<ir::ValueId, ir::ValueId> renamed;
    for (const auto& [index, place] : copies.places) {
      ir::Op copy = block_.ops[index];
      for (ir::ValueId& operand : copy.operands) {
        const auto found = renamed.find(operand);
        if (found != renamed.end()) operand = found->second;
      }
      const ir::ValueId result = function.new_value(type(copy.results[0]));
      renamed[std::exchange(copy.results[0], result)] = result;
      before[place].push_back(std::move(copy));
    }
    for (const ir::Op* op : group.ops) {
      for (ir::ValueId& operand : block.ops[static_cast<size_t>(op - block_.ops.data())].operands) {
        if (copies.values.count(operand) != 0) operand = renamed.at(operand);
      }
    }
  }

  const Planner& planner_;
  const ir::Block& block_;
  const std::vector<Group> groups_;
  std::unordered_map<ir::ValueId, size_t> defined_;               // by which op of this block
  std::unordered_map<ir::ValueId, std::vector<size_t>> readers_;  // ops of this block
  std::unordered_map<size_t, const Group*> group_;  // of each op, but reductions of a cluster
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
  const auto& types = module.main().types;
  const bool has_large = std::any_of(
      types.begin(), types.end(), [](const ir::Type& type) { return type.bytes() >= least_bytes; });
  if (!has_large) return module;
  ir::Module result = module;
  const Planner planner(module, module.main(), 1, lower_block);
  rewrite(planner, module.main().body, result.main(), result.main().body);
  // The originals of what everybody computes again are read no more.
  return passes::eliminate_dead_code(std::move(result));
}

}  // namespace cpu
}  // namespace systolic::inline v0
