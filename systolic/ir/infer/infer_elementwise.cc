// Shape rules of the elementwise ops.
#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// Sets of element types, as bits.
enum Kind : unsigned {
  boolean = 1,
  signed_integer = 2,
  unsigned_integer = 4,
  floating = 8,
  complex_number = 16,
  integer = signed_integer | unsigned_integer,
  analytic = floating | complex_number,
  number = integer | analytic,
  any = boolean | number,
};

unsigned kind(DType dtype) {
  const DTypeInfo& row = info(dtype);
  if (row.is_float) return floating;
  if (row.is_signed_int) return signed_integer;
  if (row.is_unsigned_int) return unsigned_integer;
  if (row.is_complex) return complex_number;
  return dtype == DType::pred ? unsigned{boolean} : 0u;
}

// The element types that the specification allows for operands (I1, I2) of each op.
unsigned allowed(OpCode code) {
  switch (code) {
    case OpCode::abs:
    case OpCode::sign:
      return signed_integer | analytic;
    case OpCode::ceil:
    case OpCode::erf:
    case OpCode::floor:
    case OpCode::is_finite:
    case OpCode::round_nearest_afz:
    case OpCode::round_nearest_even:
      return floating;
    case OpCode::count_leading_zeros:
    case OpCode::popcnt:
    case OpCode::shift_left:
    case OpCode::shift_right_arithmetic:
    case OpCode::shift_right_logical:
      return integer;
    case OpCode::and_:
    case OpCode::not_:
    case OpCode::or_:
    case OpCode::xor_:
      return boolean | integer;
    case OpCode::negate:
    case OpCode::divide:
    case OpCode::power:
    case OpCode::remainder:
    case OpCode::subtract:
      return number;
    case OpCode::add:
    case OpCode::maximum:
    case OpCode::minimum:
    case OpCode::multiply:
      return any;
    default:
      return analytic;
  }
}

std::string kinds_text(unsigned kinds) {
  std::vector<std::string> names;
  if (kinds & boolean) names.push_back("pred");
  if ((kinds & integer) == integer) {
    names.push_back("integer");
  } else if (kinds & signed_integer) {
    names.push_back("signed integer");
  }
  if (kinds & floating) names.push_back("float");
  if (kinds & complex_number) names.push_back("complex");
  return join(names, " or ");
}

void check_allowed(const InferInput& input, const Type& type) {
  const unsigned kinds = allowed(input.code);
  if (kind(type.dtype) & kinds) return;
  raise_constraint(input, str(info(input.code).name, "_i1"), str("operand is ", to_string(type)),
                   str("element type ", kinds_text(kinds)), "convert it first");
}

[[noreturn]] void raise_mismatch(const InferInput& input, const Type& a, const Type& b) {
  const bool shapes = !(a.shape == b.shape);
  raise_constraint(input, str(info(input.code).name, "_c1"),
                   str("operands ", to_string(a), " and ", to_string(b), " differ"),
                   "one shape and element type",
                   shapes ? "broadcast one to the shape of the other" : "convert one of them");
}

}  // namespace

std::vector<Type> infer_unary(const InferInput& input) {
  const Type& x = input.operands[0];
  check_allowed(input, x);
  const OpCode code = input.code;
  if (code == OpCode::is_finite) return {{DType::pred, x.shape}};
  if (code == OpCode::abs || code == OpCode::real || code == OpCode::imag) {
    return {{real_part_type(x.dtype), x.shape}};
  }
  return {x};
}

std::vector<Type> infer_binary(const InferInput& input) {
  const Type& a = input.operands[0];
  if (!(a == input.operands[1])) raise_mismatch(input, a, input.operands[1]);
  check_allowed(input, a);
  return {a};
}

std::vector<Type> infer_compare(const InferInput& input) {
  const Type &a = input.operands[0], &b = input.operands[1];
  if (!(a == b)) raise_mismatch(input, a, b);
  const CompareAttributes& attributes = attributes_of<CompareAttributes>(input);
  if (attributes.type == CompareType::total_order && !is_float(a.dtype)) {
    raise_constraint(input, "compare_c3", str("total order of ", to_string(a)), "floats");
  }
  const bool ordered =
      attributes.direction != Direction::eq && attributes.direction != Direction::ne;
  if (kind(a.dtype) == 0 || (ordered && is_complex(a.dtype))) {
    raise_constraint(input, "compare_i1", str("operands are ", to_string(a)),
                     "element types that have this order");
  }
  return {{DType::pred, a.shape}};
}

std::vector<Type> infer_complex(const InferInput& input) {
  const Type &a = input.operands[0], &b = input.operands[1];
  if (!(a == b)) raise_mismatch(input, a, b);
  if (a.dtype == DType::f32) return {{DType::c64, a.shape}};
  if (a.dtype == DType::f64) return {{DType::c128, a.shape}};
  raise_constraint(input, "complex_i1", str("operands are ", to_string(a)), "f32 or f64");
}

std::vector<Type> infer_clamp(const InferInput& input) {
  const Type &low = input.operands[0], &x = input.operands[1], &high = input.operands[2];
  check_same_dtype(input, "clamp_c3", low, x);
  check_same_dtype(input, "clamp_c3", high, x);
  if (low.shape.rank() != 0 && !(low.shape == x.shape)) {
    raise_constraint(input, "clamp_c1", str("min is ", to_string(low)),
                     str("a scalar or the operand's type ", to_string(x)));
  }
  if (high.shape.rank() != 0 && !(high.shape == x.shape)) {
    raise_constraint(input, "clamp_c2", str("max is ", to_string(high)),
                     str("a scalar or the operand's type ", to_string(x)));
  }
  return {x};
}

std::vector<Type> infer_select(const InferInput& input) {
  const Type &predicate = input.operands[0], &x = input.operands[1];
  if (predicate.dtype != DType::pred) {
    raise_constraint(input, "select_i1", str("pred is ", to_string(predicate)),
                     "element type pred");
  }
  if (!(x == input.operands[2])) {
    raise_constraint(
        input, "select_c2",
        str("on_true ", to_string(x), " and on_false ", to_string(input.operands[2]), " differ"),
        "one type");
  }
  if (predicate.shape.rank() != 0 && !(predicate.shape == x.shape)) {
    raise_constraint(input, "select_c1", str("pred is ", to_string(predicate)),
                     str("a scalar or the shape of ", to_string(x)));
  }
  return {x};
}

std::vector<Type> infer_convert(const InferInput& input) {
  const Type& x = input.operands[0];
  if (input.requested.size() != 1) {
    raise_constraint(input, "convert_i1", "no result type is asked for", "one");
  }
  const Type& result = input.requested[0];
  if (!(result.shape == x.shape)) {
    raise_constraint(input, "convert_c1",
                     str("result ", to_string(result), " for operand ", to_string(x)),
                     "the operand's shape");
  }
  if (kind(result.dtype) == 0 || kind(x.dtype) == 0) {
    raise_constraint(input, "convert_i1", str("from ", to_string(x), " to ", to_string(result)),
                     "numbers or pred");
  }
  return {result};
}

std::vector<Type> infer_reduce_precision(const InferInput& input) {
  const ReducePrecisionAttributes& attributes = attributes_of<ReducePrecisionAttributes>(input);
  const Type& x = input.operands[0];
  if (!is_float(x.dtype)) {
    raise_constraint(input, "reduce_precision_i1", str("operand is ", to_string(x)), "a float");
  }
  if (attributes.exponent_bits < 1) {
    raise_constraint(input, "reduce_precision_c2",
                     str("exponent_bits is ", attributes.exponent_bits), "1 or more");
  }
  if (attributes.mantissa_bits < 0) {
    raise_constraint(input, "reduce_precision_c3",
                     str("mantissa_bits is ", attributes.mantissa_bits), "0 or more");
  }
  return {x};
}

namespace {

int bit_width(DType dtype) {
  if (dtype == DType::pred) return 1;
  if (dtype == DType::i4 || dtype == DType::u4) return 4;
  return 8 * byte_width(dtype);
}

// The shape that the bits of `x` take as elements of `dtype`.
bool bitcast_shape(const Type& x, DType dtype, Shape& shape) {
  const int from = bit_width(x.dtype), to = bit_width(dtype);
  const int rank = x.shape.rank();
  shape = x.shape;
  if (from == to) return true;
  if (to < from) {
    shape = x.shape.with_inserted(rank, from / to);
    return from % to == 0;
  }
  if (rank == 0 || x.shape[rank - 1] * from != to) return false;
  shape = x.shape.without(rank - 1);
  return true;
}

}  // namespace

std::vector<Type> infer_bitcast_convert(const InferInput& input) {
  const Type& x = input.operands[0];
  if (input.requested.size() != 1) {
    raise_constraint(input, "bitcast_convert_c1", "no result type is asked for", "one");
  }
  const Type& result = input.requested[0];
  if (kind(result.dtype) == 0 || kind(x.dtype) == 0 ||
      is_complex(x.dtype) != is_complex(result.dtype)) {
    raise_constraint(input, "bitcast_convert_c2",
                     str("from ", to_string(x), " to ", to_string(result)),
                     "both complex or both not");
  }
  Shape shape;
  const bool possible = bitcast_shape(x, result.dtype, shape);
  if (!possible || !(shape == result.shape)) {
    raise_constraint(input, "bitcast_convert_c1",
                     str("from ", to_string(x), " to ", to_string(result)),
                     possible ? to_string(Type{result.dtype, shape})
                              : str("a last axis that holds the ", bit_width(result.dtype),
                                    " bits of one ", to_string(result.dtype)));
  }
  return {result};
}

}  // namespace ir
}  // namespace systolic::inline v0
