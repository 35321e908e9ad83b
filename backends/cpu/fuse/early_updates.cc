#include "backends/cpu/fuse/early_updates.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "systolic/ir/clone.h"
#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr int nowhere = -1;

// The ops that the group's step runs.
std::vector<const ir::Op*> all_ops(const Group& group) {
  std::vector<const ir::Op*> ops = group.ops;
  if (const ir::Op* product = product_of(group)) ops.push_back(product);
  return ops;
}

// Which group waits for which, by their indices.
class Order {
 public:
  Order(const Planner& planner, const ir::Block& block, const std::vector<Group>& groups);

  // Whether the group makes results of the block alone, of a product.
  bool is_update(int index) const;
  // Whether the group makes nothing but scalars: a learning rate, how far moments are biased.
  bool makes_scalars(int index) const;
  // The last turn of those that the group waits for; nowhere if there is none. The groups before it
  // have their turns.
  int last_awaited(int index, const std::vector<int>& turns) const;

 private:
  void note_makers(int index);
  void note_reads(int index);
  ir::ValueId source(ir::ValueId value) const;
  void note_taken_arguments(const ir::Block& block);
  int maker(ir::ValueId value) const;
  bool makes_a_product(int index) const;
  const Group& group(int index) const { return groups_[static_cast<size_t>(index)]; }

  const Planner& planner_;
  const std::vector<Group>& groups_;
  std::unordered_set<const ir::Op*> roundings_;  // that are left to those who read them
  std::unordered_map<ir::ValueId, int> makers_;
  std::vector<std::vector<ir::ValueId>> reads_;                // by each group, of others
  std::unordered_map<ir::ValueId, std::vector<int>> readers_;  // in order
  std::vector<std::vector<ir::ValueId>> takes_;                // arguments whose memory it takes
  std::vector<int> last_that_can_fail_;                        // before each group
};

Order::Order(const Planner& planner, const ir::Block& block, const std::vector<Group>& groups)
    : planner_(planner), groups_(groups), reads_(groups.size()), takes_(groups.size()) {
  const int count = static_cast<int>(groups.size());
  int can_fail = nowhere;
  for (int index = 0; index < count; ++index) {
    note_makers(index);
    last_that_can_fail_.push_back(can_fail);
    const ir::OpFamily family = ir::info(group(index).ops[0]->code).family;
    if (family == ir::OpFamily::control || family == ir::OpFamily::collective) can_fail = index;
  }
  for (int index = 0; index < count; ++index) note_reads(index);
  note_taken_arguments(block);
}

void Order::note_makers(int index) {
  if (group(index).is<RoundedByReaders>()) roundings_.insert(group(index).ops[0]);
  for (const ir::Op* op : all_ops(group(index))) {
    for (ir::ValueId result : op->results) makers_.emplace(result, index);
  }
}

void Order::note_reads(int index) {
  for (const ir::Op* op : all_ops(group(index))) {
    for (ir::ValueId read : ir::values_read(*op)) {
      const ir::ValueId value = source(read);
      if (maker(value) == index) continue;
      reads_[static_cast<size_t>(index)].push_back(value);
      readers_[value].push_back(index);
    }
  }
}

// What is read where `value` is: of views what they show, of roundings that are left to the reader
// what they round.
ir::ValueId Order::source(ir::ValueId value) const {
  while (const ir::Op* op = planner_.definition(value)) {
    if (op->operands.empty() || (!is_view_op(op->code) && !roundings_.contains(op))) break;
    value = op->operands[0];
  }
  return value;
}

// A result of the function takes the memory of the argument that is donated to it, one of a loop's
// body that of the argument in its place.
void Order::note_taken_arguments(const ir::Block& block) {
  const ir::Function& function = planner_.function();
  const bool outermost = &block == &function.body;
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    std::optional<int64_t> result = static_cast<int64_t>(i);
    if (outermost) {
      if (i >= function.arguments.size()) break;
      result = function.arguments[i].aliases_result;
    }
    if (!result || *result >= static_cast<int64_t>(block.results.size())) continue;
    const int index = maker(source(block.results[static_cast<size_t>(*result)]));
    if (index != nowhere) takes_[static_cast<size_t>(index)].push_back(block.arguments[i]);
  }
}

int Order::maker(ir::ValueId value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() ? nowhere : found->second;
}

bool Order::makes_a_product(int index) const {
  return group(index).is<ProductCluster>() || group(index).ops[0]->code == ir::OpCode::dot_general;
}

bool Order::is_update(int index) const {
  if (!is_cluster(group(index)) || group(index).is<ReducingCluster>()) return false;
  for (const ir::Op* op : group(index).ops) {
    if (readers_.contains(op->results[0])) return false;
  }
  const std::vector<ir::ValueId>& reads = reads_[static_cast<size_t>(index)];
  return group(index).is<ProductCluster>() ||
         std::any_of(reads.begin(), reads.end(), [&](ir::ValueId read) {
           return maker(read) != nowhere && makes_a_product(maker(read));
         });
}

bool Order::makes_scalars(int index) const {
  if (!group(index).is<ElementwiseCluster>()) return false;
  return std::all_of(group(index).ops.begin(), group(index).ops.end(), [&](const ir::Op* op) {
    return planner_.type(op->results[0]).shape.elements() == 1;
  });
}

int Order::last_awaited(int index, const std::vector<int>& turns) const {
  int last = last_that_can_fail_[static_cast<size_t>(index)];
  const auto await = [&](int other) {
    if (other == index || other == nowhere) return;
    last = std::max(last, other < index ? turns[static_cast<size_t>(other)] : other);
  };
  for (ir::ValueId read : reads_[static_cast<size_t>(index)]) await(maker(read));
  for (ir::ValueId taken : takes_[static_cast<size_t>(index)]) {
    const auto readers = readers_.find(taken);
    if (readers == readers_.end()) continue;
    for (int reader : readers->second) await(reader);
  }
  return last;
}

}  // namespace

void run_updates_early(const Planner& planner, const ir::Block& block, std::vector<Group>& groups) {
  const Order order(planner, block, groups);
  std::vector<int> turns;  // for each group: after the one of this index, or its own
  for (int index = 0; index < static_cast<int>(groups.size()); ++index) {
    const bool moves = order.is_update(index) || order.makes_scalars(index);
    turns.push_back(moves ? std::min(order.last_awaited(index, turns), index) : index);
  }
  std::vector<std::pair<int, int>> sequence;  // turns, in each of them in the order as it was
  for (int index = 0; index < static_cast<int>(groups.size()); ++index) {
    sequence.emplace_back(turns[static_cast<size_t>(index)], index);
  }
  std::sort(sequence.begin(), sequence.end());
  std::vector<Group> moved;
  moved.reserve(groups.size());
  for (const auto& [turn, index] : sequence) {
    moved.push_back(std::move(groups[static_cast<size_t>(index)]));
    moved.back().early = turn < index;
  }
  groups = std::move(moved);
}

}  // namespace cpu
}  // namespace systolic::inline v0
