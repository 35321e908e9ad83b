#include "backends/cpu/rewrite/loops/row_region.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "backends/cpu/rewrite/parts.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::ValueId;

constexpr size_t most_ops = 128;

bool contains(const ir::Axes& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool divides(int64_t tiles, const Shape& shape) {
  return shape.rank() > 0 && shape[0] % tiles == 0;
}

bool sums_rows(const ir::DotAttributes& dot) {
  for (size_t i = 0; i < dot.lhs_contracting_dimensions.size(); ++i) {
    if (dot.lhs_contracting_dimensions[i] == 0 && dot.rhs_contracting_dimensions[i] == 0) {
      return true;
    }
  }
  return false;
}

// All arrays are read by rows, and what each fold begins with is not.
std::optional<RowUse> reduce_use(const ir::Op& op) {
  const bool sums = contains(op.get<ir::AxesAttributes>().axes, 0);
  const size_t arrays = op.operands.size() / 2;
  if (sums && (arrays != 1 || ir::fold_op(op.regions[0]) != OpCode::add)) return std::nullopt;
  RowUse use{.by_rows = std::vector<bool>(op.operands.size(), false), .sums = sums};
  std::fill_n(use.by_rows.begin(), arrays, true);
  return use;
}

// By the axes that stay what they are: only the first may run along the result's first.
std::optional<RowUse> plain_use(const ir::Function& function, const ir::Op& op) {
  RowUse use;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const auto axes = axes_in_result(function, op, i);
    if (!axes) return std::nullopt;
    const bool turned =
        !axes->empty() && std::find(axes->begin() + 1, axes->end(), 0) != axes->end();
    if (turned) return std::nullopt;
    use.by_rows.push_back(!axes->empty() && axes->front() == 0);
  }
  return use;
}

std::optional<RowUse> use_of(const ir::Function& function, const ir::Op& op) {
  switch (op.code) {
    case OpCode::iota:
      if (op.get<ir::IotaAttributes>().dimension == 0) return std::nullopt;
      return RowUse{};
    case OpCode::reshape:
      return RowUse{.by_rows = {true}};
    case OpCode::reduce:
      return reduce_use(op);
    case OpCode::dot_general:
      if (sums_rows(op.get<ir::DotAttributes>())) return RowUse{{true, true}, true};
      return plain_use(function, op);
    default:
      return plain_use(function, op);
  }
}

}  // namespace

std::optional<RowUse> row_use(const ir::Function& function, const ir::Op& op, int64_t tiles) {
  std::optional<RowUse> use = use_of(function, op);
  if (!use) return std::nullopt;
  for (size_t i = 0; i < use->by_rows.size(); ++i) {
    if (use->by_rows[i] && !divides(tiles, function.type(op.operands[i]).shape))
      return std::nullopt;
  }
  for (ValueId result : op.results) {
    if (!use->sums && !divides(tiles, function.type(result).shape)) return std::nullopt;
  }
  return use;
}

namespace {

class RegionFinder {
 public:
  RegionFinder(const ir::Function& function, const ir::Block& block, int64_t least_rows)
      : function_(function),
        block_(block),
        least_rows_(least_rows),
        results_(block.results.begin(), block.results.end()) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ValueId result : block.ops[i].results) maker_[result] = i;
      for (ValueId value : ir::values_read(block.ops[i])) readers_[value].push_back(i);
    }
  }

  std::optional<RowRegion> operator()(size_t product) {
    const ir::Type& type = function_.type(block_.ops[product].results[0]);
    product_ = product;
    wide_ = type.shape.elements() / 2;
    tiles_ = tiles_for(type.shape);
    if (tiles_ < 2 || !add(product) || !grow()) return std::nullopt;
    RowRegion region;
    region.tiles = tiles_;
    if (!describe(region) || !pays(region, type.bytes())) return std::nullopt;
    return region;
  }

 private:
  // As many as leave the least number of rows or more to each.
  int64_t tiles_for(const Shape& shape) const {
    const int64_t rows = shape.elements() / shape[-1];
    int64_t tiles = std::min(shape[0], rows / least_rows_);
    while (tiles > 1 && shape[0] % tiles != 0) --tiles;
    return tiles;
  }

  const ir::Op& op(size_t i) const { return block_.ops[i]; }
  bool inside(size_t i) const { return uses_.count(i) != 0; }
  std::optional<size_t> maker(ValueId value) const {
    const auto found = maker_.find(value);
    return found == maker_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::vector<size_t>& readers(ValueId value) const {
    static const std::vector<size_t> nobody;
    const auto found = readers_.find(value);
    return found == readers_.end() ? nobody : found->second;
  }
  bool is_wide(ValueId value) const { return function_.type(value).shape.elements() > wide_; }

  bool add(size_t i) {
    if (inside(i)) return true;
    const std::optional<RowUse> use = row_use(function_, op(i), tiles_);
    if (!use || uses_.size() == most_ops) return false;
    if (use->sums && op(i).code == OpCode::reduce && !is_zero(op(i).operands[1])) return false;
    uses_.emplace(i, *use);
    return true;
  }

  bool is_zero(ValueId value) const {
    const std::optional<size_t> made = maker(value);
    if (!made || op(*made).code != OpCode::constant) return false;
    const Literal& literal = op(*made).get<ir::ConstantAttributes>().value;
    return literal.size() == 1 && literal.number_at(0) == 0.0;
  }

  bool grow() {
    size_t before = 0;
    while (before != uses_.size()) {
      before = uses_.size();
      find_dependent();
      const std::vector<size_t> ops = inside_now();
      const bool grown = std::all_of(ops.begin(), ops.end(),
                                     [&](size_t i) { return add_makers(i) && add_readers(i); }) &&
                         add_between();
      if (!grown) return false;
    }
    return true;
  }

  std::vector<size_t> inside_now() const {
    std::vector<size_t> ops;
    for (const auto& [i, use] : uses_) ops.push_back(i);
    return ops;
  }

  // Ops of the region that need the product.
  void find_dependent() {
    dependent_ = {product_};
    for (const auto& [i, use] : uses_) {
      const auto& operands = op(i).operands;
      const bool needs = std::any_of(operands.begin(), operands.end(), [&](ValueId operand) {
        const std::optional<size_t> made = maker(operand);
        return made && dependent_.count(*made) != 0;
      });
      if (needs) dependent_.insert(i);
    }
  }

  // What is as large as the product and not from outside is computed by rows, too, where that is
  // cheap.
  bool add_makers(size_t i) {
    const RowUse use = uses_.at(i);
    for (size_t k = 0; k < use.by_rows.size(); ++k) {
      const ValueId operand = op(i).operands[k];
      const std::optional<size_t> made = maker(operand);
      if (!use.by_rows[k] || !made || inside(*made) || !is_wide(operand)) continue;
      const OpCode code = op(*made).code;
      const bool cheap = ir::is_elementwise(code) || code == OpCode::iota ||
                         code == OpCode::reshape || code == OpCode::broadcast_in_dim;
      if (!cheap || !add(*made)) return false;
    }
    return true;
  }

  bool add_readers(size_t i) {
    if (dependent_.count(i) == 0 || uses_.at(i).sums) return true;
    for (ValueId result : op(i).results) {
      if (!is_wide(result)) continue;
      const std::vector<size_t>& by = readers(result);
      const bool added =
          results_.count(result) == 0 &&
          std::all_of(by.begin(), by.end(), [&](size_t reader) { return add(reader); });
      if (!added) return false;
    }
    return true;
  }

  // Ops outside that read the region and are read by it. Those that need the product have to be in
  // it, but a product among them belongs to another layer; the others are where they can be.
  bool add_between() {
    const std::set<size_t> after = readers_of([&](size_t i) { return dependent_.count(i) != 0; });
    const std::set<size_t> beside = readers_of([&](size_t i) { return inside(i); });
    std::set<size_t> needed;
    for (size_t i = uses_.rbegin()->first; i-- > uses_.begin()->first;) {
      if (beside.count(i) != 0 && is_read(i, needed)) needed.insert(i);
    }
    return std::all_of(needed.begin(), needed.end(), [&](size_t i) {
      const bool product = op(i).code == OpCode::dot_general;
      if (after.count(i) != 0) return !product && add(i);
      if (!product && has_rows(i)) add(i);
      return true;
    });
  }

  // Ops outside, among the region's, that read what `first` says, or each other.
  template <class First>
  std::set<size_t> readers_of(const First& first) const {
    std::set<size_t> found;
    for (size_t i = uses_.begin()->first; i <= uses_.rbegin()->first; ++i) {
      if (inside(i)) continue;
      const std::vector<ValueId> values = ir::values_read(op(i));
      const bool reads = std::any_of(values.begin(), values.end(), [&](ValueId value) {
        const std::optional<size_t> made = maker(value);
        return made && (first(*made) || found.count(*made) != 0);
      });
      if (reads) found.insert(i);
    }
    return found;
  }

  // Whether the op's result has rows, and it needs no more than rows of what the region makes.
  bool has_rows(size_t i) const {
    const std::optional<RowUse> use = row_use(function_, op(i), tiles_);
    if (!use || use->sums) return false;
    for (size_t k = 0; k < use->by_rows.size(); ++k) {
      const std::optional<size_t> made = maker(op(i).operands[k]);
      if (made && inside(*made) && (!use->by_rows[k] || uses_.at(*made).sums)) return false;
    }
    return true;
  }

  bool is_read(size_t i, const std::set<size_t>& others) const {
    for (ValueId result : op(i).results) {
      for (size_t reader : readers(result)) {
        if (inside(reader) || others.count(reader) != 0) return true;
      }
    }
    return false;
  }

  // False where an op needs all of what is computed, or read by another, by rows.
  bool describe(RowRegion& region) const {
    for (const auto& [i, use] : uses_) {
      region.ops.push_back(i);
      if (!use.sums) region.cut.insert(op(i).results.begin(), op(i).results.end());
      if (!describe_operands(i, region)) return false;
    }
    const auto read_whole = [&](ValueId input) { return is_read_whole(input); };
    if (std::any_of(region.inputs.begin(), region.inputs.end(), read_whole)) return false;
    describe_results(region);
    const size_t first = region.ops.front(), last = region.ops.back();
    return std::none_of(block_.ops.begin() + static_cast<std::ptrdiff_t>(first),
                        block_.ops.begin() + static_cast<std::ptrdiff_t>(last),
                        ir::has_side_effect);
  }

  bool describe_operands(size_t i, RowRegion& region) const {
    const RowUse& use = uses_.at(i);
    for (size_t k = 0; k < op(i).operands.size(); ++k) {
      const ValueId operand = op(i).operands[k];
      const std::optional<size_t> made = maker(operand);
      const bool own = made && inside(*made);
      if (own && (!use.by_rows[k] || uses_.at(*made).sums)) return false;
      const bool listed =
          std::find(region.inputs.begin(), region.inputs.end(), operand) != region.inputs.end();
      if (use.by_rows[k] && !own && !listed) region.inputs.push_back(operand);
    }
    return true;
  }

  bool is_read_whole(ValueId input) const {
    for (size_t reader : readers(input)) {
      if (!inside(reader)) continue;
      const RowUse& use = uses_.at(reader);
      for (size_t k = 0; k < use.by_rows.size(); ++k) {
        if (op(reader).operands[k] == input && !use.by_rows[k]) return true;
      }
    }
    return false;
  }

  void describe_results(RowRegion& region) const {
    region.kept.assign(region.ops.size(), false);
    std::set<size_t> kept;
    for (size_t k = region.ops.size(); k-- > 0;) {
      const size_t i = region.ops[k];
      for (ValueId result : op(i).results) {
        const std::vector<size_t>& by = readers(result);
        const bool leaves =
            results_.count(result) != 0 || std::any_of(by.begin(), by.end(), [&](size_t reader) {
              return !inside(reader) || kept.count(reader) != 0;
            });
        if (!leaves) continue;
        if (dependent_.count(i) == 0) {
          kept.insert(i);
          region.kept[k] = true;
        } else {
          (uses_.at(i).sums ? region.sums : region.rows).push_back(result);
        }
      }
    }
  }

  // The sums are stored beside the rows of one tile.
  bool pays(const RowRegion& region, int64_t bytes) const {
    int64_t stored = bytes / region.tiles;
    for (ValueId sum : region.sums) stored += function_.type(sum).bytes();
    return stored <= bytes && region.ops.size() > 1;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  int64_t least_rows_;
  std::unordered_set<ValueId> results_;
  std::unordered_map<ValueId, size_t> maker_;
  std::unordered_map<ValueId, std::vector<size_t>> readers_;
  size_t product_ = 0;
  int64_t wide_ = 0;  // an array of more elements is
  int64_t tiles_ = 1;
  std::map<size_t, RowUse> uses_;  // of the region's ops
  std::set<size_t> dependent_;
};

}  // namespace

std::optional<RowRegion> find_row_region(const ir::Function& function, const ir::Block& block,
                                         size_t product, const TileLimits& limits) {
  const ir::Op& op = block.ops[product];
  const bool large = op.code == OpCode::dot_general &&
                     op.get<ir::DotAttributes>().lhs_batching_dimensions.empty() &&
                     function.type(op.results[0]).bytes() >= limits.least_bytes;
  const std::optional<RowUse> use = large ? row_use(function, op, 1) : std::nullopt;
  if (!use || use->sums || !use->by_rows[0] || use->by_rows[1]) return std::nullopt;
  return RegionFinder(function, block, limits.least_rows)(product);
}

}  // namespace cpu
}  // namespace systolic::inline v0
