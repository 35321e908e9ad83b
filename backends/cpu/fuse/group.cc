#include "backends/cpu/fuse/group.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "backends/cpu/fuse/drawn_bits.h"
#include "backends/cpu/fuse/pattern.h"
#include "backends/cpu/fuse/rounded_operand.h"
#include "backends/cpu/fuse/row_product.h"
#include "backends/cpu/fuse/row_sums.h"
#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr size_t most_ops = 96;  // in one cluster: about 200 values may be alive in a tile program
constexpr int no_cluster = -1;

class Grouper {
 public:
  Grouper(const Planner& planner, const ir::Block& block) : planner_(planner), block_(block) {}
  std::vector<Group> run();

 private:
  struct Cluster {
    Group group;
    bool open = true;
    int merged_into = no_cluster;
  };

  int cluster_of(ir::ValueId value) const;
  ir::ValueId source(ir::ValueId value) const;
  void read_by_outsider(ir::ValueId value);
  void add_elementwise(const ir::Op& op, int position);
  void add_other(const ir::Op& op, int position);
  void add_to_pattern(const ir::Op& op, size_t pattern, int position);
  bool joins_as_reduction(const ir::Op& op, int position);
  int merge(int a, int b);
  bool only_result(const Group& group, ir::ValueId value) const;
  bool unused(const ir::Op& op) const;

  const Planner& planner_;
  const ir::Block& block_;
  std::vector<Cluster> clusters_;
  std::unordered_map<ir::ValueId, int> member_;  // value -> cluster that computes it
  std::vector<Group> patterns_;
  std::unordered_map<const ir::Op*, size_t> pattern_of_;
};

// The cluster that computes the value, whether open or not.
int Grouper::cluster_of(ir::ValueId value) const {
  const auto found = member_.find(value);
  if (found == member_.end()) return no_cluster;
  int cluster = found->second;
  while (clusters_[static_cast<size_t>(cluster)].merged_into != no_cluster) {
    cluster = clusters_[static_cast<size_t>(cluster)].merged_into;
  }
  return cluster;
}

// What a view is a view of.
ir::ValueId Grouper::source(ir::ValueId value) const {
  while (const ir::Op* op = planner_.definition(value)) {
    if (!is_view_op(op->code) || op->operands.empty()) break;
    value = op->operands[0];
  }
  return value;
}

void Grouper::read_by_outsider(ir::ValueId value) {
  const int cluster = cluster_of(source(value));
  if (cluster != no_cluster) clusters_[static_cast<size_t>(cluster)].open = false;
}

bool Grouper::unused(const ir::Op& op) const {
  return !op.results.empty() &&
         std::all_of(op.results.begin(), op.results.end(),
                     [&](ir::ValueId result) { return planner_.uses(result) == 0; }) &&
         !ir::has_side_effect(op);
}

int Grouper::merge(int a, int b) {
  if (a == no_cluster || a == b) return b;
  Cluster& into = clusters_[static_cast<size_t>(a)];
  Cluster& from = clusters_[static_cast<size_t>(b)];
  if (into.group.ops.size() + from.group.ops.size() > most_ops) {
    from.open = false;
    return a;
  }
  std::vector<const ir::Op*> both;  // ops lie in one array, in program order
  std::merge(into.group.ops.begin(), into.group.ops.end(), from.group.ops.begin(),
             from.group.ops.end(), std::back_inserter(both));
  into.group.ops = std::move(both);
  into.group.position = std::max(into.group.position, from.group.position);
  from.group.ops.clear();
  from.merged_into = a;
  return a;
}

void Grouper::add_elementwise(const ir::Op& op, int position) {
  const Shape& shape = planner_.type(op.results[0]).shape;
  int home = no_cluster;
  for (ir::ValueId operand : op.operands) {
    const int cluster = cluster_of(operand);
    const bool same_space = planner_.type(operand).shape == shape;
    if (cluster == no_cluster || !same_space || !clusters_[static_cast<size_t>(cluster)].open ||
        clusters_[static_cast<size_t>(cluster)].group.ops.size() >= most_ops) {
      read_by_outsider(operand);
    } else {
      home = merge(home, cluster);
    }
  }
  // A view of a cluster's value is read from memory, and reading it has closed the cluster.
  if (home == no_cluster || !clusters_[static_cast<size_t>(home)].open) {
    home = static_cast<int>(clusters_.size());
    clusters_.emplace_back();
    clusters_.back().group.kind = ElementwiseCluster{};
  }
  Group& group = clusters_[static_cast<size_t>(home)].group;
  group.ops.push_back(&op);
  group.position = position;
  member_[op.results[0]] = home;
}

// Nothing but the reduction that is about to read `value` reads anything of the group.
bool Grouper::only_result(const Group& group, ir::ValueId value) const {
  std::unordered_map<ir::ValueId, int> inside;
  for (const ir::Op* op : group.ops) {
    for (ir::ValueId operand : op->operands) ++inside[operand];
  }
  return std::all_of(group.ops.begin(), group.ops.end(), [&](const ir::Op* op) {
    const ir::ValueId result = op->results[0];
    return planner_.uses(result) == inside[result] + (result == value ? 1 : 0);
  });
}

bool Grouper::joins_as_reduction(const ir::Op& op, int position) {
  if (op.code != ir::OpCode::reduce || !is_plain_reduction(planner_, op)) return false;
  const int cluster = cluster_of(op.operands[0]);
  if (cluster == no_cluster || !clusters_[static_cast<size_t>(cluster)].open) return false;
  Group& group = clusters_[static_cast<size_t>(cluster)].group;
  if (!only_result(group, op.operands[0])) return false;
  group.ops.push_back(&op);
  group.kind = ReducingCluster{};
  group.position = position;
  clusters_[static_cast<size_t>(cluster)].open = false;
  read_by_outsider(op.operands[1]);
  return true;
}

void Grouper::add_other(const ir::Op& op, int position) {
  if (joins_as_reduction(op, position)) return;
  for (ir::ValueId value : ir::values_read(op)) read_by_outsider(value);
  clusters_.push_back({.group = {.ops = {&op}, .position = position}, .open = false});
}

// A pattern runs where its last op stands.
void Grouper::add_to_pattern(const ir::Op& op, size_t index, int position) {
  for (ir::ValueId value : ir::values_read(op)) read_by_outsider(value);
  Group& pattern = patterns_[index];
  if (&op != pattern.ops.back()) return;
  pattern.position = position;
  clusters_.push_back({.group = std::move(pattern), .open = false});
}

std::vector<Group> Grouper::run() {
  patterns_ = find_patterns(planner_, block_);
  for (size_t i = 0; i < patterns_.size(); ++i) {
    for (const ir::Op* op : patterns_[i].ops) pattern_of_.emplace(op, i);
  }
  for (size_t i = 0; i < block_.ops.size(); ++i) {
    const ir::Op& op = block_.ops[i];
    const int position = static_cast<int>(i);
    if (is_view_op(op.code) || unused(op)) continue;
    const auto pattern = pattern_of_.find(&op);
    if (pattern != pattern_of_.end()) {
      add_to_pattern(op, pattern->second, position);
    } else if (is_fusible(planner_, op)) {
      add_elementwise(op, position);
    } else {
      add_other(op, position);
    }
  }
  std::vector<Group> groups;
  for (Cluster& cluster : clusters_) {
    if (!cluster.group.ops.empty()) groups.push_back(std::move(cluster.group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.position < b.position; });
  join_products(planner_, groups);
  find_row_sums(planner_, groups);
  find_drawn_bits(planner_, groups);
  find_rounded_operands(planner_, groups);
  return groups;
}

}  // namespace

bool is_cluster(const Group& group) {
  return group.is<ElementwiseCluster>() || group.is<ReducingCluster>() ||
         group.is<ProductCluster>();
}

std::span<const ir::Op* const> elementwise_ops(const Group& group) {
  if (!is_cluster(group)) return {};
  return std::span(group.ops).first(group.ops.size() - (group.is<ReducingCluster>() ? 1 : 0));
}

const ir::Op* product_of(const Group& group) {
  const auto* cluster = std::get_if<ProductCluster>(&group.kind);
  return cluster == nullptr ? nullptr : cluster->product;
}

int element_reads(const Group& group, ir::ValueId value) {
  int reads = 0;
  for (const ir::Op* op : elementwise_ops(group)) {
    reads += static_cast<int>(std::count(op->operands.begin(), op->operands.end(), value));
  }
  return reads;
}

ir::ValueId made_again(const Group& group) {
  if (const auto* gradient = std::get_if<NormalizationGradient>(&group.kind)) {
    return gradient->normalized;
  }
  const auto* gradient = std::get_if<SoftmaxGradient>(&group.kind);
  if (gradient == nullptr) return ir::no_value;
  return gradient->reads_shares ? gradient->exponentials : gradient->shares;
}

bool is_fusible(const Planner& planner, const ir::Op& op) {
  return ir::is_elementwise(op.code) || op.code == ir::OpCode::bitcast_convert ||
                 op.code == ir::OpCode::iota
             ? TileCompiler::supports(planner, op)
             : false;
}

std::vector<Group> group_ops(const Planner& planner, const ir::Block& block) {
  return Grouper(planner, block).run();
}

}  // namespace cpu
}  // namespace systolic::inline v0
