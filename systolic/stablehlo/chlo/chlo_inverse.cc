// Inverse trigonometric and hyperbolic functions. For complex numbers as in T. E. Hull, T. F.
// Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and arccosine functions using
// exception handling" (ACM TOMS 23, 1997), with fewer regions: none divides by zero or overflows,
// or is not chosen where it does.
#include <cmath>
#include <limits>
#include <numbers>

#include "systolic/stablehlo/chlo/chlo_formulas.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using namespace formula;

// sqrt(x^2 + y^2) of numbers of 0 or more, without overflow.
ir::Value hypot(ir::Value x, ir::Value y) {
  const ir::Value large = max(abs(x), abs(y)), small = min(abs(x), abs(y));
  const ir::Value ratio = small / large, squared = ratio * ratio;
  const ir::Value root = sqrt(squared + 1.0);
  const ir::Value tiny = ir::binary(ir::OpCode::and_, equal(root, 1), greater(squared, 0));
  const ir::Value general = ir::select(tiny, large + large * squared / 2.0, large * root);
  const ir::Value alike = ir::compare(large, small, ir::Direction::eq);
  return ir::select(alike, large * std::numbers::sqrt2, general);
}

struct Kernel {
  ir::Value real, imag;
};

// For x + iy in the first quadrant; see asin_acos_kernel.
Kernel quadrant_kernel(ir::Value x, ir::Value y) {
  const double safe_largest = std::sqrt(largest(x)) / 8;
  const double safe_smallest = std::sqrt(smallest_normal(x)) * 4;
  const ir::Value r = hypot(x + 1.0, y), s = hypot(x - 1.0, y);
  const ir::Value a = 0.5 * (r + s);
  const ir::Value right = r + (x + 1.0);
  const ir::Value inside = s + (1.0 - x), outside = s + (x - 1.0);
  const ir::Value one = like(x, 1), y_squared = y * y;
  const ir::Value within = ir::compare(x, 1, ir::Direction::le);

  // sqrt((a + x)(a - x)), a - x without cancellation.
  const ir::Value half_sum = 0.5 * (a + x);
  const ir::Value near = sqrt(half_sum * (y_squared / right + inside));
  const ir::Value far = y * sqrt(half_sum / right + half_sum / outside);
  const ir::Value huge = greater(max(x, y), safe_largest);
  const ir::Value re = ir::select(huge, y, ir::select(within, near, far));

  // log(a + sqrt(a^2 - 1)), a - 1 without cancellation.
  const ir::Value outer = 0.5 * (y_squared / right) + 0.5 * outside;
  const ir::Value inner = 0.5 * (y_squared * (one / right + one / inside));
  const ir::Value before_one = less(x, 1);
  const ir::Value small_a = less(a, 1.5);
  const ir::Value a_minus_one =
      ir::select(ir::compare(x, 1, ir::Direction::ge), outer, ir::select(small_a, inner, a - 1.0));
  const ir::Value general = log1p(a_minus_one + sqrt(a_minus_one * (a + 1.0)));
  const ir::Value line = y / sqrt((1.0 - x) * (1.0 + x));
  const ir::Value on_line = ir::binary(ir::OpCode::and_, less(y, safe_smallest), before_one);
  const double infinity = std::numeric_limits<double>::infinity();
  // log(2 |x + iy|), of which a is half from here on.
  const ir::Value larger = max(x, y);
  const ir::Value ratio = ir::select(equal(larger, infinity), like(x, 0), min(x, y) / larger);
  const ir::Value logarithm = std::log(2.0) + log(larger) + 0.5 * log1p(ratio * ratio);
  const ir::Value limit = ir::select(less(x, safe_largest * 1e12), like(x, safe_largest * 1e-6),
                                     like(x, safe_largest * 1e2));
  const ir::Value far_out =
      ir::binary(ir::OpCode::or_, huge, ir::compare(y, limit, ir::Direction::ge));
  const ir::Value im = ir::select(far_out, logarithm, ir::select(on_line, line, general));
  return {re, im};
}

Kernel kernel_of(ir::Value z) { return quadrant_kernel(abs(real(z)), abs(imag(z))); }

// `size` with the sign of x, -0 counted as negative.
ir::Value with_sign(ir::Value x, ir::Value size) {
  return ir::select(ir::compare(x, 0, ir::Direction::lt), -size, size);
}

ir::Value one_minus_square(ir::Value x) { return (1.0 - x) * (1.0 + x); }

}  // namespace

ir::Value asin_acos_kernel(ir::Value z) {
  const Kernel w = kernel_of(z);
  return complex(w.real, w.imag);
}

ir::Value asin(ir::Value x) {
  if (is_complex(x.dtype())) {
    const Kernel w = kernel_of(x);
    return complex(atan2(real(x), w.real), with_sign(imag(x), w.imag));
  }
  return 2.0 * atan2(x, 1.0 + sqrt(one_minus_square(x)));
}

ir::Value acos(ir::Value x) {
  if (is_complex(x.dtype())) {
    const Kernel w = kernel_of(x);
    return complex(atan2(w.real, real(x)), -with_sign(imag(x), w.imag));
  }
  return atan2(sqrt(one_minus_square(x)), x);
}

ir::Value acosh(ir::Value x) {
  if (is_complex(x.dtype())) {
    const Kernel w = kernel_of(x);
    return complex(w.imag, with_sign(imag(x), atan2(w.real, real(x))));
  }
  const ir::Value root = sqrt(x - 1.0);
  const ir::Value general = log1p(root * (sqrt(x + 1.0) + root));
  return ir::select(greater(x, largest(x) / 2), std::log(2.0) + log(x), general);
}

ir::Value asinh(ir::Value x) {
  if (is_complex(x.dtype())) {
    const ir::Value re = real(x), im = imag(x);
    const Kernel w = quadrant_kernel(abs(im), abs(re));
    return complex(with_sign(re, w.imag), atan2(im, w.real));
  }
  const ir::Value size = abs(x), squared = size * size;
  const ir::Value general = log1p(size + squared / (1.0 + sqrt(squared + 1.0)));
  const ir::Value huge = ir::compare(size, std::sqrt(largest(x)), ir::Direction::ge);
  return sign(x) * ir::select(huge, std::log(2.0) + log(size), general);
}

ir::Value atanh(ir::Value x) {
  if (!is_complex(x.dtype())) {
    const ir::Value inside = (log1p(x) - log1p(-x)) * 0.5;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return ir::select(greater(abs(x), 1), like(x, nan), inside);
  }
  const ir::Value re = real(x), im = imag(x);
  const ir::Value a = abs(re), b = abs(im);
  // Where 1 is too small to change the larger part.
  const double digits = re.dtype() == DType::f64 ? 0x1p53 : 0x1p24;
  const double large = digits * digits;
  const ir::Value huge = greater(max(a, b), large);
  const ir::Value shifted = a - 1.0;
  const ir::Value general = log1p(4.0 * a / (shifted * shifted + b * b));
  const ir::Value flat = less(b * digits, a);
  const ir::Value inverse = ir::select(flat, 4.0 / a, 4.0 / b / (a / b + b / a));
  const double infinity = std::numeric_limits<double>::infinity();
  const ir::Value infinite = ir::binary(ir::OpCode::or_, equal(a, infinity), equal(b, infinity));
  const ir::Value far = ir::select(infinite, like(a, 0), log1p(inverse));
  const ir::Value result_re = sign(re) * ir::select(huge, far, general) * 0.25;
  const ir::Value angle = atan2(im + im, (1.0 - a) * (1.0 + a) - im * im) * 0.5;
  const ir::Value quarter = with_sign(im, like(im, std::numbers::pi / 2));
  return complex(result_re, ir::select(huge, quarter, angle));
}

ir::Value atan(ir::Value x) {
  if (!is_complex(x.dtype())) return atan2(x, like(x, 1));
  const ir::Value w = atanh(complex(-imag(x), real(x)));
  return complex(imag(w), -real(w));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
