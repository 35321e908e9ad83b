// lgamma and digamma by Lanczos' approximation (SIAM J. Numer. Anal. B 1, 1964), reflected below
// 1/2; the Hurwitz zeta function by Euler and Maclaurin's formula (F. Johansson, Numer. Algorithms
// 69, 2015), and polygamma with it.
#include <cmath>
#include <limits>
#include <numbers>

#include "systolic/stablehlo/chlo/chlo_formulas.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using namespace formula;

constexpr double g = 7;
constexpr double base = 0.99999999999980993227684700473478;
constexpr double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};
constexpr double zeta_terms[] = {-7.1661652561756670113e18,
                                 1.8152105401943546773e17,
                                 -4.5979787224074726105e15,
                                 1.1646782814350067249e14,
                                 -2.950130727918164224e12,
                                 7.47242496e10,
                                 -1.8924375803183791606e9,
                                 47900160.0,
                                 -1209600.0,
                                 30240.0,
                                 -720.0,
                                 12.0};

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

// log(z + g + 1/2), accurate where z is small.
ir::Value log_shifted(ir::Value z) { return std::log(g + 0.5) + log1p(z / (g + 0.5)); }

ir::Value is_whole(ir::Value x) { return ir::compare(x, floor(x), ir::Direction::eq); }
ir::Value both(ir::Value a, ir::Value b) { return ir::binary(ir::OpCode::and_, a, b); }

}  // namespace

ir::Value lgamma(ir::Value x) {
  const ir::Value reflect = less(x, 0.5);
  const ir::Value z = ir::select(reflect, -x, x - 1.0);
  ir::Value sum = like(x, base);
  for (size_t i = 0; i < std::size(lanczos); ++i) {
    sum = sum + lanczos[i] / (z + static_cast<double>(i + 1));
  }
  const ir::Value t = (g + 0.5) + z, log_t = log_shifted(z);
  // (z + 1/2) log(t) - t, so that nothing overflows before the result does.
  const ir::Value r = (z + 0.5 - t / log_t) * log_t;
  const double half_log_two_pi = (std::log(2.0) + std::log(std::numbers::pi)) / 2;
  const ir::Value direct = half_log_two_pi + r + log(sum);

  // log(pi / |sin(pi x)|) - lgamma(1 - x), with the fraction of |x| in [0, 1/2].
  const ir::Value size = abs(x);
  ir::Value fraction = size - floor(size);
  fraction = ir::select(less(like(x, 0.5), fraction), 1.0 - fraction, fraction);
  const ir::Value sine = log(ir::unary(ir::OpCode::sine, std::numbers::pi * fraction));
  const ir::Value reflected = ir::select(ir::unary(ir::OpCode::is_finite, sine),
                                         std::log(std::numbers::pi) - sine - direct, -sine);
  const ir::Value result = ir::select(reflect, reflected, direct);
  return ir::select(equal(size, infinity), like(x, infinity), result);
}

ir::Value digamma(ir::Value x) {
  const ir::Value reflect = less(x, 0.5);
  const ir::Value z = ir::select(reflect, -x, x - 1.0);
  ir::Value sum = like(x, base), slope = like(x, 0);
  for (size_t i = 0; i < std::size(lanczos); ++i) {
    const ir::Value term = z + static_cast<double>(i + 1);
    slope = slope - lanczos[i] / (term * term);
    sum = sum + lanczos[i] / term;
  }
  const ir::Value t = (g + 0.5) + z;
  const ir::Value direct = log_shifted(z) + slope / sum - g / t;

  // digamma(1 - x) - pi cot(pi x), with x moved to within 1/2 of zero.
  const ir::Value near = std::numbers::pi * (x + abs(floor(x + 0.5)));
  const ir::Value cotangent =
      std::numbers::pi * ir::unary(ir::OpCode::cosine, near) / ir::unary(ir::OpCode::sine, near);
  const ir::Value result = ir::select(reflect, direct - cotangent, direct);
  const ir::Value pole = both(ir::compare(x, 0, ir::Direction::le), is_whole(x));
  return ir::select(pole, like(x, nan), result);
}

ir::Value zeta(ir::Value x, ir::Value q) {
  constexpr int terms = static_cast<int>(std::size(zeta_terms)), first_terms = 9;
  const auto power = [&](ir::Value a) { return ir::binary(ir::OpCode::power, a, -x); };
  ir::Value a = q, sum = power(q), last = sum;
  for (int i = 0; i < first_terms; ++i) {
    a = a + 1.0;
    sum = sum + power(a);
  }
  a = a + 1.0;
  last = power(a);
  const ir::Value integral = last * a / (x - 1.0);
  const ir::Value inverse_square = 1.0 / (a * a);
  ir::Value tail = like(q, 0);
  for (int i = 0; i < terms - 1; ++i) {
    const ir::Value factors = (x + (2.0 * terms - 2 - 2 * i)) * (x + (2.0 * terms - 3 - 2 * i));
    tail = factors * (inverse_square * (tail + 1.0 / zeta_terms[i]));
  }
  const ir::Value bernoulli = last * (0.5 + x / a * (1.0 / zeta_terms[terms - 1] + tail));
  const double tiny = x.dtype() == DType::f64
                          ? std::numeric_limits<double>::denorm_min()
                          : static_cast<double>(std::numeric_limits<float>::denorm_min());
  ir::Value result = ir::select(less(abs(last), abs(sum) * tiny), sum, sum + integral + bernoulli);
  result = ir::select(less(x, 1), like(x, nan), result);
  const ir::Value not_positive = ir::compare(q, 0, ir::Direction::le);
  const ir::Value fraction = ir::compare(x, floor(x), ir::Direction::ne);
  result = ir::select(both(not_positive, fraction), like(x, nan), result);
  const ir::Value even = equal(ir::binary(ir::OpCode::remainder, x, like(x, 2)), 0);
  const ir::Value at_pole = ir::select(both(is_whole(x), even), like(x, infinity), like(x, nan));
  result = ir::select(both(not_positive, is_whole(q)), at_pole, result);
  return ir::select(equal(x, 1), like(x, infinity), result);
}

ir::Value polygamma(ir::Value n, ir::Value x) {
  const ir::Value sign = 2.0 * ir::binary(ir::OpCode::remainder, n, like(n, 2)) - 1.0;
  const ir::Value order = n + 1.0;
  ir::Value result = sign * exp(lgamma(order)) * zeta(order, x);
  result = ir::select(equal(n, 0), digamma(x), result);
  const ir::Value unnatural =
      ir::binary(ir::OpCode::or_, ir::compare(n, floor(n), ir::Direction::ne), less(n, 0));
  return ir::select(unnatural, like(x, nan), result);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
