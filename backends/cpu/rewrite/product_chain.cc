#include "backends/cpu/rewrite/product_chain.h"

#include <algorithm>
#include <utility>

namespace systolic::inline v0 {
namespace cpu {

using ir::Op;
using ir::Value;
using ir::ValueId;

std::optional<ProductChain> ProductChain::make(const ir::Function& function, const ChainOps& ops) {
  ProductChain chain(function, ops);
  if (!chain.is_f32() || !chain.is_plain_inner() || !chain.find_factors()) return std::nullopt;
  if (ops.bias != nullptr && !chain.bias_runs_along_columns()) return std::nullopt;
  return chain;
}

void ProductChain::name_axes() {
  const auto& dot = ops_.outer->get<ir::DotAttributes>();
  const Shape& other = shape(other_id_);
  for (int i = 0; i < other.rank(); ++i) other_.push_back(i);
  for (int i = 0; i < middle_shape_.rank(); ++i) middle_.push_back(other.rank() + i);
  inner_sum_ = other.rank() + middle_shape_.rank();
  const auto pair = [&](const ir::Axes& left, const ir::Axes& right, AxisNames& names) {
    for (size_t i = 0; i < left.size(); ++i) {
      const int64_t axis = ops_.side == 1 ? left[i] : right[i];
      const int64_t own = ops_.side == 1 ? right[i] : left[i];
      middle_[static_cast<size_t>(own)] = static_cast<int>(axis);
      names.push_back(static_cast<int>(axis));
    }
  };
  pair(dot.lhs_batching_dimensions, dot.rhs_batching_dimensions, result_);
  pair(dot.lhs_contracting_dimensions, dot.rhs_contracting_dimensions, summed_);
  for (const AxisNames* operand :
       {ops_.side == 1 ? &other_ : &middle_, ops_.side == 1 ? &middle_ : &other_}) {
    result_ = joined(std::move(result_), without(*operand, summed_));
  }
  sizes_ = other.to_vector();
  sizes_.insert(sizes_.end(), middle_shape_.begin(), middle_shape_.end());
}

bool ProductChain::is_f32() const {
  std::vector<ValueId> values{ops_.outer->results[0], ops_.inner->results[0]};
  for (const Op* op : {ops_.outer, ops_.inner}) {
    values.insert(values.end(), op->operands.begin(), op->operands.end());
  }
  return std::all_of(values.begin(), values.end(),
                     [&](ValueId value) { return function_.type(value).dtype == DType::f32; });
}

bool ProductChain::is_plain_inner() const {
  const auto& dot = ops_.inner->get<ir::DotAttributes>();
  return dot.lhs_batching_dimensions.empty() && dot.lhs_contracting_dimensions.size() == 1 &&
         middle_shape_.elements() != 0;
}

bool ProductChain::find_factors() {
  const Op& inner = *ops_.inner;
  const auto summed =
      static_cast<int>(inner.get<ir::DotAttributes>().lhs_contracting_dimensions[0]);
  const Shape& left = shape(inner.operands[0]);
  sizes_.push_back(left[summed]);
  if (!find_split(left.without(summed).elements())) return false;
  for (size_t operand : {0, 1}) {
    std::optional<Factor> found = factor(operand);
    if (!found) return false;
    factors_[operand] = std::move(*found);
  }
  const auto has_all_sums = [&](const Factor& own) { return without(summed_, own.axes).empty(); };
  near_ = has_all_sums(factors_[1]) ? 1 : 0;
  return !summed_.empty() && has_all_sums(factors_[near_]);
}

// As many axes as make up that many rows, and those of size 1 that the rows have themselves.
bool ProductChain::find_split(int64_t rows) {
  int64_t outside = 1;
  const int rank = middle_shape_.rank();
  while (split_ < rank && outside < rows) outside *= middle_shape_[split_++];
  while (split_ < rank && split_ < rank_of_rows() && middle_shape_[split_] == 1) ++split_;
  return outside == rows;
}

// Nothing where its sum lies between axes that would have to be split or merged.
std::optional<ProductChain::Factor> ProductChain::factor(size_t operand) const {
  const Op& inner = *ops_.inner;
  const auto& dot = inner.get<ir::DotAttributes>();
  const Shape& from = shape(inner.operands[operand]);
  const auto summed = static_cast<int>(operand == 0 ? dot.lhs_contracting_dimensions[0]
                                                    : dot.rhs_contracting_dimensions[0]);
  const int begin = operand == 0 ? 0 : split_;
  const int end = operand == 0 ? split_ : middle_shape_.rank();
  const Shape free = middle_shape_.slice(begin, end);
  int place = summed;
  if (from.without(summed) != free) {
    if (summed != 0 && summed != from.rank() - 1) return std::nullopt;
    place = summed == 0 ? 0 : free.rank();
  }
  AxisNames axes(middle_.begin() + begin, middle_.begin() + end);
  axes.insert(axes.begin() + place, inner_sum_);
  return Factor{inner.operands[operand], free.with_inserted(place, from[summed]), std::move(axes)};
}

bool ProductChain::bias_runs_along_columns() const {
  const ir::Axes& dimensions = ops_.bias->get<ir::BroadcastAttributes>().dimensions;
  const Shape& bias = shape(ops_.bias->operands[0]);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (bias[static_cast<int>(i)] != 1 && dimensions[i] < rank_of_rows()) return false;
  }
  return true;
}

double ProductChain::count(const AxisNames& axes) const {
  double number = 1;
  for (int name : axes) number *= static_cast<double>(sizes_[static_cast<size_t>(name)]);
  return number;
}

std::optional<double> ProductChain::saving() const {
  const AxisNames first = joined(other_, factors_[near_].axes);
  double before = 2 * (count(joined(middle_, {inner_sum_})) + count(joined(other_, middle_)));
  double after = 2 * (count(first) + count(joined(result_, {inner_sum_})));
  if (ops_.bias != nullptr) {
    before += count(middle_);
    after += sums_columns() ? 2 * count(without(first, {inner_sum_})) + count(result_)
                            : count(other_) + 2 * count(result_);
  }
  const bool is_smaller = count(without(first, summed_)) <= count(middle_);
  return is_smaller && after <= before / 2 ? std::optional(before - after) : std::nullopt;
}

NamedArray ProductChain::named(ir::Builder& builder, const Factor& factor) const {
  const Value array = builder.value(factor.array);
  return {array.shape() == factor.shape ? array : ir::reshape(array, factor.shape), factor.axes};
}

NamedArray ProductChain::times(const NamedArray& other, const NamedArray& factor) const {
  const auto& inner = ops_.inner->get<ir::DotAttributes>();
  const auto& outer = ops_.outer->get<ir::DotAttributes>();
  ir::DotAttributes dot;
  dot.precision = std::max(inner.precision, outer.precision);
  dot.of_gradient = inner.of_gradient || outer.of_gradient;
  return ops_.side == 1 ? product(other, factor, result_, dot)
                        : product(factor, other, result_, dot);
}

Value ProductChain::build(ir::Builder& builder) const {
  const NamedArray other{builder.value(other_id_), other_};
  const NamedArray first = times(other, named(builder, factors_[near_]));
  const NamedArray second = times(first, named(builder, factors_[1 - near_]));
  const Value result = arranged(second, result_);
  return ops_.bias == nullptr ? result : result + bias_term(builder);
}

// The bias of each column, with the axes that the columns have where they are read.
NamedArray ProductChain::columns_of_bias(ir::Builder& builder) const {
  const Value bias = builder.value(ops_.bias->operands[0]);
  const ir::Axes& dimensions = ops_.bias->get<ir::BroadcastAttributes>().dimensions;
  const int rows = rank_of_rows();
  const Shape& inner = shape(ops_.inner->results[0]);
  const Shape columns = inner.slice(rows, inner.rank());
  std::vector<int64_t> kept, axes;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < rows) continue;
    kept.push_back(bias.shape()[static_cast<int>(i)]);
    axes.push_back(dimensions[i] - rows);
  }
  Value array = Shape(kept) == bias.shape() ? bias : ir::reshape(bias, Shape(kept));
  const bool is_whole = array.shape() == columns && std::is_sorted(axes.begin(), axes.end());
  if (!is_whole) array = ir::broadcast_in_dim(array, columns, axes);
  const Shape wanted = middle_shape_.slice(split_, middle_shape_.rank());
  if (columns != wanted) array = ir::reshape(array, wanted);
  return {array, AxisNames(middle_.begin() + split_, middle_.end())};
}

Value ProductChain::bias_term(ir::Builder& builder) const {
  const NamedArray other{builder.value(other_id_), other_};
  const NamedArray bias = columns_of_bias(builder);
  const Shape shape = this->shape(ops_.outer->results[0]);
  if (sums_columns()) return spread(times(other, bias), result_, shape);
  const Value sum = ir::reduce_sum(other.array, ir::Axes(summed_.begin(), summed_.end()));
  return spread({sum, without(other_, summed_)}, result_, shape) * spread(bias, result_, shape);
}

}  // namespace cpu
}  // namespace systolic::inline v0
