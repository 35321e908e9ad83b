#include "backends/cpu/rewrite/loops/hoist_products.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/rewrite/loops/loop_body.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using ir::ValueId;

struct Hoisted {
  size_t op;  // of the body
  LoopBody::Row row;
  ValueId weights;
};

void replace(ir::Block& block, ValueId from, ValueId to) {
  for (ir::Op& op : block.ops) {
    std::replace(op.operands.begin(), op.operands.end(), from, to);
    for (ir::Block& region : op.regions) replace(region, from, to);
  }
  std::replace(block.results.begin(), block.results.end(), from, to);
}

class ProductHoist {
 public:
  explicit ProductHoist(ir::Function& function) : function_(function), builder_(function) {}

  size_t operator()(ir::Block& block, size_t place) {
    const std::vector<Hoisted> found = find(block.ops[place]);
    ir::Block before;
    for (const Hoisted& hoisted : found) {
      ir::Block& body = block.ops[place].regions[1];
      const ir::Op dot = body.ops[hoisted.op];
      builder_.location = dot.location;
      builder_.layer_path = dot.layer_path;
      Value all;
      builder_.within(before, [&] { all = whole_product(dot, hoisted); });
      read_row(body, hoisted, all);
    }
    block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(place),
                     std::make_move_iterator(before.ops.begin()),
                     std::make_move_iterator(before.ops.end()));
    return place + before.ops.size();
  }

 private:
  // The last first, so that the places of those before it stay.
  std::vector<Hoisted> find(const ir::Op& loop) const {
    std::vector<Hoisted> found;
    const auto& ops = loop.regions[1].ops;
    const auto is_product = [](const ir::Op& op) { return op.code == OpCode::dot_general; };
    if (std::none_of(ops.begin(), ops.end(), is_product)) return found;
    const LoopBody body(function_, loop);
    for (size_t i = ops.size(); i-- > 0;) {
      if (!is_product(ops[i])) continue;
      const auto row = body.row(ops[i].operands[0]);
      const auto weights = body.outside(ops[i].operands[1]);
      if (row && weights && pays(body, ops[i], *row)) found.push_back({i, *row, *weights});
    }
    return found;
  }

  bool pays(const LoopBody& body, const ir::Op& dot, const LoopBody::Row& row) const {
    constexpr int64_t most_growth = 16;
    const Shape& array = function_.type(row.array).shape;
    const Shape& made = function_.type(dot.results[0]).shape;
    const Shape& read = function_.type(dot.operands[0]).shape;
    return dot.get<ir::DotAttributes>().lhs_batching_dimensions.empty() && body.trips() &&
           *body.trips() * 2 >= array[0] && made.elements() <= most_growth * read.elements();
  }

  // Axes: rows, then those of the product of one.
  Value whole_product(const ir::Op& dot, const Hoisted& hoisted) {
    auto attributes = dot.get<ir::DotAttributes>();
    for (int64_t& axis : attributes.lhs_contracting_dimensions) ++axis;
    return ir::dot_general(builder_.value(hoisted.row.array), builder_.value(hoisted.weights),
                           attributes, function_.type(dot.results[0]).dtype);
  }

  // In place of the product.
  void read_row(ir::Block& body, const Hoisted& hoisted, Value all) {
    const ValueId made = body.ops[hoisted.op].results[0];
    ir::Block reading;
    Value row;
    builder_.within(reading, [&] {
      const Value index = builder_.value(hoisted.row.index);
      std::vector<Value> starts(static_cast<size_t>(all.rank()),
                                builder_.constant(Literal::zeros(index.dtype(), {})));
      starts[0] = index;
      ir::Axes sizes = all.shape().to_vector();
      sizes[0] = 1;
      row = ir::reshape(ir::dynamic_slice(all, starts, sizes), all.shape().without(0));
    });
    replace(body, made, row.id());
    const auto place = body.ops.begin() + static_cast<std::ptrdiff_t>(hoisted.op);
    body.ops.insert(body.ops.erase(place), std::make_move_iterator(reading.ops.begin()),
                    std::make_move_iterator(reading.ops.end()));
  }

  ir::Function& function_;
  ir::Builder builder_;
};

}  // namespace

void hoist_products(ir::Module& module) {
  for (ir::Function& function : module.functions) {
    edit_loops(function.body, ProductHoist(function));
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
