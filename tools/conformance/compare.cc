#include "tools/conformance/compare.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "systolic/base/error.h"

namespace tool {
namespace {

using namespace systolic;
using stablehlo::Check;

bool almost_equal(double a, double b, double tolerance) {
  if (a == b) return true;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::abs(a - b) <= tolerance;
}

// Floats between `a` and `b`, as the bits of their magnitudes count them.
template <class T>
uint64_t ulp_distance(T a, T b) {
  using Bits =
      std::conditional_t<sizeof(T) == 8, uint64_t,
                         std::conditional_t<sizeof(T) == 4, uint32_t,
                                            std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
  Bits x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  if (x == y) return 0;
  const double wide_a = static_cast<double>(a), wide_b = static_cast<double>(b);
  if (std::isnan(wide_a) && std::isnan(wide_b)) return 0;
  if (!std::isfinite(wide_a) || !std::isfinite(wide_b)) {
    return std::numeric_limits<uint64_t>::max();
  }
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  const uint64_t p = x & static_cast<Bits>(~sign), q = y & static_cast<Bits>(~sign);
  if ((x & sign) != (y & sign)) return p + q;
  return p > q ? p - q : q - p;
}

template <class T>
uint64_t ulp_distance(std::complex<T> a, std::complex<T> b) {
  return std::max(ulp_distance(a.real(), b.real()), ulp_distance(a.imag(), b.imag()));
}

template <class T>
constexpr bool is_complex_type = requires(T x) {
  x.real();
};

template <class T>
std::string text_of(T value) {
  if constexpr (is_complex_type<T>) {
    return str("(", value.real(), ", ", value.imag(), ")");
  } else if constexpr (std::is_integral_v<T>) {
    return str(static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return str(value);
  } else {
    return str(static_cast<float>(value));
  }
}

template <class T>
bool agree(const Check& check, T a, T b, uint64_t& distance) {
  if constexpr (std::is_integral_v<T>) {
    if (check.kind == Check::Kind::almost_equal) {
      return almost_equal(static_cast<double>(a), static_cast<double>(b), check.tolerance);
    }
    return a == b;
  } else {
    distance = ulp_distance(a, b);
    if (check.kind == Check::Kind::close) {
      return distance >= check.least_ulp && distance <= check.most_ulp;
    }
    if constexpr (is_complex_type<T>) {
      if (check.kind != Check::Kind::almost_equal) return a == b || distance == 0;
      return almost_equal(a.real(), b.real(), check.tolerance) &&
             almost_equal(a.imag(), b.imag(), check.tolerance);
    } else {
      const double x = static_cast<double>(a), y = static_cast<double>(b);
      if (check.kind != Check::Kind::almost_equal) return x == y || distance == 0;
      return almost_equal(x, y, check.tolerance);
    }
  }
}

// "[1, 2]": where element `position` stands.
std::string index_text(const Shape& shape, int64_t position) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = position % shape[axis];
    position /= shape[axis];
  }
  return str("[", join(index), "]");
}

}  // namespace

std::optional<std::string> mismatch(const Check& check, const Literal& actual,
                                    const Literal& expected) {
  if (actual.dtype() != expected.dtype() || !(actual.shape() == expected.shape())) {
    return str("got ", to_string(actual.dtype()), to_string(actual.shape()), ", expected ",
               to_string(expected.dtype()), to_string(expected.shape()));
  }
  std::optional<std::string> found;
  visit_dtype(actual.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<const T> a = actual.data<T>(), b = expected.data<T>();
    int64_t wrong = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      uint64_t distance = 0;
      if (agree(check, a[i], b[i], distance)) continue;
      if (wrong++ > 0) continue;
      found = str("element ", index_text(actual.shape(), static_cast<int64_t>(i)), " is ",
                  text_of(a[i]), ", expected ", text_of(b[i]));
      if (distance > 0) *found += str(", ", distance, " ulp");
    }
    if (wrong > 1) *found += str(", and ", wrong - 1, " more of ", a.size());
  });
  return found;
}

}  // namespace tool
