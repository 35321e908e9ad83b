#include "systolic/ir/builder/builder.h"

#include <array>

#include "systolic/base/error.h"
#include "systolic/ir/infer/infer.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// The operands' types side by side, without an allocation for the usual few.
class OperandTypes {
 public:
  OperandTypes(const Function& function, std::span<const Value> operands) : size_(operands.size()) {
    Type* types = few_.data();
    if (size_ > few_.size()) {
      many_.resize(size_);
      types = many_.data();
    }
    for (size_t i = 0; i < size_; ++i) types[i] = function.type(operands[i].id());
  }
  std::span<const Type> get() const {
    return {size_ > few_.size() ? many_.data() : few_.data(), size_};
  }

 private:
  size_t size_;
  std::array<Type, 3> few_;
  std::vector<Type> many_;
};

// Puts a builder's block back, also when the body of a region throws.
class BlockScope {
 public:
  BlockScope(Block*& current, Block& block) : current_(current), previous_(current) {
    current = &block;
  }
  ~BlockScope() { current_ = previous_; }
  BlockScope(const BlockScope&) = delete;
  BlockScope& operator=(const BlockScope&) = delete;

 private:
  Block*& current_;
  Block* previous_;
};

}  // namespace

const Type& Value::entry() const { return builder_->function().type(id_); }

Value Builder::argument(Type type, Parameter parameter) {
  return value(function_->add_argument(std::move(type), std::move(parameter)));
}

void Builder::result(Value value, Parameter parameter) {
  check_own(OpCode::call, {&value, 1});
  function_->add_result(value.id(), std::move(parameter));
}

void Builder::check_own(OpCode code, std::span<const Value> operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].valid() && &operands[i].builder().function() == function_) continue;
    raise<InvalidArgument>(
        {.what = str(info(code).name, ": operand ", i,
                     operands[i].valid() ? " belongs to another function" : " is an empty Value"),
         .wanted = str("a value of function '", function_->name, "'"),
         .location = location});
  }
}

const Op& Builder::append_op(OpCode code, std::span<const Value> operands, Attributes attributes,
                             std::vector<Block> regions, std::span<const Type> requested) {
  check_own(code, operands);
  const OperandTypes types(*function_, operands);
  std::vector<Type> results = infer_types({.code = code,
                                           .operands = types.get(),
                                           .attributes = attributes,
                                           .function = function_,
                                           .regions = regions,
                                           .requested = requested,
                                           .module = module_,
                                           .location = location});
  Op& op = block_->ops.emplace_back();
  op.code = code;
  op.operands.reserve(operands.size());
  for (const Value& operand : operands) op.operands.push_back(operand.id());
  op.results.reserve(results.size());
  for (Type& type : results) op.results.push_back(function_->new_value(std::move(type)));
  op.attributes = std::move(attributes);
  op.regions = std::move(regions);
  op.location = location;
  op.layer_path = layer_path;
  return op;
}

std::vector<Value> Builder::append(OpCode code, std::span<const Value> operands,
                                   Attributes attributes, std::vector<Block> regions,
                                   std::vector<Type> requested) {
  const Op& op = append_op(code, operands, std::move(attributes), std::move(regions), requested);
  std::vector<Value> results;
  results.reserve(op.results.size());
  for (ValueId id : op.results) results.push_back(value(id));
  return results;
}

Value Builder::append_one(OpCode code, std::initializer_list<Value> operands, Attributes attributes,
                          std::vector<Block> regions, std::vector<Type> requested) {
  const Op& op = append_op(code, {operands.begin(), operands.size()}, std::move(attributes),
                           std::move(regions), requested);
  return value(op.results[0]);
}

Value Builder::constant(Literal literal) {
  return append_one(OpCode::constant, {}, ConstantAttributes{std::move(literal)});
}

Value Builder::filled(DType dtype, const Shape& shape, double number) {
  const Shape kept = shape;  // `shape` may stand in the table of types, which grows here
  const Value scalar = constant(Literal::filled(dtype, {}, number));
  return kept.rank() == 0 ? scalar : broadcast_in_dim(scalar, kept, {});
}

Value Builder::filled_like(Value like, double number) {
  const Type type = like.type();
  return filled(type.dtype, type.shape, number);
}

Value Builder::iota(Type type, int64_t dimension) {
  return append_one(OpCode::iota, {}, IotaAttributes{dimension}, {}, {std::move(type)});
}

Block Builder::region(std::span<const Type> types,
                      const std::function<std::vector<Value>(std::span<const Value>)>& body) {
  Block block;
  std::vector<Value> arguments;
  for (const Type& type : types) {
    block.arguments.push_back(function_->new_value(type));
    arguments.push_back(value(block.arguments.back()));
  }
  const BlockScope scope(block_, block);
  for (const Value& result : body(arguments)) {
    check_own(OpCode::call, {&result, 1});
    block.results.push_back(result.id());
  }
  return block;
}

void Builder::within(Block& block, const std::function<void()>& body) {
  const BlockScope scope(block_, block);
  body();
}

Block Builder::fold_region(OpCode code, DType dtype) {
  const std::array<Type, 2> scalars{Type{dtype, {}}, Type{dtype, {}}};
  return region(scalars, [&](std::span<const Value> sides) {
    return std::vector<Value>{binary(code, sides[0], sides[1])};
  });
}

}  // namespace ir
}  // namespace systolic::inline v0
