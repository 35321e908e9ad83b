#include "backends/cpu/rewrite/loops/tile_rows.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using ir::ValueId;

class RowTiler {
 public:
  RowTiler(ir::Function& function, const TileLimits& limits)
      : function_(function), builder_(function), limits_(limits) {}

  void operator()(ir::Block& block) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const std::optional<RowRegion> region = find_row_region(function_, block, i, limits_);
      if (region) i = tile(block, *region);
    }
  }

 private:
  // Where the loop stands. Ops among the region's that need its results go after it.
  size_t tile(ir::Block& block, const RowRegion& region) {
    ir::Block loop = loop_of(block, region);
    std::unordered_set<ValueId> made(region.rows.begin(), region.rows.end());
    made.insert(region.sums.begin(), region.sums.end());
    std::vector<ir::Op> ops, after;
    size_t next = 0;  // of the region
    for (size_t i = 0; i < block.ops.size(); ++i) {
      ir::Op& op = block.ops[i];
      const bool last = i == region.ops.back();
      const bool own = next < region.ops.size() && region.ops[next] == i;
      if (own && region.kept[next]) {
        ops.push_back(std::move(op));
      } else if (!own) {
        const bool waits = i < region.ops.back() && reads(op, made);
        if (waits) made.insert(op.results.begin(), op.results.end());
        (waits ? after : ops).push_back(std::move(op));
      }
      if (own) ++next;
      if (last) append(ops, std::move(loop.ops));
      if (last) loop_at_ = ops.size() - 1;
      if (last) append(ops, std::move(after));
    }
    block.ops = std::move(ops);
    return loop_at_;
  }

  static bool reads(const ir::Op& op, const std::unordered_set<ValueId>& made) {
    const std::vector<ValueId> values = ir::values_read(op);
    return std::any_of(values.begin(), values.end(),
                       [&](ValueId value) { return made.count(value) != 0; });
  }

  static void append(std::vector<ir::Op>& ops, std::vector<ir::Op> more) {
    ops.insert(ops.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }

  // The loop, after what it begins with. Its results are the region's.
  ir::Block loop_of(const ir::Block& block, const RowRegion& region) {
    builder_.location = block.ops[region.ops.front()].location;
    builder_.layer_path = block.ops[region.ops.front()].layer_path;
    std::vector<ValueId> results = region.rows;
    results.insert(results.end(), region.sums.begin(), region.sums.end());
    ir::Block made;
    builder_.within(made, [&] {
      std::vector<Value> initial = {builder_.constant(Literal::scalar(int32_t{0}))};
      for (ValueId result : results) {
        const ir::Type type = function_.type(result);
        initial.push_back(builder_.filled(type.dtype, type.shape, 0));
      }
      const auto more = [&](std::span<const Value> state) {
        return ir::compare(state[0], static_cast<double>(region.tiles), ir::Direction::lt);
      };
      ir::while_loop(initial, more,
                     [&](std::span<const Value> state) { return trip(block, region, state); });
    });
    std::copy(results.begin(), results.end(), made.ops.back().results.begin() + 1);
    return made;
  }

  // Axes of the state: a counter, then `rows` and `sums` of the region as far as they are made.
  std::vector<Value> trip(const ir::Block& block, const RowRegion& region,
                          std::span<const Value> state) {
    ir::ValueMap map(function_.types.size());
    for (ValueId value = 0; static_cast<size_t>(value) < function_.types.size(); ++value) {
      map.set(value, value);
    }
    for (ValueId input : region.inputs) {
      map.set(input, tile_of(builder_.value(input), region.tiles, state[0]).id());
    }
    for (size_t i : region.ops) clone(block.ops[i], region, map);
    std::vector<Value> next = {state[0] + 1.0};
    for (ValueId rows : region.rows) {
      next.push_back(
          ir::dynamic_update_slice(state[next.size()], builder_.value(map.at(rows)),
                                   starts(function_.type(rows).shape, region.tiles, state[0])));
    }
    for (ValueId sum : region.sums) {
      next.push_back(state[next.size()] + builder_.value(map.at(sum)));
    }
    return next;
  }

  void clone(const ir::Op& op, const RowRegion& region, ir::ValueMap& map) {
    ir::clone_op(op, function_, function_, builder_.block(), map);
    for (ValueId result : op.results) {
      if (region.cut.count(result) == 0) continue;
      Shape& shape = function_.types[static_cast<size_t>(map.at(result))].shape;
      shape.set(0, shape[0] / region.tiles);
    }
  }

  // By value: types move when an op is appended.
  std::vector<Value> starts(Shape shape, int64_t tiles, Value trip) {
    const Value zero = builder_.constant(Literal::scalar(int32_t{0}));
    std::vector<Value> starts(static_cast<size_t>(shape.rank()), zero);
    starts[0] = trip * static_cast<double>(shape[0] / tiles);
    return starts;
  }

  Value tile_of(Value x, int64_t tiles, Value trip) {
    const Shape shape = x.shape();
    ir::Axes sizes = shape.to_vector();
    sizes[0] /= tiles;
    return ir::dynamic_slice(x, starts(shape, tiles, trip), sizes);
  }

  ir::Function& function_;
  ir::Builder builder_;
  TileLimits limits_;
  size_t loop_at_ = 0;
};

}  // namespace

void tile_rows(ir::Module& module, const TileLimits& limits) {
  for (ir::Function& function : module.functions) RowTiler(function, limits)(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
