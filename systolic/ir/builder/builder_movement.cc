#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

std::vector<Value> with_starts(std::initializer_list<Value> arrays, std::span<const Value> starts) {
  std::vector<Value> operands(arrays);
  operands.insert(operands.end(), starts.begin(), starts.end());
  return operands;
}

Builder& builder_of(std::string_view op, std::span<const Value> values) {
  if (values.empty() || !values[0].valid()) {
    raise<InvalidArgument>({.what = str(op, ": there are no operands"), .wanted = "at least one"});
  }
  return values[0].builder();
}

}  // namespace

Value reshape(Value x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return x.builder().append_one(OpCode::reshape, {x}, {}, {}, {{x.dtype(), shape}});
}

Value transpose(Value x, Axes permutation) {
  return x.builder().append_one(OpCode::transpose, {x}, AxesAttributes{std::move(permutation)});
}

Value reverse(Value x, Axes axes) {
  return x.builder().append_one(OpCode::reverse, {x}, AxesAttributes{std::move(axes)});
}

Value broadcast_in_dim(Value x, const Shape& shape, Axes dimensions) {
  return x.builder().append_one(OpCode::broadcast_in_dim, {x},
                                BroadcastAttributes{std::move(dimensions)}, {},
                                {{x.dtype(), shape}});
}

Value broadcast_to(Value x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Axes dimensions;
  for (int axis = 0; axis < x.rank(); ++axis) {
    dimensions.push_back(shape.rank() - x.rank() + axis);
  }
  return broadcast_in_dim(x, shape, std::move(dimensions));
}

Value slice(Value x, Axes start, Axes limit, Axes strides) {
  if (strides.empty()) strides.assign(start.size(), 1);
  return x.builder().append_one(
      OpCode::slice, {x}, SliceAttributes{std::move(start), std::move(limit), std::move(strides)});
}

Value pad(Value x, Value value, Axes low, Axes high, Axes interior) {
  if (interior.empty()) interior.assign(low.size(), 0);
  return x.builder().append_one(
      OpCode::pad, {x, value}, PadAttributes{std::move(low), std::move(high), std::move(interior)});
}

Value concatenate(std::span<const Value> parts, int64_t dimension) {
  return builder_of("concatenate", parts)
      .append(OpCode::concatenate, parts, ConcatenateAttributes{dimension})[0];
}

Value dynamic_slice(Value x, std::span<const Value> starts, Axes sizes) {
  return x.builder().append(OpCode::dynamic_slice, with_starts({x}, starts),
                            DynamicSliceAttributes{std::move(sizes)})[0];
}

Value dynamic_update_slice(Value x, Value update, std::span<const Value> starts) {
  return x.builder().append(OpCode::dynamic_update_slice, with_starts({x, update}, starts))[0];
}

Value gather(Value x, Value start_indices, GatherAttributes attributes) {
  return x.builder().append_one(OpCode::gather, {x, start_indices}, std::move(attributes));
}

Value scatter(Value x, Value indices, Value updates, ScatterAttributes attributes,
              std::optional<OpCode> code) {
  Builder& builder = x.builder();
  const std::vector<Type> scalars(2, Type{x.dtype(), {}});
  Block fold = code ? builder.fold_region(*code, x.dtype())
                    : builder.region(scalars, [](std::span<const Value> sides) {
                        return std::vector<Value>{sides[1]};
                      });
  std::vector<Block> regions;
  regions.push_back(std::move(fold));
  return builder.append_one(OpCode::scatter, {x, indices, updates}, std::move(attributes),
                            std::move(regions));
}

std::vector<Value> sort(std::span<const Value> arrays, SortAttributes attributes,
                        const std::function<Value(std::span<const Value>)>& comparator) {
  Builder& builder = builder_of("sort", arrays);
  std::vector<Type> scalars;
  for (const Value& array : arrays) scalars.insert(scalars.end(), 2, Type{array.dtype(), {}});
  std::vector<Block> regions;
  regions.push_back(builder.region(scalars, [&](std::span<const Value> pairs) {
    return std::vector<Value>{comparator(pairs)};
  }));
  return builder.append(OpCode::sort, arrays, attributes, std::move(regions));
}

}  // namespace ir
}  // namespace systolic::inline v0
