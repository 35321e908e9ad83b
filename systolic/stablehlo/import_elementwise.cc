// Elementwise ops and those without operands.
#include <limits>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo_formulas.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {

void import_same(OpImport& op) { op.append(); }

// Of complex numbers by their real parts, then by their imaginary ones.
void import_extremum(OpImport& op) {
  const ir::Value a = op.operand(0), b = op.operand(1);
  if (!is_complex(a.dtype()) || !(a.type() == b.type())) return op.append();
  using namespace formula;
  const ir::Value alike = ir::compare(real(a), real(b), ir::Direction::eq);
  const ir::Value before = ir::select(alike, less(imag(a), imag(b)), less(real(a), real(b)));
  const bool largest_wanted = op.code() == ir::OpCode::maximum;
  op.set(largest_wanted ? ir::select(before, b, a) : ir::select(before, a, b));
}

void import_compare(OpImport& op) {
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
  op.append(attributes);
}

void import_convert(OpImport& op) {
  ir::Type type = op.written();
  const bool sizes_follow = op.code() == ir::OpCode::convert;
  if (sizes_follow) type.shape = op.operand(0).shape();
  op.append({}, {}, {sizes_follow ? type : op.static_type()});
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
      read_dense(op.importer().program(), op.required("value"), type.dtype, type.shape);
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
