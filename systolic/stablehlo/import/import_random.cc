// Random numbers.
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using ir::OpCode;

// Random bits from a key that each rng of a program has its own of.
ir::Value random_bits(OpImport& op, DType dtype, const Shape& shape) {
  const uint64_t state[] = {0x9e3779b97f4a7c15u, op.importer().next_random_key()};
  const ir::Value key = op.builder().constant(Literal::from(std::span<const uint64_t>(state), {2}));
  return ir::rng_bit_generator(key, {dtype, shape}, ir::RngAlgorithm::three_fry).second;
}

// Numbers in [0, 1), f32 or f64: as many bits as the mantissa has, after the 1 of [1, 2).
ir::Value unit_interval(OpImport& op, DType dtype, const Shape& shape) {
  const bool wide = dtype == DType::f64;
  const ir::Value bits = random_bits(op, wide ? DType::u64 : DType::u32, shape);
  const ir::Value mantissa =
      ir::binary(OpCode::shift_right_logical, bits, formula::like(bits, wide ? 12 : 9));
  const double one = wide ? 4607182418800017408.0 : 1065353216.0;  // the bits of 1.0
  const ir::Value number = ir::binary(OpCode::or_, mantissa, formula::like(mantissa, one));
  return ir::bitcast_convert(number, {dtype, shape}) - 1.0;
}

ir::Value uniform_integers(OpImport& op, ir::Value low, ir::Value high, const Shape& shape) {
  const DType dtype = low.dtype();
  const ir::Value bits = random_bits(op, DType::u64, shape);
  const ir::Value start = ir::convert(low, DType::i64), end = ir::convert(high, DType::i64);
  const ir::Value span = ir::broadcast_to(ir::convert(end - start, DType::u64), shape);
  const ir::Value offset = ir::convert(ir::binary(OpCode::remainder, bits, span), DType::i64);
  return ir::convert(ir::broadcast_to(start, shape) + offset, dtype);
}

}  // namespace

// rng: the same numbers each time the program runs, others for each rng in it.
void import_rng(OpImport& op) {
  const std::string_view word = op.word("rng_distribution", "");
  if (word != "UNIFORM" && word != "NORMAL") {
    op.fail("rng_distribution", str("'", word, "'"), "UNIFORM or NORMAL");
  }
  const Literal* sizes = op.importer().constant(op.operand(2).id());
  Shape shape;
  if (sizes == nullptr) {
    shape = op.static_type().shape;
  } else {
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < sizes->size(); ++i) dims.push_back(sizes->integer_at(i));
    for (int64_t size : dims) {
      if (size < 0) op.fail("operand 2", str("size ", size), "sizes of 0 or more");
    }
    shape = Shape(dims);
  }
  const ir::Value a = op.operand(0), b = op.operand(1);
  if (a.rank() != 0 || !(a.type() == b.type())) {
    op.fail("rng_c1: its operands", str(to_string(a.type()), " and ", to_string(b.type())),
            "two scalars of one type");
  }
  if (!is_float(a.dtype())) {
    if (word == "NORMAL" || is_complex(a.dtype())) {
      op.fail("rng_c2: its operands", to_string(a.type()), "floats");
    }
    return op.set(uniform_integers(op, a, b, shape));
  }
  const DType wide = byte_width(a.dtype()) == 8 ? DType::f64 : DType::f32;
  const ir::Value first = ir::broadcast_to(ir::convert(a, wide), shape);
  const ir::Value second = ir::broadcast_to(ir::convert(b, wide), shape);
  const ir::Value unit = unit_interval(op, wide, shape);
  if (word == "UNIFORM") {
    return op.set(ir::convert(first + unit * (second - first), a.dtype()));
  }
  // The inverse of the normal distribution, at the middle of one of the unit's steps: never at 0.
  const double half_step = wide == DType::f64 ? 0x1p-53 : 0x1p-24;
  const ir::Value normal = erf_inv((unit + half_step) * 2.0 - 1.0) * 1.4142135623730951;
  op.set(ir::convert(first + second * normal, a.dtype()));
}

void import_rng_bit_generator(OpImport& op) {
  const std::string_view word = op.word("rng_algorithm", "");
  constexpr std::pair<std::string_view, ir::RngAlgorithm> algorithms[] = {
      {"DEFAULT", ir::RngAlgorithm::standard},
      {"THREE_FRY", ir::RngAlgorithm::three_fry},
      {"PHILOX", ir::RngAlgorithm::philox}};
  for (const auto& [name, algorithm] : algorithms) {
    if (name == word) {
      return op.append(ir::RngAttributes{algorithm}, {}, {op.static_type(0), op.static_type(1)});
    }
  }
  op.fail("rng_algorithm", str("'", word, "'"), "DEFAULT, THREE_FRY or PHILOX");
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
