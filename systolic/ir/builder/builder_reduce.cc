// Contractions, folds and random bits.
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

std::vector<Block> one_region(Block block) {
  std::vector<Block> regions;
  regions.push_back(std::move(block));
  return regions;
}

// The largest (or lowest) number of an element type; infinities where it has them.
Literal extreme(DType dtype, bool largest) {
  Literal result(dtype, {});
  if (dtype == DType::i4 || dtype == DType::u4) {
    const bool is_signed = dtype == DType::i4;
    return Literal::filled(dtype, {}, largest ? (is_signed ? 7 : 15) : (is_signed ? -8 : 0));
  }
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      result.mutable_data<T>()[0] = largest ? Limits::max() : Limits::lowest();
    } else if (dtype == DType::f8e4m3fn) {
      result = Literal::filled(dtype, {}, largest ? 448.0 : -448.0);
    } else {
      const double infinity = std::numeric_limits<double>::infinity();
      result = Literal::filled(dtype, {}, largest ? infinity : -infinity);
    }
  });
  return result;
}

Literal all_ones(DType dtype) {
  Literal result = Literal::filled(dtype, {}, 1);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      result.mutable_data<T>()[0] = static_cast<T>(dtype == DType::u4 ? T{15} : static_cast<T>(-1));
    }
  });
  return result;
}

}  // namespace

Value dot_general(Value a, Value b, DotAttributes attributes, DType result) {
  std::vector<Type> requested;
  if (result != DType::token) requested.push_back({result, {}});
  return a.builder().append_one(OpCode::dot_general, {a, b}, std::move(attributes), {},
                                std::move(requested));
}

Value dot(Value a, Value b) {
  if (a.rank() != 2 || b.rank() != 2) {
    raise<InvalidArgument>(
        {.what = str("dot of ", to_string(a.type()), " and ", to_string(b.type())),
         .wanted = "[m, k] and [k, n]",
         .hint = "use dot_general for other ranks",
         .location = a.builder().location});
  }
  DotAttributes attributes;
  attributes.lhs_contracting_dimensions = {1};
  attributes.rhs_contracting_dimensions = {0};
  return dot_general(a, b, std::move(attributes));
}

Value convolution(Value input, Value kernel, ConvolutionAttributes attributes) {
  return input.builder().append_one(OpCode::convolution, {input, kernel}, std::move(attributes));
}

Literal fold_identity(OpCode code, DType dtype) {
  switch (code) {
    case OpCode::add:
    case OpCode::or_:
    case OpCode::xor_:
      return Literal::zeros(dtype, {});
    case OpCode::multiply:
      return Literal::filled(dtype, {}, 1);
    case OpCode::and_:
      return all_ones(dtype);
    case OpCode::maximum:
      return extreme(dtype, false);
    case OpCode::minimum:
      return extreme(dtype, true);
    default:
      raise<InvalidArgument>({.what = str("a fold with ", info(code).name),
                              .wanted = "add, multiply, maximum, minimum, and, or, xor"});
  }
}

Value reduce(Value x, OpCode code, Axes axes) {
  Builder& builder = x.builder();
  const Value initial = builder.constant(fold_identity(code, x.dtype()));
  return builder.append_one(OpCode::reduce, {x, initial}, AxesAttributes{std::move(axes)},
                            one_region(builder.fold_region(code, x.dtype())));
}

Value reduce_sum(Value x, Axes axes) { return reduce(x, OpCode::add, std::move(axes)); }
Value reduce_max(Value x, Axes axes) { return reduce(x, OpCode::maximum, std::move(axes)); }

Value reduce_window(Value x, OpCode code, WindowAttributes attributes) {
  Builder& builder = x.builder();
  const auto rank = static_cast<size_t>(x.rank());
  if (attributes.base_dilations.empty()) attributes.base_dilations.assign(rank, 1);
  if (attributes.window_dilations.empty()) attributes.window_dilations.assign(rank, 1);
  if (attributes.padding.empty()) attributes.padding.assign(rank, {0, 0});
  const Value initial = builder.constant(fold_identity(code, x.dtype()));
  return builder.append_one(OpCode::reduce_window, {x, initial}, std::move(attributes),
                            one_region(builder.fold_region(code, x.dtype())));
}

Value select_and_scatter(Value x, Value source, WindowAttributes attributes) {
  Builder& builder = x.builder();
  const DType dtype = x.dtype();
  if (attributes.padding.empty()) {
    attributes.padding.assign(static_cast<size_t>(x.rank()), {0, 0});
  }
  const std::vector<Type> scalars(2, Type{dtype, {}});
  std::vector<Block> regions =
      one_region(builder.region(scalars, [](std::span<const Value> sides) -> std::vector<Value> {
        return {compare(sides[0], sides[1], Direction::ge)};
      }));
  regions.push_back(builder.fold_region(OpCode::add, dtype));
  const Value initial = builder.constant(Literal::zeros(dtype, {}));
  return builder.append_one(OpCode::select_and_scatter, {x, source, initial}, std::move(attributes),
                            std::move(regions));
}

std::pair<Value, Value> rng_bit_generator(Value state, Type bits, RngAlgorithm algorithm) {
  const std::vector<Value> results = state.builder().append(
      OpCode::rng_bit_generator, {&state, 1}, RngAttributes{algorithm}, {}, {std::move(bits)});
  return {results[0], results[1]};
}

}  // namespace ir
}  // namespace systolic::inline v0
