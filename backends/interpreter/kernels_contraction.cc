// dot_general and convolution: one sum of products for each element of the result. Sums that give
// f32 and c64 are rounded after each product and each addition, as the specification spells the ops
// out; those of smaller floats run in f64 and are rounded once.

#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"
#include "systolic/core/axes.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::Axes;

// Calls visitor(zero) with what products of T are summed in: integers wrap, pred is or of and.
template <class T, class Visitor>
void with_accumulator(DType result, Visitor&& visitor) {
  if constexpr (std::is_integral_v<T>) {
    visitor(uint64_t{0});
  } else if constexpr (is_complex_type<T>) {
    visitor(T(0));
  } else if (std::is_same_v<T, float> && result == DType::f32) {
    visitor(0.0f);
  } else {
    visitor(0.0);
  }
}

template <class Sum, class T>
Sum widened(T x) {
  if constexpr (is_complex_type<T>) {
    return Sum(x);
  } else {
    return static_cast<Sum>(x);
  }
}

// The sum as an element of the result's type.
template <class Sum>
void store(Sum sum, Literal& result, int64_t position) {
  visit_dtype(result.dtype(), [&](auto tag) {
    using To = typename decltype(tag)::type;
    To& out = result.mutable_data<To>()[static_cast<size_t>(position)];
    if constexpr (std::is_same_v<To, bool>) {
      out = sum != Sum(0);
    } else {
      out = convert_element<To>(sum);
    }
  });
}

// For each result element, calls terms(index, add) where add(i, j) adds lhs[i] * rhs[j].
template <class Terms>
Literal sum_of_products(const Call& call, Terms&& terms) {
  Literal result(call.result().dtype, call.result().shape);
  visit_dtype(call.operand().dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto lhs = call.operand(0).data<T>(), rhs = call.operand(1).data<T>();
    int64_t position = 0;
    with_accumulator<T>(result.dtype(), [&](auto zero) {
      using Sum = decltype(zero);
      for_each_index(result.shape(), [&](const Index& index) {
        Sum sum = zero;
        terms(index, [&](int64_t i, int64_t j) {
          const Sum product =
              widened<Sum>(lhs[static_cast<size_t>(i)]) * widened<Sum>(rhs[static_cast<size_t>(j)]);
          sum += product;
        });
        store(sum, result, position++);
      });
    });
  });
  return result;
}

void put(Index& index, const Axes& axes, const Index& from, size_t first) {
  for (size_t i = 0; i < axes.size(); ++i) {
    index[static_cast<size_t>(axes[i])] = from[first + i];
  }
}

}  // namespace

std::vector<Literal> run_dot_general(const Call& call) {
  const auto& a = call.op.get<ir::DotAttributes>();
  const Shape &lhs = call.operand(0).shape(), &rhs = call.operand(1).shape();
  const Axes lhs_free = remaining_axes(
      lhs.rank(), joined_axes(a.lhs_batching_dimensions, a.lhs_contracting_dimensions));
  const Axes rhs_free = remaining_axes(
      rhs.rank(), joined_axes(a.rhs_batching_dimensions, a.rhs_contracting_dimensions));
  Axes contracted_sizes;
  for (int64_t axis : a.lhs_contracting_dimensions) {
    contracted_sizes.push_back(lhs[static_cast<int>(axis)]);
  }
  const Shape contracted(contracted_sizes);
  const size_t batching = a.lhs_batching_dimensions.size();
  Index left(static_cast<size_t>(lhs.rank())), right(static_cast<size_t>(rhs.rank()));
  return {sum_of_products(call, [&](const Index& index, auto&& add) {
    put(left, a.lhs_batching_dimensions, index, 0);
    put(right, a.rhs_batching_dimensions, index, 0);
    put(left, lhs_free, index, batching);
    put(right, rhs_free, index, batching + lhs_free.size());
    for_each_index(contracted, [&](const Index& k) {
      put(left, a.lhs_contracting_dimensions, k, 0);
      put(right, a.rhs_contracting_dimensions, k, 0);
      add(offset_of(lhs, left), offset_of(rhs, right));
    });
  })};
}

std::vector<Literal> run_convolution(const Call& call) {
  const auto& a = call.op.get<ir::ConvolutionAttributes>();
  const Shape &lhs = call.operand(0).shape(), &rhs = call.operand(1).shape();
  const auto at = [](const Shape& shape, int64_t axis) { return shape[static_cast<int>(axis)]; };
  const int64_t in_features = at(rhs, a.kernel_input_feature_dimension);
  const int64_t out_features = at(rhs, a.kernel_output_feature_dimension);
  const int64_t out_batch = at(lhs, a.input_batch_dimension) / a.batch_group_count;
  Axes window_sizes;
  for (int64_t axis : a.kernel_spatial_dimensions) window_sizes.push_back(at(rhs, axis));
  const Shape window_shape(window_sizes);
  Index left(static_cast<size_t>(lhs.rank())), right(static_cast<size_t>(rhs.rank()));
  const auto set = [](Index& index, int64_t axis, int64_t value) {
    index[static_cast<size_t>(axis)] = value;
  };
  return {sum_of_products(call, [&](const Index& index, auto&& add) {
    const int64_t feature = index[static_cast<size_t>(a.output_feature_dimension)];
    const int64_t batch = index[static_cast<size_t>(a.output_batch_dimension)];
    // Groups: output features fall into equal runs, each with its own input features or batch part.
    const int64_t feature_group = feature / (out_features / a.feature_group_count);
    const int64_t batch_group = feature / (out_features / a.batch_group_count);
    set(left, a.input_batch_dimension, batch_group * out_batch + batch);
    set(right, a.kernel_output_feature_dimension, feature);
    for_each_index(window_shape, [&](const Index& window) {
      for (size_t i = 0; i < window.size(); ++i) {
        const int64_t out = index[static_cast<size_t>(a.output_spatial_dimensions[i])];
        const int64_t place =
            out * a.window_strides[i] + window[i] * a.rhs_dilation[i] - a.padding[i].first;
        if (place < 0 || place % a.lhs_dilation[i] != 0) return;
        const int64_t in = place / a.lhs_dilation[i];
        if (in >= at(lhs, a.input_spatial_dimensions[i])) return;
        set(left, a.input_spatial_dimensions[i], in);
        const int64_t tap = a.window_reversal[i] ? window_sizes[i] - 1 - window[i] : window[i];
        set(right, a.kernel_spatial_dimensions[i], tap);
      }
      for (int64_t k = 0; k < in_features; ++k) {
        set(left, a.input_feature_dimension, feature_group * in_features + k);
        set(right, a.kernel_input_feature_dimension, k);
        add(offset_of(lhs, left), offset_of(rhs, right));
      }
    });
  })};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
