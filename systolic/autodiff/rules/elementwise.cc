// Gradients of ops that go element by element: r.g() is dL/dy, each formula gives dL/dx_i.
#include <cmath>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/formula.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Direction;
using ir::OpCode;
using ir::Value;

namespace {

Value abs_gradient(const GradientRule& r) {
  const Value x = r.x();
  return is_complex(x.dtype()) ? sign(x) * complex(r.g(), zeros_like(r.g())) : r.g() * sign(x);
}

Value convert_gradient(const GradientRule& r) {
  const bool from_complex = is_complex(r.x().dtype()), to_complex = is_complex(r.y().dtype());
  const Value g = to_complex && !from_complex ? real(r.g()) : r.g();
  if (from_complex && !to_complex) {
    const Value part = convert(g, real_part_type(r.x().dtype()));
    return complex(part, zeros_like(part));
  }
  return g.dtype() == r.x().dtype() ? g : convert(g, r.x().dtype());
}

// The gradient goes to the operand that won. Against an operand that needs none a tie gives 0;
// between two that need one it is halved.
void extremum(GradientRule& r, Direction wins) {
  const Value a = r.x(0), b = r.x(1), g = r.g();
  if (!r.needs(0) || !r.needs(1)) {
    const size_t i = r.needs(0) ? 0 : 1;
    return r.grad(i, select(compare(r.x(i), r.x(1 - i), wins), g, zeros_like(g)));
  }
  const Value a_wins = compare(a, b, wins), zero = zeros_like(g);
  const Value shared = select(equal(a, b), g * 0.5, zero);
  const Value to_a = select(a_wins, g, shared);
  r.grad(0, to_a);
  r.grad(1, g - to_a);
}

// x^c with c known when the program is built needs no guards against 0.
Value power_by_base(const GradientRule& r) {
  const Value x = r.x(0), y = r.x(1);
  if (const auto c = r.splat(1)) {
    if (*c == 1.0) return r.g();
    if (*c == 2.0) return r.g() * (x * 2.0);
    return r.g() * (pow(x, r.builder().filled_like(x, *c - 1.0)) * *c);
  }
  // At y = 0 the derivative is 0, also where x is 0 and x^(y-1) is infinite.
  const Value is_zero = equal(y, 0.0);
  const Value exponent = select(is_zero, r.builder().filled_like(y, 1.0), y - 1.0);
  return r.g() * select(is_zero, zeros_like(y), y * pow(x, exponent));
}

Value power_by_exponent(const GradientRule& r) {
  const Value x = r.x(0);
  // 0^y is flat in y > 0, though log(0) is not finite.
  const Value safe = select(equal(x, 0.0), r.builder().filled_like(x, 1.0), x);
  return r.g() * (r.y() * log(safe));
}

Value truncated(Value x) { return sign(x) * floor(abs(x)); }

// A bound may be a scalar where the operand is an array.
Value bound_like(Value bound, Value x) {
  return bound.rank() == x.rank() ? bound : broadcast_to(bound, x.shape());
}

Value clamp_bound_gradient(const GradientRule& r, size_t i, Direction beyond) {
  const Value x = r.x(1), bound = r.x(i);
  const Value g = select(compare(x, bound_like(bound, x), beyond), r.g(), zeros_like(r.g()));
  return bound.rank() == x.rank() ? g : sum_of_all(g);
}

// The clamped value equals x exactly where no bound changed it: one comparison for both bounds.
Value clamp_gradient(const GradientRule& r) {
  return select(equal(r.x(1), r.y()), r.g(), zeros_like(r.g()));
}

Value reduce_precision_gradient(const GradientRule& r) {
  return r.builder().append_one(OpCode::reduce_precision, {r.g()},
                                r.attributes<ir::ReducePrecisionAttributes>());
}

const double two_over_root_pi = 2.0 / std::sqrt(std::acos(-1.0));

using R = const GradientRule&;

// clang-format off
constexpr GradientRow rows[] = {
    formula(OpCode::abs, abs_gradient).also_complex(),
    formula(OpCode::cbrt, [](R r) { return r.g() / (r.y() * r.y() * 3.0); }),
    flat(OpCode::ceil),
    formula(OpCode::cosine, [](R r) { return -(r.g() * sin(r.x())); }),
    flat(OpCode::count_leading_zeros),
    formula(OpCode::erf, [](R r) { return r.g() * (exp(-(r.x() * r.x())) * two_over_root_pi); }),
    formula(OpCode::exponential, [](R r) { return r.g() * conjugate(r.y()); }).also_complex(),
    formula(OpCode::exponential_minus_one, [](R r) { return r.g() * (r.y() + 1.0); }),
    flat(OpCode::floor),
    formula(OpCode::imag, [](R r) { return complex(zeros_like(r.g()), r.g()); }).also_complex(),
    flat(OpCode::is_finite),
    formula(OpCode::log, [](R r) { return r.g() / conjugate(r.x()); }).also_complex(),
    formula(OpCode::log_plus_one, [](R r) { return r.g() / (r.x() + 1.0); }),
    formula(OpCode::logistic, [](R r) { return r.g() * (r.y() * (1.0 - r.y())); }),
    formula(OpCode::negate, [](R r) { return -r.g(); }).also_complex(),
    flat(OpCode::not_),
    flat(OpCode::popcnt),
    formula(OpCode::real, [](R r) { return complex(r.g(), zeros_like(r.g())); }).also_complex(),
    flat(OpCode::round_nearest_afz),
    flat(OpCode::round_nearest_even),
    formula(OpCode::rsqrt, [](R r) { return r.g() * (r.y() * r.y() * r.y() * -0.5); }),
    flat(OpCode::sign),
    formula(OpCode::sine, [](R r) { return r.g() * cos(r.x()); }),
    formula(OpCode::sqrt, [](R r) { return r.g() / (r.y() * 2.0); }),
    formula(OpCode::tan, [](R r) { return r.g() * (r.y() * r.y() + 1.0); }),
    formula(OpCode::tanh, [](R r) { return r.g() * (1.0 - r.y() * r.y()); }),

    formula(OpCode::add, [](R r) { return r.g(); }, [](R r) { return r.g(); }).also_complex(),
    flat(OpCode::and_),
    formula(OpCode::atan2,
            [](R r) { return r.g() * (r.x(1) / (r.x(0) * r.x(0) + r.x(1) * r.x(1))); },
            [](R r) { return -(r.g() * (r.x(0) / (r.x(0) * r.x(0) + r.x(1) * r.x(1)))); }),
    flat(OpCode::compare),
    formula(OpCode::complex,
            [](R r) { return real(r.g()); },
            [](R r) { return imag(r.g()); }).also_complex(),
    formula(OpCode::divide,
            [](R r) { return r.g() / conjugate(r.x(1)); },
            [](R r) { return -(r.g() / conjugate(r.x(1)) * conjugate(r.y())); }).also_complex(),
    whole(OpCode::maximum, [](GradientRule& r) { extremum(r, Direction::gt); }),
    whole(OpCode::minimum, [](GradientRule& r) { extremum(r, Direction::lt); }),
    formula(OpCode::multiply,
            [](R r) { return r.g() * conjugate(r.x(1)); },
            [](R r) { return r.g() * conjugate(r.x(0)); }).also_complex(),
    flat(OpCode::or_),
    formula(OpCode::power, power_by_base, power_by_exponent),
    formula(OpCode::remainder,
            [](R r) { return r.g(); },
            [](R r) { return -(r.g() * truncated(r.x(0) / r.x(1))); }),
    flat(OpCode::shift_left),
    flat(OpCode::shift_right_arithmetic),
    flat(OpCode::shift_right_logical),
    formula(OpCode::subtract, [](R r) { return r.g(); }, [](R r) { return -r.g(); }).also_complex(),
    flat(OpCode::xor_),

    formula(OpCode::clamp,
            [](R r) { return clamp_bound_gradient(r, 0, Direction::lt); },
            clamp_gradient,
            [](R r) { return clamp_bound_gradient(r, 2, Direction::gt); }),
    formula(OpCode::select, nullptr,
            [](R r) { return select(r.x(0), r.g(), zeros_like(r.g())); },
            [](R r) { return select(r.x(0), zeros_like(r.g()), r.g()); }).also_complex(),

    none(OpCode::bitcast_convert, "bits have no derivative",
         "use convert, or stop the gradient before the bits are taken"),
    formula(OpCode::convert, convert_gradient).also_complex(),
    formula(OpCode::reduce_precision, reduce_precision_gradient),
};
// clang-format on
static_assert(covers(rows, elementwise_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> elementwise_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
