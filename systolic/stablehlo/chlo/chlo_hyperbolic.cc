// cosh, sinh, conj and square.
#include <cmath>

#include "systolic/stablehlo/chlo/chlo_formulas.h"

namespace systolic::inline v0 {
namespace stablehlo {

using namespace formula;

// e^(x - log 2) does not overflow before the result does.
ir::Value cosh(ir::Value x) {
  const ir::Value log_half = log(like(x, 0.5));
  return exp(x + log_half) + exp(log_half - x);
}

ir::Value sinh(ir::Value x) {
  const ir::Value log_half = log(like(x, 0.5));
  const ir::Value large = exp(x + log_half) - exp(log_half - x);
  if (is_complex(x.dtype())) return large;
  // Near zero the exponentials cancel: (m + m / (m + 1)) / 2 with m = e^x - 1.
  const ir::Value m = ir::unary(ir::OpCode::exponential_minus_one, x);
  const ir::Value small = 0.5 * (m + m / (m + 1.0));
  return ir::select(less(abs(x), 1), small, large);
}

ir::Value conj(ir::Value x) { return is_complex(x.dtype()) ? complex(real(x), -imag(x)) : x; }

ir::Value square(ir::Value x) {
  if (!is_complex(x.dtype())) return x * x;
  const ir::Value re = real(x), im = imag(x);
  const ir::Value difference = (re - im) * (re + im);
  const ir::Value alike =
      ir::binary(ir::OpCode::and_, ir::compare(abs(re), abs(im), ir::Direction::eq),
                 ir::unary(ir::OpCode::is_finite, re));
  const ir::Value product = re * im;
  return complex(ir::select(alike, like(re, 0), difference), product + product);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
