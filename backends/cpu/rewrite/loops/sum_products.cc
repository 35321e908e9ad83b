#include "backends/cpu/rewrite/loops/sum_products.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/rewrite/loops/loop_body.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using ir::ValueId;

// A carried value that grows by a product, perhaps transposed, in each trip.
struct Sum {
  size_t carried;
  ir::Op product;
  std::optional<ir::Axes> transposed;
  // The arrays from outside whose rows the factors are; else they are kept.
  std::array<std::optional<ValueId>, 2> arrays;
  // The row of the arrays in a trip; nothing: they are kept in the order of the trips.
  std::optional<ValueId> index;
};

class ProductSums {
 public:
  explicit ProductSums(ir::Function& function) : function_(function), builder_(function) {}

  size_t operator()(ir::Block& block, size_t place) {
    std::optional<int64_t> trips;
    const std::vector<Sum> sums = find(block.ops[place], trips);
    if (sums.empty()) return place;
    ir::Block before, after;
    ir::Op loop = std::move(block.ops[place]);
    std::optional<Value> counter;
    for (const Sum& sum : sums) {
      builder_.location = sum.product.location;
      builder_.layer_path = sum.product.layer_path;
      if (!sum.index && !counter) counter = add_counter(before, loop);
      std::array<ValueId, 2> factors;
      for (size_t side : {size_t{0}, size_t{1}}) {
        factors[side] = sum.arrays[side] ? *sum.arrays[side]
                                         : keep(before, loop, sum.product.operands[side], *trips,
                                                sum.index ? builder_.value(*sum.index) : *counter);
      }
      add_after(after, loop, sum, factors);
    }
    return insert(block, place, std::move(before), std::move(loop), std::move(after));
  }

 private:
  std::vector<Sum> find(const ir::Op& loop, std::optional<int64_t>& trips) const {
    std::vector<Sum> sums;
    const auto& ops = loop.regions[1].ops;
    const auto is_product = [](const ir::Op& op) { return op.code == OpCode::dot_general; };
    if (std::none_of(ops.begin(), ops.end(), is_product)) return sums;
    const LoopBody body(function_, loop);
    trips = body.trips();
    if (!trips || *trips < 2) return sums;
    for (size_t k = 0; k < loop.operands.size(); ++k) {
      if (auto sum = sum_of(body, loop, k)) sums.push_back(std::move(*sum));
    }
    return sums;
  }

  std::optional<Sum> sum_of(const LoopBody& body, const ir::Op& loop, size_t k) const {
    const ValueId argument = loop.regions[1].arguments[k], result = loop.regions[1].results[k];
    const ir::Op* add = body.maker(result, OpCode::add);
    const bool alone = add != nullptr && body.readers(argument) == 1 && body.readers(result) == 1 &&
                       !condition_reads(loop, k);
    if (!alone) return std::nullopt;
    for (size_t side : {size_t{0}, size_t{1}}) {
      if (add->operands[side] != argument) continue;
      std::optional<Sum> sum = product_of(body, add->operands[1 - side]);
      if (!sum) continue;
      sum->carried = k;
      if (choose_rows(body, *body.trips(), *sum)) return sum;
    }
    return std::nullopt;
  }

  static bool condition_reads(const ir::Op& loop, size_t k) {
    const ValueId argument = loop.regions[0].arguments[k];
    const auto& condition = loop.regions[0];
    return std::any_of(condition.ops.begin(), condition.ops.end(), [&](const ir::Op& op) {
      const std::vector<ValueId> read = ir::values_read(op);
      return std::find(read.begin(), read.end(), argument) != read.end();
    });
  }

  // The product that nothing else reads. One of many matrices side by side is left as it is.
  std::optional<Sum> product_of(const LoopBody& body, ValueId value) const {
    if (body.readers(value) != 1) return std::nullopt;
    Sum sum{};
    if (const ir::Op* transpose = body.maker(value, OpCode::transpose)) {
      sum.transposed = transpose->get<ir::AxesAttributes>().axes;
      value = transpose->operands[0];
      if (body.readers(value) != 1) return std::nullopt;
    }
    const ir::Op* product = body.maker(value, OpCode::dot_general);
    if (product == nullptr || body.outside(value) ||
        !product->get<ir::DotAttributes>().lhs_batching_dimensions.empty() ||
        !is_float(function_.type(value).dtype)) {
      return std::nullopt;
    }
    sum.product = *product;
    return sum;
  }

  // Which factors are rows already; whether those that are not may be kept.
  bool choose_rows(const LoopBody& body, int64_t trips, Sum& sum) const {
    int64_t kept = 0;
    for (size_t side : {size_t{0}, size_t{1}}) {
      const ValueId factor = sum.product.operands[side];
      if (body.outside(factor)) return false;  // a factor of all products
      const auto row = body.row(factor);
      const bool whole = row && function_.type(row->array).shape[0] == trips &&
                         body.visits_all(row->index) && (!sum.index || sum.index == row->index);
      if (whole) {
        sum.arrays[side] = row->array;
        sum.index = row->index;
      } else {
        kept += function_.type(factor).bytes();
      }
    }
    return kept <= function_.type(sum.product.results[0]).bytes();
  }

  Value carry(ir::Op& loop, Value initial) {
    const ir::Type type = initial.type();
    loop.operands.push_back(initial.id());
    loop.regions[0].arguments.push_back(fresh(type));
    loop.regions[1].arguments.push_back(fresh(type));
    loop.results.push_back(fresh(type));
    return builder_.value(loop.regions[1].arguments.back());
  }

  ValueId fresh(const ir::Type& type) {
    function_.types.push_back(type);
    return static_cast<ValueId>(function_.types.size() - 1);
  }

  // The number of trips that are done.
  Value add_counter(ir::Block& before, ir::Op& loop) {
    Value zero;
    builder_.within(before, [&] { zero = builder_.constant(Literal::scalar(int32_t{0})); });
    const Value counter = carry(loop, zero);
    builder_.within(loop.regions[1],
                    [&] { loop.regions[1].results.push_back((counter + 1.0).id()); });
    return counter;
  }

  // All that `factor` is, one after the other along a new first axis: after the loop.
  ValueId keep(ir::Block& before, ir::Op& loop, ValueId factor, int64_t trips, Value index) {
    const ir::Type type = function_.type(factor);
    Value empty;
    builder_.within(before, [&] {
      empty = builder_.filled(type.dtype, type.shape.with_inserted(0, trips), 0);
    });
    const Value rows = carry(loop, empty);
    builder_.within(loop.regions[1], [&] {
      std::vector<Value> starts(static_cast<size_t>(rows.rank()),
                                builder_.constant(Literal::zeros(index.dtype(), {})));
      starts[0] = index;
      const Value row = ir::reshape(builder_.value(factor), type.shape.with_inserted(0, 1));
      loop.regions[1].results.push_back(ir::dynamic_update_slice(rows, row, starts).id());
    });
    return loop.results.back();
  }

  // The loop carries what the sum begins with; the result is that and the product of all trips.
  void add_after(ir::Block& after, ir::Op& loop, const Sum& sum,
                 const std::array<ValueId, 2>& factors) {
    const ValueId summed =
        std::exchange(loop.results[sum.carried], fresh(function_.type(loop.results[sum.carried])));
    ir::Block& body = loop.regions[1];
    body.results[sum.carried] = body.arguments[sum.carried];
    auto attributes = sum.product.get<ir::DotAttributes>();
    for (auto* axes :
         {&attributes.lhs_contracting_dimensions, &attributes.rhs_contracting_dimensions}) {
      for (int64_t& axis : *axes) ++axis;
      axes->insert(axes->begin(), 0);
    }
    builder_.within(after, [&] {
      Value product = ir::dot_general(builder_.value(factors[0]), builder_.value(factors[1]),
                                      attributes, function_.type(sum.product.results[0]).dtype);
      if (sum.transposed) product = ir::transpose(product, *sum.transposed);
      ir::binary(OpCode::add, builder_.value(loop.results[sum.carried]), product);
    });
    after.ops.back().results[0] = summed;
  }

  static size_t insert(ir::Block& block, size_t place, ir::Block before, ir::Op loop,
                       ir::Block after) {
    std::vector<ir::Op> ops = std::move(before.ops);
    const size_t loop_at = place + ops.size();
    ops.push_back(std::move(loop));
    ops.insert(ops.end(), std::make_move_iterator(after.ops.begin()),
               std::make_move_iterator(after.ops.end()));
    block.ops.erase(block.ops.begin() + static_cast<std::ptrdiff_t>(place));
    block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(place),
                     std::make_move_iterator(ops.begin()), std::make_move_iterator(ops.end()));
    return loop_at;
  }

  ir::Function& function_;
  ir::Builder builder_;
};

}  // namespace

void sum_products(ir::Module& module) {
  for (ir::Function& function : module.functions) {
    edit_loops(function.body, ProductSums(function));
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
