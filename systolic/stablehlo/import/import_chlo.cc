// Ops of the chlo dialect.
#include <algorithm>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using namespace formula;

struct Unary {
  std::string_view name;
  ir::Value (*formula)(ir::Value);
};

constexpr Unary unaries[] = {
    {"chlo.acos", acos},
    {"chlo.acosh", acosh},
    {"chlo.asin", asin},
    {"chlo.asin_acos_kernel", asin_acos_kernel},
    {"chlo.asinh", asinh},
    {"chlo.atan", atan},
    {"chlo.atanh", atanh},
    {"chlo.bessel_i1e", bessel_i1e},
    {"chlo.cosh", cosh},
    {"chlo.digamma", digamma},
    {"chlo.erf_inv", erf_inv},
    {"chlo.erfc", erfc},
    {"chlo.lgamma", lgamma},
    {"chlo.sinh", sinh},
    {"chlo._asin_acos_kernel", asin_acos_kernel},
};

// The type that a formula computes in.
DType wide_type(DType dtype) {
  return is_float(dtype) && byte_width(dtype) < 4 ? DType::f32 : dtype;
}

// The upper half of a product of 64-bit numbers, by halves of the factors.
ir::Value mulhi_u64(ir::Value a, ir::Value b) {
  const ir::Value mask = like(a, 4294967295.0), half = like(a, 32);
  const auto high = [&](ir::Value x) {
    return ir::binary(ir::OpCode::shift_right_logical, x, half);
  };
  const auto low = [&](ir::Value x) { return ir::binary(ir::OpCode::and_, x, mask); };
  const ir::Value middle = high(a) * low(b) + high(low(a) * low(b));
  const ir::Value other = low(a) * high(b) + low(middle);
  return high(a) * high(b) + high(middle) + high(other);
}

DType unsigned_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return DType::u8;
    case DType::i16:
      return DType::u16;
    case DType::i32:
      return DType::u32;
    case DType::i64:
      return DType::u64;
    default:
      return dtype;
  }
}

constexpr std::string_view dialect = "chlo.";

ir::Value binary_function(OpImport& op, std::string_view name, ir::Value a, ir::Value b) {
  if (!is_float(a.dtype()) || !(a.type() == b.type())) {
    op.fail("its operands", str(to_string(a.type()), " and ", to_string(b.type())),
            "floats of one type");
  }
  if (name == "next_after") return next_after(a, b);
  const DType wide = wide_type(a.dtype());
  const ir::Value x = ir::convert(a, wide), y = ir::convert(b, wide);
  return ir::convert(name == "zeta" ? zeta(x, y) : polygamma(x, y), a.dtype());
}

}  // namespace

ir::Value chlo_unary(OpImport& op, std::string_view name) {
  const ir::Value x = op.operand(0);
  if (!is_float(x.dtype()) && !is_complex(x.dtype())) {
    op.fail("its operand", to_string(x.type()), "floats or complex numbers");
  }
  for (const Unary& row : unaries) {
    if (row.name != name) continue;
    const ir::Value wide = ir::convert(x, wide_type(x.dtype()));
    return ir::convert(row.formula(wide), x.dtype());
  }
  op.lack("no formula");
}

void import_chlo_unary(OpImport& op) { op.set(chlo_unary(op, op.op().name)); }

void import_chlo_exact(OpImport& op) {
  const ir::Value x = op.operand(0);
  op.set(op.op().name == "chlo.conj" ? conj(x) : square(x));
}

void import_chlo_binary(OpImport& op) {
  op.set(binary_function(op, op.op().name.substr(dialect.size()), op.operand(0), op.operand(1)));
}

namespace {

// The operands as arrays of the result's shape; broadcast_dimensions say where the axes of the one
// of fewer axes go, else they are the last.
std::vector<ir::Value> broadcast_operands(const OpImport& op) {
  std::vector<ir::Value> operands = op.operands();
  int rank = 0;
  int fewest = operands.empty() ? 0 : operands[0].rank();
  for (const ir::Value& x : operands) {
    rank = std::max(rank, x.rank());
    fewest = std::min(fewest, x.rank());
  }
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  const ir::Axes given = op.axes("broadcast_dimensions", ir::Axes{});
  if (op.find("broadcast_dimensions") != nullptr && static_cast<int>(given.size()) != fewest) {
    op.fail("broadcast_dimensions", str(given.size(), " axes"),
            str(fewest, ", those of the operand that has fewest"));
  }
  std::vector<ir::Axes> places;
  for (const ir::Value& x : operands) {
    ir::Axes& place = places.emplace_back();
    const bool as_given = x.rank() < rank && static_cast<int>(given.size()) == x.rank();
    for (int axis = 0; axis < x.rank(); ++axis) {
      place.push_back(as_given ? given[static_cast<size_t>(axis)] : rank - x.rank() + axis);
      if (place.back() < 0 || place.back() >= rank) {
        op.fail("broadcast_dimensions", str(place.back()), str("axes in [0, ", rank, ")"));
      }
      int64_t& size = sizes[static_cast<size_t>(place.back())];
      const int64_t own = x.shape()[axis];
      if (own != 1 && size != 1 && own != size) {
        op.fail("its operands", str("sizes ", size, " and ", own), "shapes that fit");
      }
      if (own != 1) size = own;
    }
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    operands[i] = ir::broadcast_in_dim(operands[i], Shape(sizes), places[i]);
  }
  return operands;
}

}  // namespace

void import_chlo_broadcast(OpImport& op) {
  std::vector<ir::Value> operands = broadcast_operands(op);
  constexpr std::string_view prefix = "chlo.broadcast_";
  if (op.code() == ir::OpCode::constant) {  // no op of its own
    return op.set(
        binary_function(op, op.op().name.substr(prefix.size()), operands[0], operands[1]));
  }
  if (op.code() == ir::OpCode::compare) {
    return op.set(op.add(op.code(), std::move(operands), compare_attributes(op)));
  }
  op.set(op.add(op.code(), std::move(operands)));
}

void import_constant_like(OpImport& op) {
  const ir::Value x = op.operand(0);
  const Attribute& value = op.required("value");
  const double number = value.kind == Attribute::Kind::integer
                            ? static_cast<double>(value.integer)
                            : read_float(op.importer().program(), value);
  op.set(op.builder().filled(op.result_dtype(), x.shape(), number));
}

void import_is_inf(OpImport& op) {
  const double infinity = std::numeric_limits<double>::infinity();
  const ir::Value x = op.operand(0);
  const std::string_view name = op.op().name;
  const bool negative = name == "chlo.is_neg_inf";
  op.set(equal(name == "chlo.is_inf" ? abs(x) : x, negative ? -infinity : infinity));
}

std::vector<ir::Value> first_in_order(OpImport& op, int64_t k, bool largest) {
  const ir::Value x = op.operand(0);
  const int64_t axis = x.rank() - 1;
  if (axis < 0 || k < 0 || k > x.shape()[static_cast<int>(axis)]) {
    op.fail("k", str(k), str("0 to the size of the last axis of ", to_string(x.type())));
  }
  const ir::Value positions = op.builder().iota({DType::i32, x.shape()}, axis);
  const ir::CompareAttributes before{
      largest ? ir::Direction::gt : ir::Direction::lt,
      is_float(x.dtype()) ? ir::CompareType::total_order : ir::CompareType::automatic};
  const ir::Value arrays[] = {x, positions};
  const std::vector<ir::Value> sorted = ir::sort(
      arrays, {.dimension = axis, .is_stable = true}, [&](std::span<const ir::Value> sides) {
        return sides[0].builder().append_one(ir::OpCode::compare, {sides[0], sides[1]}, before);
      });
  ir::Axes start(static_cast<size_t>(x.rank()), 0), limit = x.shape().to_vector();
  limit.back() = k;
  return {ir::slice(sorted[0], start, limit), ir::slice(sorted[1], start, limit)};
}

void import_top_k(OpImport& op) {
  std::vector<ir::Value> found = first_in_order(op, op.integer("k"), true);
  found[1] = ir::convert(found[1], op.result_dtype(1));
  op.set_arrays(found);
}

void import_mulhi(OpImport& op) {
  const ir::Value a = op.operand(0), b = op.operand(1);
  const DType dtype = a.dtype();
  if (!is_integer(dtype)) op.fail("its operands", to_string(a.type()), "integers");
  if (byte_width(dtype) < 8) {
    const bool is_signed = is_signed_integer(dtype);
    const ir::Value product = ir::convert(a, is_signed ? DType::i64 : DType::u64) *
                              ir::convert(b, is_signed ? DType::i64 : DType::u64);
    const ir::Value high =
        ir::binary(is_signed ? ir::OpCode::shift_right_arithmetic : ir::OpCode::shift_right_logical,
                   product, like(product, 8.0 * byte_width(dtype)));
    return op.set(ir::convert(high, dtype));
  }
  const DType bits = unsigned_of(dtype);
  const ir::Value x = ir::convert(a, bits), y = ir::convert(b, bits);
  ir::Value high = mulhi_u64(x, y);
  if (is_signed_integer(dtype)) {  // the sign's weight is negative
    const ir::Value zero = like(high, 0);
    high = high - ir::select(less(a, 0), y, zero) - ir::select(less(b, 0), x, zero);
  }
  op.set(ir::convert(high, dtype));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
