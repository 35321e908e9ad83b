// The elementwise half of array_ops.h. Plain loops, which the compiler vectorizes.
#include <type_traits>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/data/arrays/array_ops.h"

namespace systolic::inline v0 {
namespace {

std::string describe(const Literal& x) { return str(x.dtype(), x.shape()); }

// Calls body(T*) with the elements of a float array; small floats are computed as f32.
template <class Body>
Literal on_floats(Literal x, std::string_view name, Body body) {
  switch (x.dtype()) {
    case DType::f32:
      body(x.mutable_data<float>().data());
      return x;
    case DType::f64:
      body(x.mutable_data<double>().data());
      return x;
    case DType::bf16:
    case DType::f16: {
      Literal wide = x.convert(DType::f32);
      body(wide.mutable_data<float>().data());
      return wide.convert(x.dtype());
    }
    default:
      raise<InvalidArgument>({.what = str(name, " of ", describe(x)),
                              .wanted = "floats",
                              .hint = "cast(x, DType::f32) first"});
  }
}

template <class Operation>
Literal with_number(Literal x, double y, std::string_view name, Operation operation) {
  const int64_t count = x.size();
  return on_floats(std::move(x), name, [&]<class T>(T* data) {
    const T number = static_cast<T>(y);
    for (int64_t i = 0; i < count; ++i) data[i] = operation(data[i], number);
  });
}

void check_broadcast(const Literal& x, const Literal& y, std::string_view name) {
  const int missing = x.rank() - y.rank();
  if (x.dtype() == y.dtype() && missing >= 0 && x.shape().slice(missing, x.rank()) == y.shape())
    return;
  raise<InvalidArgument>({.what = str(describe(x), " ", name, " ", describe(y)),
                          .wanted = "the same type, and the same shape or that of the last axes"});
}

// Calls body(i, j) for each element i of `size`, with j of the `period` that repeats alongside.
template <class Body>
void for_each_pair(int64_t size, int64_t period, Body body) {
  const int64_t rows = period == 0 ? 0 : size / period;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < period; ++i) body(row * period + i, i);
  }
}

// Integers that C++ has too; those of 4 bits are for devices.
bool has_arithmetic(DType dtype) {
  return is_integer(dtype) && dtype != DType::i4 && dtype != DType::u4;
}

// Calls body with an element of the type of `x`, an integer.
template <class Body>
void visit_integers(const Literal& x, Body body) {
  visit_dtype(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (HostIntegral<T>) body(T{});
  });
}

// Modulo the type's size, without C++'s undefined overflow.
template <class T, class Operation>
T wrapped(T a, T b, Operation operation) {
  using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  return static_cast<T>(operation(static_cast<Wide>(a), static_cast<Wide>(b)));
}

template <class T>
T fitting(HostInteger y, const Literal& x, std::string_view name) {
  const bool fits =
      y.negative ? std::in_range<T>(static_cast<int64_t>(y.bits)) : std::in_range<T>(y.bits);
  if (fits) return static_cast<T>(y.bits);
  raise<InvalidArgument>({.what = str(describe(x), " ", name, " a number"),
                          .got = y.negative ? str(static_cast<int64_t>(y.bits)) : str(y.bits),
                          .wanted = str("one that ", to_string(x.dtype()), " holds"),
                          .hint = "cast(x, ...) to a wider type first"});
}

double as_double(HostInteger y) {
  return y.negative ? static_cast<double>(static_cast<int64_t>(y.bits))
                    : static_cast<double>(y.bits);
}

template <class Operation>
Literal with_integer(Literal x, HostInteger y, std::string_view name, Operation operation) {
  if (!has_arithmetic(x.dtype())) return with_number(std::move(x), as_double(y), name, operation);
  visit_integers(x, [&]<class T>(T) {
    const T number = fitting<T>(y, x, name);
    for (T& value : x.mutable_data<T>()) value = wrapped(value, number, operation);
  });
  return x;
}

template <class Operation>
Literal with_array(Literal x, const Literal& y, std::string_view name, Operation operation) {
  check_broadcast(x, y, name);
  if (has_arithmetic(x.dtype())) {
    visit_integers(x, [&]<class T>(T) {
      T* data = x.mutable_data<T>().data();
      const T* other = y.data<T>().data();
      for_each_pair(x.size(), y.size(),
                    [&](int64_t i, int64_t j) { data[i] = wrapped(data[i], other[j], operation); });
    });
    return x;
  }
  const bool small = x.dtype() == DType::bf16 || x.dtype() == DType::f16;
  const Literal wide = small ? y.convert(DType::f32) : y;
  const int64_t size = x.size();
  return on_floats(std::move(x), name, [&]<class T>(T* data) {
    const T* other = reinterpret_cast<const T*>(wide.raw());
    for_each_pair(size, y.size(),
                  [&](int64_t i, int64_t j) { data[i] = operation(data[i], other[j]); });
  });
}

template <class Operation>
Literal with_channels(Literal x, std::span<const double> y, std::string_view name,
                      Operation operation) {
  const Literal row = Literal::from(y, Shape{static_cast<int64_t>(y.size())});
  // Integers are refused by type, as they are with a number that has a fraction.
  if (!is_float(x.dtype())) return on_floats(std::move(x), name, [](auto*) {});
  const DType dtype = x.dtype();
  return with_array(std::move(x), row.convert(dtype), name, operation);
}

// What "/" makes of integers: the types of tf.math.truediv.
DType quotient_type(DType dtype) { return byte_width(dtype) <= 2 ? DType::f32 : DType::f64; }

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto divide = [](auto a, auto b) { return a / b; };
constexpr auto subtract_from = [](auto a, auto b) { return b - a; };
constexpr auto divide_into = [](auto a, auto b) { return b / a; };

// x with the number, which its type must hold, as floats.
template <class Operation>
Literal quotient(Literal x, HostInteger y, Operation operation) {
  if (!has_arithmetic(x.dtype())) return with_number(std::move(x), as_double(y), "/", operation);
  visit_integers(x, [&]<class T>(T) { fitting<T>(y, x, "/"); });
  return with_number(x.convert(quotient_type(x.dtype())), as_double(y), "/", operation);
}

}  // namespace

Literal operator+(Literal x, double y) { return with_number(std::move(x), y, "+", add); }
Literal operator-(Literal x, double y) { return with_number(std::move(x), y, "-", subtract); }
Literal operator*(Literal x, double y) { return with_number(std::move(x), y, "*", multiply); }
Literal operator/(Literal x, double y) { return with_number(std::move(x), y, "/", divide); }
Literal operator-(double x, Literal y) { return with_number(std::move(y), x, "-", subtract_from); }
Literal operator/(double x, Literal y) { return with_number(std::move(y), x, "/", divide_into); }

Literal plus_integer(Literal x, HostInteger y) { return with_integer(std::move(x), y, "+", add); }
Literal minus_integer(Literal x, HostInteger y) {
  return with_integer(std::move(x), y, "-", subtract);
}
Literal times_integer(Literal x, HostInteger y) {
  return with_integer(std::move(x), y, "*", multiply);
}
Literal over_integer(Literal x, HostInteger y) { return quotient(std::move(x), y, divide); }
Literal integer_minus(HostInteger x, Literal y) {
  return with_integer(std::move(y), x, "-", subtract_from);
}
Literal integer_over(HostInteger x, Literal y) { return quotient(std::move(y), x, divide_into); }

Literal operator+(Literal x, const Literal& y) { return with_array(std::move(x), y, "+", add); }
Literal operator-(Literal x, const Literal& y) {
  return with_array(std::move(x), y, "-", subtract);
}
Literal operator*(Literal x, const Literal& y) {
  return with_array(std::move(x), y, "*", multiply);
}
Literal operator/(Literal x, const Literal& y) {
  check_broadcast(x, y, "/");
  if (!has_arithmetic(x.dtype())) return with_array(std::move(x), y, "/", divide);
  const DType type = quotient_type(x.dtype());
  return with_array(x.convert(type), y.convert(type), "/", divide);
}

Literal operator+(Literal x, std::span<const double> y) {
  return with_channels(std::move(x), y, "+", add);
}
Literal operator-(Literal x, std::span<const double> y) {
  return with_channels(std::move(x), y, "-", subtract);
}
Literal operator*(Literal x, std::span<const double> y) {
  return with_channels(std::move(x), y, "*", multiply);
}
Literal operator/(Literal x, std::span<const double> y) {
  return with_channels(std::move(x), y, "/", divide);
}

namespace data {

Literal scale(const Literal& x, double factor, double offset) {
  Literal result(DType::f32, x.shape());
  float* out = result.mutable_data<float>().data();
  const auto slope = static_cast<float>(factor), start = static_cast<float>(offset);
  visit_dtype(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = reinterpret_cast<const T*>(x.raw());
    for (int64_t i = 0; i < x.size(); ++i) out[i] = convert_element<float>(in[i]) * slope + start;
  });
  return result;
}

Literal normalize(const Literal& x, std::span<const double> mean,
                  std::span<const double> standard_deviation, SourceLocation location) {
  const auto channels = static_cast<int64_t>(mean.size());
  const bool fits = mean.size() == standard_deviation.size() &&
                    (channels == 1 || (x.rank() > 0 && x.shape()[-1] == channels));
  if (!fits || channels == 0) {
    raise<InvalidArgument>(
        {.what = str("normalize ", describe(x), " with ", mean.size(), " means and ",
                     standard_deviation.size(), " standard deviations"),
         .wanted = "one of each for every channel (the last axis), or one for all",
         .location = location});
  }
  std::vector<float> slopes, starts;
  for (size_t c = 0; c < mean.size(); ++c) {
    slopes.push_back(static_cast<float>(1 / standard_deviation[c]));
    starts.push_back(static_cast<float>(-mean[c] / standard_deviation[c]));
  }
  if (channels == 1) return scale(x, slopes[0], starts[0]);
  Literal result = x.convert(DType::f32);
  float* out = result.mutable_data<float>().data();
  for (int64_t i = 0; i < result.size(); i += channels) {
    for (int64_t c = 0; c < channels; ++c) {
      const auto channel = static_cast<size_t>(c);
      out[i + c] = out[i + c] * slopes[channel] + starts[channel];
    }
  }
  return result;
}

}  // namespace data
}  // namespace systolic::inline v0
