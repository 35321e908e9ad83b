// Appends ops to a block. Every op is checked and its type inferred at once (infer.h), and takes
// the builder's current source location and layer path.
//
//   ir::Module module = ...; Builder b(module.main());
//   Value x = b.argument({DType::f32, {8, 784}});
//   Value y = binary(OpCode::maximum, x, b.filled_like(x, 0));
//   b.result(y);
//
// A Value is an index together with its builder, so that rules read like formulas (autodiff, passes
// and trace use them).
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

class Builder;

class Value {
 public:
  Value() = default;
  Value(Builder& builder, ValueId id) : builder_(&builder), id_(id) {}
  ValueId id() const { return id_; }
  Builder& builder() const { return *builder_; }
  bool valid() const { return builder_ != nullptr; }
  // Returns a copy: the table of types moves when an op is appended, as in broadcast_to(f(x),
  // x.shape()).
  Type type() const { return entry(); }
  Shape shape() const { return entry().shape; }
  DType dtype() const { return entry().dtype; }
  int rank() const { return entry().shape.rank(); }

 private:
  const Type& entry() const;

  Builder* builder_ = nullptr;
  ValueId id_ = no_value;
};

class Builder {
 public:
  explicit Builder(Function& function, const Module* module = nullptr)
      : function_(&function), block_(&function.body), module_(module) {}

  Function& function() const { return *function_; }
  Block& block() const { return *block_; }
  // The module whose functions calls may name; null when none was given.
  const Module* module() const { return module_; }

  Value argument(Type type, Parameter parameter = {});
  void result(Value value, Parameter parameter = {});
  Value value(ValueId id) { return {*this, id}; }
  const Type& type(ValueId id) const { return function_->type(id); }

  // The general form. `requested` is needed for ops whose type is not implied (see infer.h).
  std::vector<Value> append(OpCode code, std::span<const Value> operands,
                            Attributes attributes = {}, std::vector<Block> regions = {},
                            std::vector<Type> requested = {});
  Value append_one(OpCode code, std::initializer_list<Value> operands, Attributes attributes = {},
                   std::vector<Block> regions = {}, std::vector<Type> requested = {});

  Value constant(Literal literal);
  // A constant of `shape` with every element `number`: a scalar constant, broadcast.
  Value filled(DType dtype, const Shape& shape, double number);
  Value filled_like(Value like, double number);
  Value iota(Type type, int64_t dimension);

  // Builds a region: arguments of `types`, ops appended by `body` while the builder points into it,
  // results returned.
  Block region(std::span<const Type> types,
               const std::function<std::vector<Value>(std::span<const Value>)>& body);
  // Ops that `body` appends go into `block`, one of those around the region that is being built.
  void within(Block& block, const std::function<void()>& body);
  // The region that folds two scalars with one op: reduce's, all_reduce's and scatter's usual body.
  Block fold_region(OpCode code, DType dtype);

  SourceLocation location;
  const char* layer_path = "";

 private:
  void check_own(OpCode code, std::span<const Value> operands) const;
  const Op& append_op(OpCode code, std::span<const Value> operands, Attributes attributes,
                      std::vector<Block> regions, std::span<const Type> requested);

  Function* function_;
  Block* block_;
  const Module* module_;
};

// Elementwise ops. Binary ones need equal shapes and types; a number next to a Value becomes a
// constant of its type and shape.
Value unary(OpCode code, Value x);
Value binary(OpCode code, Value a, Value b);
// clang-format off
inline Value operator+(Value a, Value b) { return binary(OpCode::add, a, b); }
inline Value operator-(Value a, Value b) { return binary(OpCode::subtract, a, b); }
inline Value operator*(Value a, Value b) { return binary(OpCode::multiply, a, b); }
inline Value operator/(Value a, Value b) { return binary(OpCode::divide, a, b); }
inline Value operator-(Value x) { return unary(OpCode::negate, x); }
// clang-format on
Value operator+(Value a, double b);
Value operator-(Value a, double b);
Value operator*(Value a, double b);
Value operator/(Value a, double b);
Value operator-(double a, Value b);
Value operator*(double a, Value b);
Value operator/(double a, Value b);
Value operator+(double a, Value b);

Value compare(Value a, Value b, Direction direction);
Value compare(Value a, double b, Direction direction);
Value select(Value predicate, Value on_true, Value on_false);
Value clamp(Value low, Value x, Value high);
Value convert(Value x, DType dtype);
Value bitcast_convert(Value x, Type type);

// Movement.
Value reshape(Value x, const Shape& shape);
Value transpose(Value x, Axes permutation);
Value reverse(Value x, Axes axes);
// Operand axis i becomes result axis dimensions[i].
Value broadcast_in_dim(Value x, const Shape& shape, Axes dimensions);
// A scalar to any shape; other shapes NumPy-like, aligned at the last axis.
Value broadcast_to(Value x, const Shape& shape);
Value slice(Value x, Axes start, Axes limit, Axes strides = {});
Value pad(Value x, Value value, Axes low, Axes high, Axes interior = {});
Value concatenate(std::span<const Value> parts, int64_t dimension);
Value dynamic_slice(Value x, std::span<const Value> starts, Axes sizes);
Value dynamic_update_slice(Value x, Value update, std::span<const Value> starts);
Value gather(Value x, Value start_indices, GatherAttributes attributes);
// One array, combined with `code` (add for gradients) or, with no code, replaced by the update.
Value scatter(Value x, Value indices, Value updates, ScatterAttributes attributes,
              std::optional<OpCode> code);
std::vector<Value> sort(std::span<const Value> arrays, SortAttributes attributes,
                        const std::function<Value(std::span<const Value>)>& comparator);

// Contractions and folds.
Value dot_general(Value a, Value b, DotAttributes attributes, DType result = DType::token);
// [m, k] x [k, n]
Value dot(Value a, Value b);
Value convolution(Value input, Value kernel, ConvolutionAttributes attributes);
// Reduces the axes with add, maximum, minimum, multiply, and, or; the axes disappear.
Value reduce(Value x, OpCode code, Axes axes);
Value reduce_sum(Value x, Axes axes);
Value reduce_max(Value x, Axes axes);
Value reduce_window(Value x, OpCode code, WindowAttributes attributes);
Value select_and_scatter(Value x, Value source, WindowAttributes attributes);
// The value that leaves `code` unchanged: 0 for add, -inf or the lowest integer for maximum, ...
Literal fold_identity(OpCode code, DType dtype);

// Random bits: (new state, bits).
std::pair<Value, Value> rng_bit_generator(Value state, Type bits, RngAlgorithm algorithm);

// Control. Branches and bodies may use any value of the enclosing blocks.
std::vector<Value> while_loop(
    std::span<const Value> initial, const std::function<Value(std::span<const Value>)>& condition,
    const std::function<std::vector<Value>(std::span<const Value>)>& body);
std::vector<Value> if_else(Value predicate, const std::function<std::vector<Value>()>& on_true,
                           const std::function<std::vector<Value>()>& on_false);
std::vector<Value> switch_case(Value index,
                               std::span<const std::function<std::vector<Value>()>> branches);
std::vector<Value> optimization_barrier(std::span<const Value> values);

// Between cores.
Value all_reduce(Value x, OpCode code, CollectiveAttributes attributes = {});
Value all_gather(Value x, int64_t dimension, int64_t group_size,
                 CollectiveAttributes attributes = {});
Value reduce_scatter(Value x, OpCode code, int64_t dimension, int64_t group_size,
                     CollectiveAttributes attributes = {});
Value all_to_all(Value x, AllToAllAttributes attributes);
Value collective_permute(Value x, PermuteAttributes attributes);
Value replica_id(Builder& builder);
Value partition_id(Builder& builder);

}  // namespace ir
}  // namespace systolic::inline v0
