// The elementwise half of array_ops.h. Plain loops: the compiler makes vector code of them.
#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/data/array_ops.h"

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

template <class Operation>
Literal with_array(Literal x, const Literal& y, std::string_view name, Operation operation) {
  check_broadcast(x, y, name);
  const bool small = x.dtype() == DType::bf16 || x.dtype() == DType::f16;
  const Literal wide = small ? y.convert(DType::f32) : y;
  const int64_t period = y.size(), repeats = period == 0 ? 0 : x.size() / period;
  return on_floats(std::move(x), name, [&]<class T>(T* data) {
    const T* other = reinterpret_cast<const T*>(wide.raw());
    for (int64_t row = 0; row < repeats; ++row, data += period) {
      for (int64_t i = 0; i < period; ++i) data[i] = operation(data[i], other[i]);
    }
  });
}

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto divide = [](auto a, auto b) { return a / b; };

}  // namespace

Literal operator+(Literal x, double y) { return with_number(std::move(x), y, "+", add); }
Literal operator-(Literal x, double y) { return with_number(std::move(x), y, "-", subtract); }
Literal operator*(Literal x, double y) { return with_number(std::move(x), y, "*", multiply); }
Literal operator/(Literal x, double y) { return with_number(std::move(x), y, "/", divide); }
Literal operator+(Literal x, const Literal& y) { return with_array(std::move(x), y, "+", add); }
Literal operator-(Literal x, const Literal& y) {
  return with_array(std::move(x), y, "-", subtract);
}
Literal operator*(Literal x, const Literal& y) {
  return with_array(std::move(x), y, "*", multiply);
}
Literal operator/(Literal x, const Literal& y) { return with_array(std::move(x), y, "/", divide); }

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
