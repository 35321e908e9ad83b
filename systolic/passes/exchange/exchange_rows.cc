#include "systolic/passes/exchange/exchange_rows.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "systolic/passes/exchange/core_exchange.h"
#include "systolic/passes/exchange/look_up_rows.h"
#include "systolic/passes/exchange/move_rows.h"
#include "systolic/passes/exchange/row_update.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using Values = std::vector<Value>;

namespace {

// A part of a core, as an argument of its function: rows of an array, or the whole.
struct Part {
  Value value;
  bool split;
};

class RowExchange {
 public:
  explicit RowExchange(const ir::Module& module)
      : result_(module), main_(module.main()), b_(main_, &result_) {}

  ir::Module run() {
    for (size_t i = 0; i < main_.arguments.size(); ++i) {
      const ir::Parameter& argument = main_.arguments[i];
      const bool is_variable =
          argument.role == ir::Role::parameter || argument.role == ir::Role::optimizer_state;
      if (is_variable && argument.sharding && is_by_rows(*argument.sharding))
        split_.insert(main_.body.arguments[i]);
    }
    if (split_.empty()) return std::move(result_);
    rewrite(main_.body);
    if (result_.functions.size() == functions_before_) return std::move(result_);
    result_.main() = std::move(main_);
    return eliminate_dead_code(std::move(result_));
  }

 private:
  int64_t cores() const { return result_.num_partitions; }

  bool is_by_rows(const ir::Sharding& sharding) const {
    return !sharding.tiles.empty() && sharding.tiles[0] == cores() &&
           std::all_of(sharding.tiles.begin() + 1, sharding.tiles.end(),
                       [](int64_t tiles) { return tiles == 1; });
  }
  bool divides(int64_t count) const { return count > 0 && count % cores() == 0; }

  void rewrite(Block& block) {
    for (const Op& op : block.ops) follow(op);
    const std::vector<RowUpdate> updates = updates_in(block);
    std::set<size_t> of_updates;
    for (const RowUpdate& update : updates) of_updates.insert(update.ops.begin(), update.ops.end());
    std::vector<Op> ops = std::move(block.ops);
    block.ops.clear();
    b_.within(block, [&] {
      for (size_t i = 0; i < ops.size(); ++i) {
        b_.location = ops[i].location;
        b_.layer_path = ops[i].layer_path;
        if (const RowUpdate* update = update_at(updates, i)) {
          if (i == update->scatters.back()) move(*update, ops);
        } else if (of_updates.contains(i)) {
          block.ops.push_back(ops[i]);  // a copy: move reads it again
        } else if (is_lookup(ops[i])) {
          look_up(ops[i]);
        } else {
          if (ops[i].code == OpCode::while_) rewrite(ops[i].regions[1]);
          block.ops.push_back(std::move(ops[i]));
        }
      }
    });
  }

  // What hands tables on: copies, barriers, and loops from round to round.
  void follow(const Op& op) {
    const bool copies =
        op.code == OpCode::reshape && main_.type(op.operands[0]) == main_.type(op.results[0]);
    if ((copies || op.code == OpCode::scatter) && split_.contains(op.operands[0]))
      split_.insert(op.results[0]);
    if (op.code == OpCode::optimization_barrier) {
      for (size_t i = 0; i < op.operands.size(); ++i) {
        if (split_.contains(op.operands[i])) split_.insert(op.results[i]);
      }
    }
    if (op.code != OpCode::while_) return;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!split_.contains(op.operands[i])) continue;
      split_.insert({op.regions[1].arguments[i], op.results[i]});
    }
  }

  std::vector<RowUpdate> updates_in(const Block& block) const {
    std::vector<RowUpdate> found =
        row_updates_in(main_, block, [&](ValueId value) { return split_.contains(value); });
    std::erase_if(found, [&](const RowUpdate& update) {
      return !std::all_of(update.ids.begin(), update.ids.end(),
                          [&](ValueId ids) { return divides(main_.type(ids).shape[0]); });
    });
    return found;
  }
  static const RowUpdate* update_at(const std::vector<RowUpdate>& updates, size_t place) {
    for (const RowUpdate& update : updates) {
      if (std::find(update.scatters.begin(), update.scatters.end(), place) != update.scatters.end())
        return &update;
    }
    return nullptr;
  }

  bool is_lookup(const Op& op) const {
    return op.code == OpCode::gather && split_.contains(op.operands[0]) &&
           gathers_rows(main_, op) && divides(main_.type(op.operands[1]).shape.elements()) &&
           main_.type(op.operands[1]).dtype == DType::i32;
  }

  void look_up(const Op& op) {
    const ir::Type result = main_.type(op.results[0]);
    const Value table = b_.value(op.operands[0]), ids = b_.value(op.operands[1]);
    const int64_t count = ids.shape().elements();
    Shape rows = table.shape();
    rows.set(0, count);
    const Value found =
        on_each_core("look_up_rows", {{table, true}, {reshape(ids, {count}), true}},
                     {{result.dtype, rows}}, [&](const Values& parts, const CoreExchange& cores) {
                       return Values{look_up_rows(parts[0], parts[1], cores)};
                     })[0];
    give(reshape(found, result.shape), op.results[0]);
  }

  // The op that gave `value` gives `result` instead, which others read.
  void give(Value value, ValueId result) {
    for (Op& op : b_.block().ops) {
      if (op.results.size() == 1 && op.results[0] == value.id()) op.results[0] = result;
    }
  }

  void move(const RowUpdate& update, const std::vector<Op>& ops) {
    std::vector<Part> parts;
    std::vector<ir::Type> types;
    for (ValueId table : update.tables) {
      parts.push_back({b_.value(table), true});
      types.push_back(main_.type(table));
    }
    for (ValueId ids : update.ids) parts.push_back({b_.value(ids), true});
    for (ValueId one : update.updates) parts.push_back({b_.value(one), true});
    for (ValueId scalar : update.scalars) parts.push_back({b_.value(scalar), false});
    const Values moved =
        on_each_core("move_rows", parts, types, [&](const Values& own, const CoreExchange& cores) {
          return moved_rows(update, ops, own, cores);
        });
    for (size_t i = 0; i < moved.size(); ++i) {
      const ValueId result = ops[update.scatters[i]].results[0];
      give(moved[i], result);
      split_.insert(result);
    }
  }

  // `own`: a core's tables, ids, updates and scalars.
  Values moved_rows(const RowUpdate& update, const std::vector<Op>& ops, const Values& own,
                    const CoreExchange& cores) {
    const std::span<const Value> all(own);
    const size_t tables = update.tables.size(), lookups = update.ids.size();
    const auto joined = [](std::span<const Value> some) {
      return some.size() == 1 ? some[0] : concatenate(some, 0);
    };
    const std::span<const Value> scalars = all.subspan(tables + 2 * lookups);
    return move_rows(
        all.first(tables), joined(all.subspan(tables, lookups)),
        joined(all.subspan(tables + lookups, lookups)),
        [&](Value rows, Value sums, std::span<const Value> now) {
          return written(update, ops, rows, sums, now, scalars);
        },
        cores);
  }

  // The update's ops for the rows of one round.
  Values written(const RowUpdate& update, const std::vector<Op>& ops, Value rows, Value sums,
                 std::span<const Value> tables, std::span<const Value> scalars) {
    Builder& b = rows.builder();
    ir::ValueMap map(main_.types.size());
    map.set(update.rows, rows.id());
    map.set(update.sums, sums.id());
    for (size_t i = 0; i < tables.size(); ++i) map.set(update.tables[i], tables[i].id());
    for (size_t i = 0; i < scalars.size(); ++i) map.set(update.scalars[i], scalars[i].id());
    for (size_t place : update.ops) append(b, ops[place], rows.shape()[0], map);
    Values result;
    for (size_t scatter : update.scatters) {
      const Op& op = ops[scatter];
      auto attributes = op.get<ir::ScatterAttributes>();
      attributes.indices_are_sorted = true;
      const auto at = [&](size_t i) { return b.value(map.at(op.operands[i])); };
      result.push_back(ir::scatter(at(0), rows, at(2), attributes, std::nullopt));
    }
    return result;
  }

  void append(Builder& b, const Op& op, int64_t count, ir::ValueMap& map) const {
    Values operands;
    for (ValueId operand : op.operands) operands.push_back(b.value(map.at(operand)));
    ir::Type type = main_.type(op.results[0]);
    if (type.shape.rank() > 0) type.shape.set(0, count);
    b.location = op.location;
    map.set(op.results[0], b.append(op.code, operands, op.attributes, {}, {type})[0].id());
  }

  // Calls a function that each core runs on its part of `parts`; the results are split by rows.
  template <class Body>
  Values on_each_core(const char* name, const std::vector<Part>& parts,
                      const std::vector<ir::Type>& results, const Body& body) {
    Function function;
    function.name = str(name, "_", result_.functions.size());
    Builder b(function, &result_);
    Values own, given;
    for (const Part& part : parts) {
      const ir::Type type = part.split ? row_type(part.value.type()) : part.value.type();
      own.push_back(b.argument(type));
      given.push_back(to_shard(part, type));
    }
    const CoreExchange exchange(cores(), &next_channel_);
    for (const Value& result : body(own, exchange)) b.result(result);
    std::vector<ir::Type> types;
    for (const ir::Type& type : results) types.push_back(row_type(type));
    result_.functions.push_back(std::move(function));
    const Values made = b_.append(OpCode::call, given,
                                  ir::CallAttributes{result_.functions.back().name}, {}, types);
    Values whole;
    for (size_t i = 0; i < made.size(); ++i) whole.push_back(to_full(made[i], results[i]));
    return whole;
  }

  ir::Type row_type(ir::Type type) const {
    type.shape.set(0, type.shape[0] / cores());
    return type;
  }
  std::string by_rows(int rank) const {
    const std::vector<int64_t> ones(static_cast<size_t>(rank - 1), 1);
    return str("{devices=[", cores(), rank > 1 ? "," : "", join(ones, ","), "]<=[", cores(), "]}");
  }
  Value to_shard(const Part& part, const ir::Type& type) const {
    const std::string how = part.split ? by_rows(part.value.rank()) : "{replicated}";
    const Value placed = with_sharding(part.value, sharding_call, how, part.value.type());
    return with_sharding(placed, full_to_shard_call, "{manual}", type);
  }
  Value to_full(Value part, const ir::Type& type) const {
    const Value placed = with_sharding(part, sharding_call, "{manual}", part.type());
    return with_sharding(placed, shard_to_full_call, by_rows(type.shape.rank()), type);
  }
  ir::Module result_;
  Function main_;
  Builder b_;
  std::set<ValueId> split_;  // values that lie by rows over all cores
  int64_t next_channel_ = 1;
  const size_t functions_before_ = result_.functions.size();
};

}  // namespace

ir::Module exchange_rows(const ir::Module& module) {
  if (module.num_partitions < 2 || module.num_replicas != 1) return module;
  return RowExchange(module).run();
}

}  // namespace passes
}  // namespace systolic::inline v0
