// Linear algebra, Fourier transforms, random numbers.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_cholesky(const OpVerifier& op) {
  const NamedValue a = op.operand(0, "a");
  op.same_baseline_type(1, op.result(), a);
  op.at_least(2, "rank(a)", {a.rank()}, 2);
  op.same_dim(3, a, a.rank() - 2, a, a.rank() - 1);
}

void verify_triangular_solve(const OpVerifier& op) {
  const NamedValue a = op.operand(0, "a"), b = op.operand(1, "b");
  op.same_baseline_element(1, b, a);
  op.at_least(2, "rank(a)", {a.rank()}, 2);
  op.same_rank(2, b, a);
  const int64_t rank = a.rank();
  for (int64_t axis = 0; axis < rank - 2; ++axis) op.same_dim(3, b, axis, a, axis);
  op.same_dim(3, a, rank - 2, a, rank - 1);
  op.same_dim(3, b, op.boolean("left_side") ? rank - 2 : rank - 1, a, rank - 1);
  op.same_baseline_type(4, op.result(), b);
}

namespace {

// The one of operand and result that holds floats; nothing where both are complex.
std::optional<NamedValue> real_side(const OpVerifier& op, const NamedValue& operand,
                                    const NamedValue& result) {
  const std::string_view type = op.word("fft_type");
  const bool to_complex = type == "RFFT", to_real = type == "IRFFT";
  const NamedValue &wide = to_complex ? result : operand, &narrow = to_complex ? operand : result;
  bool fits = is_complex(*wide.type);
  if (to_complex || to_real) {
    fits =
        fits && is_float(*narrow.type) && complex_part(wide.type->element) == narrow.type->element;
  } else {
    fits = fits && same_element(*wide.type, *narrow.type);
  }
  op.require(fits, 2, [&] {
    return Violation{str("element types of ", type),
                     str(op.type_of(operand), " to ", op.type_of(result)),
                     to_complex ? "floats to complex numbers of them"
                     : to_real  ? "complex numbers to their floats"
                                : "the same complex type"};
  });
  if (to_complex || to_real) return narrow;
  return std::nullopt;
}

}  // namespace

void verify_fft(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const Axes length = op.axes("fft_length");
  const auto axes = static_cast<int64_t>(length.size());
  op.require(axes >= 1 && axes <= 3, 3, [&] {
    return Violation{"size(fft_length)", str(axes), "1 to 3"};
  });
  op.require(axes <= operand.rank(), 1, [&] {
    return Violation{"size(fft_length)", str(axes),
                     str("at most rank(operand) = ", operand.rank())};
  });
  const std::optional<NamedValue> real = real_side(op, operand, result);
  op.same_rank(5, result, operand);
  const int64_t rank = operand.rank();
  if (real) {
    for (int64_t i = 0; i < axes; ++i) {
      const int64_t axis = rank - axes + i;
      op.is(4, str("dim(", real->name, ", ", axis, ")"), real->dim(axis),
            length[static_cast<size_t>(i)]);
    }
  }
  for (int64_t axis = 0; axis < rank - (real ? 1 : 0); ++axis) {
    op.same_dim(5, result, axis, operand, axis);
  }
  if (!real) return;
  const NamedValue& wide = real->name == "operand" ? result : operand;
  const int64_t size = length.back();
  for (int64_t i = 0; i + 1 < axes; ++i) {
    const int64_t axis = rank - axes + i;
    op.is(5, str("dim(", wide.name, ", ", axis, ")"), wide.dim(axis),
          length[static_cast<size_t>(i)]);
  }
  op.is(5, str("dim(", wide.name, ", ", rank - 1, ")"), wide.dim(rank - 1),
        size == 0 ? 0 : size / 2 + 1);
}

void verify_rng(const OpVerifier& op) {
  const NamedValue a = op.operand(0, "a"), shape = op.operand(2, "shape");
  op.same_element(1, op.operand(1, "b"), a);
  op.same_element(1, op.result(), a);
  if (op.word("rng_distribution") == "NORMAL") {
    op.require(is_float(*a.type), 2, [&] {
      return Violation{"element_type(a) of NORMAL", op.type_of(a), "floats"};
    });
  }
  op.is(3, "rank(result)", op.result().rank(), shape.dim(0));
  if (const auto sizes = op.constant(2)) op.shape_is(3, op.result(), *sizes);
}

void verify_rng_bit_generator(const OpVerifier& op) {
  const NamedValue state = op.operand(0, "initial_state");
  op.same_type(1, op.result(0, "output_state"), state);
  const std::string_view algorithm = op.word("rng_algorithm");
  if (state.rank() != 1 || state.dim(0) == dynamic_size) return;
  const int64_t size = state.dim(0);
  const bool fits = algorithm == "THREE_FRY" ? size == 2
                    : algorithm == "PHILOX"  ? size == 2 || size == 3
                                             : true;
  op.require(fits, 2, [&] {
    return Violation{str("size(initial_state) of ", algorithm), str(size),
                     algorithm == "PHILOX" ? "2 or 3" : "2"};
  });
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
