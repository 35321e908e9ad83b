// Elementwise ops and those without operands.
#include <algorithm>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/narrow.h"

namespace systolic::inline v0 {
namespace stablehlo {

void import_same(OpImport& op) { op.append(); }

// Complex numbers are compared by their real parts, then by their imaginary ones.
void import_extremum(OpImport& op) {
  const ir::Value a = op.operand(0), b = op.operand(1);
  if (!is_complex(a.dtype()) || !(a.type() == b.type())) return op.append();
  using namespace formula;
  const ir::Value alike = ir::compare(real(a), real(b), ir::Direction::eq);
  const ir::Value before = ir::select(alike, less(imag(a), imag(b)), less(real(a), real(b)));
  const bool largest_wanted = op.code() == ir::OpCode::maximum;
  op.set(largest_wanted ? ir::select(before, b, a) : ir::select(before, a, b));
}

ir::CompareAttributes compare_attributes(const OpImport& op) {
  constexpr std::pair<std::string_view, ir::Direction> directions[] = {
      {"EQ", ir::Direction::eq}, {"NE", ir::Direction::ne}, {"GE", ir::Direction::ge},
      {"GT", ir::Direction::gt}, {"LE", ir::Direction::le}, {"LT", ir::Direction::lt}};
  ir::CompareAttributes attributes;
  const std::string_view word = op.word("comparison_direction", "");
  bool known = false;
  for (const auto& [name, direction] : directions) {
    if (name != word) continue;
    attributes.direction = direction;
    known = true;
  }
  if (!known) op.fail("comparison_direction", str("'", word, "'"), "EQ, NE, GE, GT, LE or LT");
  if (op.word("compare_type", "") == "TOTALORDER") attributes.type = ir::CompareType::total_order;
  return attributes;
}

namespace {

// Complex numbers are ordered by their real parts, then by the imaginary ones (docs/spec.md,
// "compare").
ir::Value compare_complex(ir::Value a, ir::Value b, ir::Direction direction) {
  using ir::Direction;
  const bool less = direction == Direction::lt || direction == Direction::le;
  const ir::Value re_a = formula::real(a), re_b = formula::real(b);
  const ir::Value decided = ir::compare(re_a, re_b, less ? Direction::lt : Direction::gt);
  const ir::Value tied = ir::compare(re_a, re_b, Direction::eq);
  const ir::Value rest = ir::compare(formula::imag(a), formula::imag(b), direction);
  return ir::binary(ir::OpCode::or_, decided, ir::binary(ir::OpCode::and_, tied, rest));
}

}  // namespace

void import_compare(OpImport& op) {
  const ir::CompareAttributes attributes = compare_attributes(op);
  const bool ordered =
      attributes.direction != ir::Direction::eq && attributes.direction != ir::Direction::ne;
  if (ordered && is_complex(op.operand(0).dtype())) {
    return op.set(compare_complex(op.operand(0), op.operand(1), attributes.direction));
  }
  op.append(attributes);
}

// Complex numbers are converted by their real parts (docs/spec.md, "convert").
void import_convert(OpImport& op) {
  const ir::Value x = op.operand(0);
  DType dtype = op.result_dtype();
  // What f32 may not hold is rounded once, from f64.
  const bool wide =
      byte_width(x.dtype()) > 4 || (is_integer(x.dtype()) && byte_width(x.dtype()) == 4);
  if (is_narrow_float(op.result_element()) && wide) dtype = DType::f64;
  const bool real_only = is_complex(x.dtype()) && dtype == DType::pred;
  op.set(op.add(op.code(), {real_only ? formula::real(x) : x}, {}, {}, {{dtype, x.shape()}}));
}

namespace {

// Sizes that the text leaves open are the operand's, with the last axis that a narrower type adds
// and a wider one takes.
ir::Type bitcast_type(const OpImport& op, int64_t from_bits, int64_t to_bits) {
  ir::Type type = op.written();
  const bool open = std::any_of(type.shape.begin(), type.shape.end(),
                                [](int64_t size) { return size == dynamic_size; });
  if (!open || from_bits == 0 || to_bits == 0) return op.static_type();
  Shape shape = op.operand(0).shape();
  if (from_bits > to_bits) shape = shape.with_inserted(shape.rank(), from_bits / to_bits);
  if (from_bits < to_bits && shape.rank() > 0) shape = shape.without(shape.rank() - 1);
  if (shape.rank() != type.shape.rank()) return op.static_type();
  type.shape = shape;
  return type;
}

}  // namespace

void import_bitcast_convert(OpImport& op) {
  const ElementType from = op.operand_element(), to = op.result_element();
  const ir::Type type = bitcast_type(op, element_bits(from), element_bits(to));
  const bool whole_bytes = element_bits(from) >= 8 && element_bits(to) >= 8;
  if (whole_bytes || is_complex(type.dtype)) return op.append({}, {}, {type});
  const ir::Value x = op.operand(0);
  const int64_t wide = std::max(element_bits(from), element_bits(to));
  const int64_t narrow = std::min(element_bits(from), element_bits(to));
  const Shape& longer = element_bits(from) < element_bits(to) ? x.shape() : type.shape;
  const Shape& shorter = element_bits(from) < element_bits(to) ? type.shape : x.shape();
  const Shape wanted =
      wide == narrow ? shorter : shorter.with_inserted(shorter.rank(), wide / narrow);
  if (narrow == 0 || wide % narrow != 0 || !(longer == wanted) || is_complex(x.dtype())) {
    op.fail("bitcast_convert_c1", str("from ", to_string(x.type()), " to ", to_string(type)),
            "arrays of the same bits");
  }
  op.set(bitcast_narrow(x, from, to, type.shape));
}

// Integers of 2 bits are held in 8: those above count as 0.
void import_bits(OpImport& op) {
  const ElementType element = op.operand_element();
  if (element_bits(element) != 2) return op.append();
  const ir::Value x = op.operand(0);
  const ir::Value bits = ir::binary(ir::OpCode::and_, x, formula::like(x, 3));
  if (op.code() == ir::OpCode::shift_right_logical) {
    return op.set(ir::binary(op.code(), bits, op.operand(1)));
  }
  const ir::Value count = ir::unary(op.code(), bits);
  op.set(op.code() == ir::OpCode::popcnt ? count : count - 6.0);
}

// Without bits for a mantissa there is no NaN: it becomes an infinity of its sign.
void import_reduce_precision(OpImport& op) {
  const ir::ReducePrecisionAttributes attributes{static_cast<int>(op.integer("exponent_bits")),
                                                 static_cast<int>(op.integer("mantissa_bits"))};
  op.append(attributes);
  const ir::Value x = op.operand(0);
  if (attributes.mantissa_bits > 0 || byte_width(x.dtype()) < 2) return;
  const DType bits = byte_width(x.dtype()) == 8   ? DType::i64
                     : byte_width(x.dtype()) == 4 ? DType::i32
                                                  : DType::i16;
  const ir::Value negative = formula::less(ir::bitcast_convert(x, {bits, x.shape()}), 0);
  const double infinity = std::numeric_limits<double>::infinity();
  const ir::Value infinite =
      ir::select(negative, formula::like(x, -infinity), formula::like(x, infinity));
  const ir::Value is_nan = ir::compare(x, x, ir::Direction::ne);
  op.set(ir::select(is_nan, infinite, op.results()[0][0]));
}

void import_constant(OpImport& op) {
  const ir::Type type = op.static_type();
  const DenseValue value =
      op.importer().dense(op.required("value"), op.result_element(), type.shape);
  const ir::Value literal = op.builder().constant(value.literal);
  op.set(value.splat ? ir::broadcast_in_dim(literal, type.shape, {}) : literal);
}

void import_identity(OpImport& op) { op.set(op.operand(0)); }

void import_iota(OpImport& op) {
  const ir::Type type = op.static_type();
  const int64_t axis = op.integer("iota_dimension");
  if (!is_complex(type.dtype)) return op.set(op.builder().iota(type, axis));
  const ir::Value re = op.builder().iota({real_part_type(type.dtype), type.shape}, axis);
  op.set(formula::complex(re, formula::like(re, 0)));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
