#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

using Branch = std::function<std::vector<Value>()>;

Builder& builder_of(std::string_view op, std::span<const Value> values) {
  if (values.empty() || !values[0].valid()) {
    raise<InvalidArgument>({.what = str(op, ": there are no values"), .wanted = "at least one"});
  }
  return values[0].builder();
}

Block branch_region(Builder& builder, const Branch& branch) {
  return builder.region({}, [&](std::span<const Value>) { return branch(); });
}

}  // namespace

std::vector<Value> while_loop(
    std::span<const Value> initial, const std::function<Value(std::span<const Value>)>& condition,
    const std::function<std::vector<Value>(std::span<const Value>)>& body) {
  Builder& builder = builder_of("while", initial);
  std::vector<Type> types;
  for (const Value& value : initial) types.push_back(value.type());
  std::vector<Block> regions;
  regions.push_back(builder.region(
      types, [&](std::span<const Value> state) { return std::vector<Value>{condition(state)}; }));
  regions.push_back(builder.region(types, body));
  return builder.append(OpCode::while_, initial, {}, std::move(regions));
}

std::vector<Value> if_else(Value predicate, const Branch& on_true, const Branch& on_false) {
  Builder& builder = predicate.builder();
  std::vector<Block> regions;
  regions.push_back(branch_region(builder, on_true));
  regions.push_back(branch_region(builder, on_false));
  return builder.append(OpCode::if_, {&predicate, 1}, {}, std::move(regions));
}

std::vector<Value> switch_case(Value index, std::span<const Branch> branches) {
  Builder& builder = index.builder();
  std::vector<Block> regions;
  for (const Branch& branch : branches) regions.push_back(branch_region(builder, branch));
  return builder.append(OpCode::case_, {&index, 1}, {}, std::move(regions));
}

std::vector<Value> optimization_barrier(std::span<const Value> values) {
  return builder_of("optimization_barrier", values).append(OpCode::optimization_barrier, values);
}

}  // namespace ir
}  // namespace systolic::inline v0
