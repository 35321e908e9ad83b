#include "backends/cpu/fuse/tile_compiler.h"

#include <algorithm>
#include <array>
#include <variant>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

using kernels::TileOp;
using kernels::TileProgramBuilder;

std::optional<TileOp> tile_op(ir::OpCode code) {
  // clang-format off
  switch (code) {
    case ir::OpCode::abs: return TileOp::abs;
    case ir::OpCode::add: return TileOp::add;
    case ir::OpCode::and_: return TileOp::and_;
    case ir::OpCode::atan2: return TileOp::atan2;
    case ir::OpCode::cbrt: return TileOp::cbrt;
    case ir::OpCode::ceil: return TileOp::ceil;
    case ir::OpCode::clamp: return TileOp::clamp;
    case ir::OpCode::cosine: return TileOp::cosine;
    case ir::OpCode::count_leading_zeros: return TileOp::count_leading_zeros;
    case ir::OpCode::divide: return TileOp::divide;
    case ir::OpCode::erf: return TileOp::erf;
    case ir::OpCode::exponential: return TileOp::exponential;
    case ir::OpCode::exponential_minus_one: return TileOp::exponential_minus_one;
    case ir::OpCode::floor: return TileOp::floor;
    case ir::OpCode::is_finite: return TileOp::is_finite;
    case ir::OpCode::log: return TileOp::log;
    case ir::OpCode::log_plus_one: return TileOp::log_plus_one;
    case ir::OpCode::logistic: return TileOp::logistic;
    case ir::OpCode::maximum: return TileOp::maximum;
    case ir::OpCode::minimum: return TileOp::minimum;
    case ir::OpCode::multiply: return TileOp::multiply;
    case ir::OpCode::negate: return TileOp::negate;
    case ir::OpCode::not_: return TileOp::not_;
    case ir::OpCode::or_: return TileOp::or_;
    case ir::OpCode::popcnt: return TileOp::popcnt;
    case ir::OpCode::power: return TileOp::power;
    case ir::OpCode::remainder: return TileOp::remainder;
    case ir::OpCode::round_nearest_afz: return TileOp::round_nearest_afz;
    case ir::OpCode::round_nearest_even: return TileOp::round_nearest_even;
    case ir::OpCode::rsqrt: return TileOp::rsqrt;
    case ir::OpCode::select: return TileOp::select;
    case ir::OpCode::shift_left: return TileOp::shift_left;
    case ir::OpCode::shift_right_arithmetic: return TileOp::shift_right_arithmetic;
    case ir::OpCode::shift_right_logical: return TileOp::shift_right_logical;
    case ir::OpCode::sign: return TileOp::sign;
    case ir::OpCode::sine: return TileOp::sine;
    case ir::OpCode::sqrt: return TileOp::sqrt;
    case ir::OpCode::subtract: return TileOp::subtract;
    case ir::OpCode::tan: return TileOp::tan;
    case ir::OpCode::tanh: return TileOp::tanh;
    case ir::OpCode::xor_: return TileOp::xor_;
    default: return std::nullopt;
  }
  // clang-format on
}

bool TileCompiler::supports(const Planner& planner, const ir::Op& op) {
  const ir::Type& result = planner.type(op.results[0]);
  if (!TileProgramBuilder::supports(result.dtype) || result.shape.rank() > 12) return false;
  for (ir::ValueId operand : op.operands) {
    if (!TileProgramBuilder::supports(planner.type(operand).dtype)) return false;
  }
  switch (op.code) {
    case ir::OpCode::compare:
    case ir::OpCode::convert:
    case ir::OpCode::reduce_precision:
    case ir::OpCode::iota:
      return true;
    case ir::OpCode::bitcast_convert: {
      const ir::Type& from = planner.type(op.operands[0]);
      return from.shape == result.shape &&
             TileProgramBuilder::compute_type(from.dtype) == from.dtype &&
             TileProgramBuilder::compute_type(result.dtype) == result.dtype;
    }
    default:
      break;
  }
  const std::optional<TileOp> tile = tile_op(op.code);
  return tile && TileProgramBuilder::supports(
                     *tile, result.dtype == DType::pred && *tile == TileOp::is_finite
                                ? planner.type(op.operands[0]).dtype
                                : result.dtype);
}

bool TileCompiler::supports_region(const Planner& planner, const ir::Block& region) {
  std::unordered_map<ir::ValueId, bool> inside;
  for (ir::ValueId argument : region.arguments) inside[argument] = true;
  for (const ir::Op& op : region.ops) {
    const bool constant = op.code == ir::OpCode::constant;
    if (!constant && (!(ir::is_elementwise(op.code) || op.code == ir::OpCode::bitcast_convert) ||
                      !supports(planner, op))) {
      return false;
    }
    for (ir::ValueId operand : op.operands) {
      if (!inside[operand] && !planner.splat(operand)) return false;
    }
    for (ir::ValueId result : op.results) inside[result] = true;
  }
  return true;
}

void TileCompiler::bind_input(ir::ValueId value, DType dtype, std::span<const int64_t> strides) {
  values_[value] = builder_.input(dtype, strides);
  inputs_.emplace_back();
}

void TileCompiler::bind_input(ir::ValueId value, DType dtype) {
  values_[value] = builder_.input(dtype);
  inputs_.emplace_back();
}

TileCompiler::Tile TileCompiler::constant(const Literal& scalar) {
  if (is_integer(scalar.dtype())) {
    return builder_.constant_integer(scalar.dtype(), scalar.integer_at(0));
  }
  return builder_.constant(scalar.dtype(), scalar.number_at(0));
}

namespace {

// A large transpose whose neighbours lie a cache line or more apart, while those along another axis
// lie side by side, as a convolution's NHWC result does when it is read as NCHW: a blocked copy
// touches each line once, and a tile would take one element of it at a time.
bool is_far_transpose(const View& view) {
  constexpr int64_t large = int64_t{1} << 16, line = 16;
  const Shape& shape = view.type.shape;
  if (byte_width(view.type.dtype) != 4 || shape.elements() < large) return false;
  int last = shape.rank() - 1;
  while (last > 0 && shape[last] == 1) --last;
  if (shape[last] < line || view.strides[static_cast<size_t>(last)] < line) return false;
  for (int axis = 0; axis < last; ++axis) {
    if (view.strides[static_cast<size_t>(axis)] == 1 && shape[axis] >= line) return true;
  }
  return false;
}

}  // namespace

// The program's input that reads a value, by how this is held.
struct TileCompiler::InputOf {
  TileCompiler& compiler;
  ir::ValueId value;

  Tile operator()(View view) const {
    if (is_far_transpose(view)) view = dense_view(compiler.planner_.dense(value), view.type);
    return compiler.input(std::move(view));
  }
  Tile operator()(const RowSums& sums) const {
    compiler.inputs_.insert(compiler.inputs_.end(), {sums.lists, sums.updates});
    return compiler.builder_.row_sums();
  }
  Tile operator()(const DrawnBits& bits) const {
    // As a view: each element reads all of the state. No part of the space owns a part of it, and
    // it is larger than any element, so no result takes its memory.
    View state{.place = bits.state, .type = {DType::u64, compiler.space_}};
    state.strides.assign(static_cast<size_t>(compiler.space_.rank()), 0);
    compiler.inputs_.push_back(std::move(state));
    return compiler.builder_.drawn_words(bits.state_words);
  }
  Tile operator()(const Unrounded&) const { return no_input("a rounding is left to products"); }
  Tile operator()(const NotDefined&) const { return no_input("its op was not lowered"); }

  Tile no_input(const char* why) const {
    raise<Internal>({.what = str("value ", value, " is no input of a tile program: ", why)});
  }
};

TileCompiler::Tile TileCompiler::operand(ir::ValueId value) {
  const auto known = values_.find(value);
  if (known != values_.end()) return known->second;
  if (const std::optional<Literal> scalar = planner_.splat(value)) {
    return values_[value] = constant(*scalar);
  }
  return values_[value] = std::visit(InputOf{*this, value}, planner_.held(value));
}

TileCompiler::Tile TileCompiler::input(View view) {
  // A scalar beside arrays (clamp's bounds, select's predicate) is the same everywhere.
  if (view.type.shape.rank() != space_.rank()) {
    view.strides.assign(static_cast<size_t>(space_.rank()), 0);
  }
  const Tile tile = view.is_dense() && view.offset == 0 && view.type.shape == space_
                        ? builder_.input(view.type.dtype)
                        : builder_.input(view.type.dtype, view.strides, view.offset);
  inputs_.push_back(std::move(view));
  return tile;
}

std::optional<TileCompiler::Tile> TileCompiler::reciprocal(ir::ValueId value) {
  const auto known = reciprocals_.find(value);
  if (known != reciprocals_.end()) return known->second;
  // Bits of the place read as another type have no reciprocals there.
  if (planner_.type(value).dtype != DType::f32) return std::nullopt;
  if (values_.count(value) != 0 || planner_.splat(value).has_value()) return std::nullopt;
  const View* stored = std::get_if<View>(&planner_.held(value));
  if (stored == nullptr) return std::nullopt;
  View view = *stored;
  view.place = planner_.reciprocals(view.place);
  if (view.place == no_place) return std::nullopt;
  return reciprocals_[value] = input(std::move(view));
}

TileCompiler::Tile TileCompiler::append(const ir::Op& op, std::span<const Tile> operands) {
  const DType dtype = planner_.type(op.results[0]).dtype;
  switch (op.code) {
    case ir::OpCode::compare: {
      const auto& attributes = op.get<ir::CompareAttributes>();
      return builder_.compare(static_cast<kernels::CompareDirection>(attributes.direction),
                              operands[0], operands[1],
                              attributes.type == ir::CompareType::total_order);
    }
    case ir::OpCode::convert:
      return builder_.convert(operands[0], dtype);
    case ir::OpCode::bitcast_convert:
      return builder_.bitcast(operands[0], dtype);
    case ir::OpCode::reduce_precision: {
      const auto& attributes = op.get<ir::ReducePrecisionAttributes>();
      return builder_.reduce_precision(operands[0], attributes.exponent_bits,
                                       attributes.mantissa_bits);
    }
    case ir::OpCode::iota:
      return builder_.iota(dtype, static_cast<int>(op.get<ir::IotaAttributes>().dimension));
    default:
      return builder_.op(*tile_op(op.code), operands);
  }
}

void TileCompiler::add(const ir::Op& op) {
  if (op.code == ir::OpCode::divide) {
    if (const std::optional<Tile> factor = reciprocal(op.operands[1])) {
      const std::array factors{operand(op.operands[0]), *factor};
      values_[op.results[0]] = builder_.op(TileOp::multiply, factors);
      return;
    }
  }
  std::vector<Tile> operands;
  for (ir::ValueId value : op.operands) operands.push_back(operand(value));
  values_[op.results[0]] = append(op, operands);
}

void TileCompiler::add_region(const ir::Block& region) {
  for (const ir::Op& op : region.ops) {
    if (op.code == ir::OpCode::constant) continue;
    add(op);
    const DType dtype = planner_.type(op.results[0]).dtype;
    const bool wider = is_float(dtype) && TileProgramBuilder::compute_type(dtype) != dtype;
    Tile& value = values_[op.results[0]];
    if (wider) value = builder_.convert(value, dtype);
  }
}

void TileCompiler::output(ir::ValueId value) {
  builder_.output(operand(value), planner_.type(value).dtype);
}

}  // namespace cpu
}  // namespace systolic::inline v0
