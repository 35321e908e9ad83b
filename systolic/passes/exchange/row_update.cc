#include "systolic/passes/exchange/row_update.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "systolic/core/axes.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::Block;
using ir::Function;
using ir::Op;
using ir::OpCode;
using ir::OpFamily;
using ir::ValueId;

namespace {

// A block's ops by what they give.
class OpsOfBlock {
 public:
  OpsOfBlock(const Function& function, const Block& block) : function_(function), block_(block) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ValueId result : block.ops[i].results) made_by_[result] = i;
    }
  }

  const Shape& shape(ValueId value) const { return function_.type(value).shape; }
  const Function& function() const { return function_; }
  std::optional<size_t> place(ValueId value) const {
    const auto found = made_by_.find(value);
    if (found == made_by_.end()) return std::nullopt;
    return found->second;
  }
  // Null where another op gives the value, or none.
  const Op* made_by(ValueId value, OpCode code) const {
    const auto at = place(value);
    return at && block_.ops[*at].code == code ? &block_.ops[*at] : nullptr;
  }
  // The number of a constant, or of one that is repeated.
  std::optional<double> number(ValueId value) const {
    if (const Op* repeated = made_by(value, OpCode::broadcast_in_dim))
      value = repeated->operands[0];
    const Op* constant = made_by(value, OpCode::constant);
    if (constant == nullptr) return std::nullopt;
    const Literal& literal = constant->get<ir::ConstantAttributes>().value;
    if (literal.size() != 1) return std::nullopt;
    return literal.number_at(0);
  }

 private:
  const Function& function_;
  const Block& block_;
  std::map<ValueId, size_t> made_by_;
};

// A scatter of whole rows by places [count], combined by `code` or replaced.
bool scatters_rows(const OpsOfBlock& ops, const Op& op, std::optional<OpCode> code) {
  if (op.code != OpCode::scatter || op.operands.size() != 3) return false;
  const auto& a = op.get<ir::ScatterAttributes>();
  const Block& fold = op.regions[0];
  const bool replaces = fold.ops.empty() && fold.results == std::vector<ValueId>{fold.arguments[1]};
  if (code ? ir::fold_op(fold) != code : !replaces) return false;
  const int rank = ops.shape(op.operands[0]).rank();
  return rank >= 1 && ops.shape(op.operands[1]).rank() == 1 && a.index_vector_dim == 1 &&
         a.update_window_dims == axes_from(1, rank - 1) && a.inserted_window_dims == Axes{0} &&
         a.scatter_dims_to_operand_dims == Axes{0} && a.input_batching_dims.empty();
}

// The lookups in order of their rows, as nn/optimizers/update/row_gradient.cc writes it.
class SortedLookups {
 public:
  explicit SortedLookups(const OpsOfBlock& ops) : ops_(ops) {}

  // `rows`: each row where it begins, else a number that is none of the table's rows.
  bool match_rows(ValueId rows, int64_t height) {
    const Op* choice = ops_.made_by(rows, OpCode::select);
    if (choice == nullptr ||
        ops_.number(choice->operands[2]).value_or(0) < static_cast<double>(height))
      return false;
    begins_ = choice->operands[0];
    sort_ = ops_.made_by(choice->operands[1], OpCode::sort);
    return sort_ != nullptr && sort_->results[0] == choice->operands[1] && sorts_with_places() &&
           is_begins(begins_);
  }

  // `sums`: the updates in that order, added up where their row begins. Gives the updates.
  std::optional<ValueId> updates_of(ValueId sums) const {
    const Op* scatter = ops_.made_by(sums, OpCode::scatter);
    if (scatter == nullptr || !scatters_rows(ops_, *scatter, OpCode::add) ||
        ops_.number(scatter->operands[0]) != 0 || !is_where_begun(scatter->operands[1])) {
      return std::nullopt;
    }
    const Op* in_order = ops_.made_by(scatter->operands[2], OpCode::gather);
    if (in_order == nullptr || !gathers_rows(ops_.function(), *in_order) ||
        in_order->operands[1] != sort_->results[1]) {
      return std::nullopt;
    }
    return in_order->operands[0];
  }

  ValueId ids() const { return sort_->operands[0]; }

 private:
  bool is_count(ValueId value) const {
    const Op* count = ops_.made_by(value, OpCode::iota);
    return count != nullptr && ops_.shape(value).rank() == 1;
  }
  bool sorts_with_places() const {
    const Block& order = sort_->regions[0];
    return sort_->operands.size() == 2 && sort_->get<ir::SortAttributes>().is_stable &&
           ops_.shape(ids()).rank() == 1 && is_count(sort_->operands[1]) && order.ops.size() == 1 &&
           order.ops[0].code == OpCode::compare &&
           order.ops[0].get<ir::CompareAttributes>().direction == ir::Direction::lt &&
           order.ops[0].operands == std::vector<ValueId>{order.arguments[0], order.arguments[1]};
  }
  bool is_part(ValueId value, ValueId of, int64_t start, int64_t limit) const {
    const Op* part = ops_.made_by(value, OpCode::slice);
    if (part == nullptr || part->operands[0] != of) return false;
    const auto& a = part->get<ir::SliceAttributes>();
    return a.start_indices == Axes{start} && a.limit_indices == Axes{limit} && a.strides == Axes{1};
  }
  // True, then whether each differs from the one before.
  bool is_begins(ValueId value) const {
    const Op* both = ops_.made_by(value, OpCode::concatenate);
    if (both == nullptr || both->operands.size() != 2 || ops_.number(both->operands[0]) != 1)
      return false;
    const Op* differs = ops_.made_by(both->operands[1], OpCode::compare);
    const ValueId sorted = sort_->results[0];
    const int64_t count = ops_.shape(sorted)[0];
    return differs != nullptr &&
           differs->get<ir::CompareAttributes>().direction == ir::Direction::ne &&
           is_part(differs->operands[0], sorted, 1, count) &&
           is_part(differs->operands[1], sorted, 0, count - 1);
  }
  // The place at which the run of equal rows begins: the largest so far, found by doubling steps.
  bool is_where_begun(ValueId value) const {
    const int64_t count = ops_.shape(value)[0];
    std::set<int64_t> steps;
    while (const Op* larger = ops_.made_by(value, OpCode::maximum)) {
      value = larger->operands[0];
      const Op* moved = ops_.made_by(larger->operands[1], OpCode::pad);
      if (moved == nullptr || ops_.number(moved->operands[1]) != 0) return false;
      const auto& a = moved->get<ir::PadAttributes>();
      if (a.edge_padding_low.size() != 1 || a.edge_padding_high != Axes{0}) return false;
      const int64_t step = a.edge_padding_low[0];
      if (!is_part(moved->operands[0], value, 0, count - step)) return false;
      steps.insert(step);
    }
    for (int64_t step = 1; step < count; step *= 2) {
      if (!steps.contains(step)) return false;
    }
    const Op* begun = ops_.made_by(value, OpCode::select);
    return begun != nullptr && begun->operands[0] == begins_ && is_count(begun->operands[1]) &&
           ops_.number(begun->operands[2]) == 0;
  }

  const OpsOfBlock& ops_;
  const Op* sort_ = nullptr;
  ValueId begins_ = ir::no_value;
};

// Collects the ops between the sums and what is written.
class UpdateOps {
 public:
  UpdateOps(const OpsOfBlock& ops, const Block& block, RowUpdate& update)
      : ops_(ops), block_(block), update_(update) {}

  // Whether `value` is computed row by row from the sums and the tables' rows, and from scalars.
  bool collect(ValueId value) {
    if (value == update_.rows) return false;  // by itself: only places of rows
    if (!seen_.insert(value).second || value == update_.sums) return true;
    const auto place = ops_.place(value);
    if (!place || ops_.shape(value).rank() == 0) return collect_scalar(value, place);
    const Op& op = block_.ops[*place];
    if (op.results.size() != 1 || ops_.shape(value)[0] != ops_.shape(update_.rows)[0]) return false;
    const bool is_read = reads_rows(op);
    if (!is_read && !is_elementwise(op)) return false;
    for (ValueId operand : op.operands) {
      if (!is_read && !collect(operand)) return false;
    }
    places_.insert(*place);
    return true;
  }

  void finish() { update_.ops.assign(places_.begin(), places_.end()); }

 private:
  bool collect_scalar(ValueId value, std::optional<size_t> place) {
    if (ops_.shape(value).rank() != 0) return false;
    if (place && block_.ops[*place].code == OpCode::constant) {
      places_.insert(*place);
    } else {
      update_.scalars.push_back(value);
    }
    return true;
  }
  bool reads_rows(const Op& op) const {
    return op.code == OpCode::gather && gathers_rows(ops_.function(), op) &&
           op.operands[1] == update_.rows &&
           std::find(update_.tables.begin(), update_.tables.end(), op.operands[0]) !=
               update_.tables.end();
  }
  bool is_elementwise(const Op& op) const {
    if (op.code == OpCode::broadcast_in_dim) return ops_.shape(op.operands[0]).rank() == 0;
    const OpFamily family = ir::info(op.code).family;
    return op.regions.empty() && (family == OpFamily::unary || family == OpFamily::binary ||
                                  family == OpFamily::ternary || op.code == OpCode::convert);
  }

  const OpsOfBlock& ops_;
  const Block& block_;
  RowUpdate& update_;
  std::set<ValueId> seen_;
  std::set<size_t> places_;
};

// The arrays that were put one after another, or the array itself.
std::vector<ValueId> parts_of(const OpsOfBlock& ops, ValueId value) {
  const Op* joined = ops.made_by(value, OpCode::concatenate);
  if (joined == nullptr || joined->get<ir::ConcatenateAttributes>().dimension != 0) return {value};
  return joined->operands;
}

bool have_same_sizes(const OpsOfBlock& ops, const std::vector<ValueId>& a,
                     const std::vector<ValueId>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](ValueId x, ValueId y) { return ops.shape(x)[0] == ops.shape(y)[0]; });
}

// The sums of a rule's update: the one scatter of additions that the written values come from.
std::optional<ValueId> sums_before(const OpsOfBlock& ops, const Block& block, ValueId written) {
  std::vector<ValueId> waiting{written};
  std::set<ValueId> seen;
  while (!waiting.empty()) {
    const ValueId value = waiting.back();
    waiting.pop_back();
    const auto place = ops.place(value);
    if (!place || !seen.insert(value).second) continue;
    const Op& op = block.ops[*place];
    if (scatters_rows(ops, op, OpCode::add)) return value;
    if (op.code == OpCode::gather || op.code == OpCode::scatter) continue;
    waiting.insert(waiting.end(), op.operands.begin(), op.operands.end());
  }
  return std::nullopt;
}

// Whether something between the first scatter and the last reads what one of them wrote.
bool is_read_between(const Block& block, const std::vector<size_t>& scatters) {
  std::set<ValueId> written;
  for (size_t i = scatters.front(); i <= scatters.back(); ++i) {
    const std::vector<ValueId> reads = ir::values_read(block.ops[i]);
    if (std::any_of(reads.begin(), reads.end(), [&](ValueId x) { return written.contains(x); }))
      return true;
    if (std::find(scatters.begin(), scatters.end(), i) != scatters.end())
      written.insert(block.ops[i].results[0]);
  }
  return false;
}

// Fills in the rest of an update of which `scatters`, `tables` and `rows` are known.
bool complete(const OpsOfBlock& ops, const Block& block, RowUpdate& update) {
  const std::set<ValueId> once(update.tables.begin(), update.tables.end());
  const int64_t height = ops.shape(update.tables[0])[0];
  SortedLookups sorted(ops);
  if (once.size() != update.tables.size() || is_read_between(block, update.scatters) ||
      !sorted.match_rows(update.rows, height)) {
    return false;
  }
  const auto sums = sums_before(ops, block, block.ops[update.scatters[0]].operands[2]);
  if (!sums) return false;
  update.sums = *sums;
  const auto updates = sorted.updates_of(*sums);
  if (!updates) return false;
  update.ids = parts_of(ops, sorted.ids());
  update.updates = parts_of(ops, *updates);
  if (!have_same_sizes(ops, update.ids, update.updates)) {
    update.ids = {sorted.ids()};
    update.updates = {*updates};
  }
  UpdateOps between(ops, block, update);
  for (size_t scatter : update.scatters) {
    if (!between.collect(block.ops[scatter].operands[2])) return false;
  }
  between.finish();
  return true;
}

}  // namespace

bool gathers_rows(const Function& function, const Op& op) {
  const auto& a = op.get<ir::GatherAttributes>();
  const Shape &table = function.type(op.operands[0]).shape,
              &ids = function.type(op.operands[1]).shape;
  if (table.rank() == 0 || a.index_vector_dim != ids.rank() || a.collapsed_slice_dims != Axes{0} ||
      a.start_index_map != Axes{0} || !a.operand_batching_dims.empty() ||
      a.offset_dims != axes_from(ids.rank(), table.rank() - 1)) {
    return false;
  }
  Axes row = table.to_vector();
  row[0] = 1;
  return a.slice_sizes == row;
}

std::vector<RowUpdate> row_updates_in(const Function& function, const Block& block,
                                      const std::function<bool(ValueId)>& is_split) {
  const OpsOfBlock ops(function, block);
  std::map<std::pair<ValueId, int64_t>, RowUpdate> by_rows;  // and by the tables' height
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    if (!scatters_rows(ops, op, std::nullopt) || !is_split(op.operands[0])) continue;
    RowUpdate& update = by_rows[{op.operands[1], ops.shape(op.operands[0])[0]}];
    update.rows = op.operands[1];
    update.scatters.push_back(i);
    update.tables.push_back(op.operands[0]);
  }
  std::vector<RowUpdate> found;
  for (auto& [rows, update] : by_rows) {
    if (complete(ops, block, update)) found.push_back(std::move(update));
  }
  return found;
}

}  // namespace passes
}  // namespace systolic::inline v0
