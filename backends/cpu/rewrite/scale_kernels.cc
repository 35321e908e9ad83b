#include "backends/cpu/rewrite/scale_kernels.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "backends/cpu/rewrite/parts.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using ir::ValueId;

// What is known of the values of a function: the op that makes each, how many ops and results read
// it, and whether it is computed from parameters alone.
class Origins {
 public:
  explicit Origins(const ir::Function& function)
      : makers_(function.types.size()),
        readers_(function.types.size()),
        prepared_(function.types.size()) {
    note_parameters(function);
    for (const ir::Op& op : function.body.ops) note(op);
    for (ValueId result : function.body.results) ++readers_[index(result)];
  }

  // The op that makes the value, if it has this code.
  const ir::Op* maker(ValueId value, OpCode code) const {
    const ir::Op* op = makers_[index(value)];
    return op != nullptr && op->code == code ? op : nullptr;
  }
  bool has_one_reader(ValueId value) const { return readers_[index(value)] == 1; }
  bool is_prepared(ValueId value) const { return prepared_[index(value)]; }

 private:
  static size_t index(ValueId value) { return static_cast<size_t>(value); }

  void note_parameters(const ir::Function& function) {
    const auto& arguments = function.body.arguments;
    for (size_t i = 0; i < std::min(arguments.size(), function.arguments.size()); ++i) {
      const ir::Parameter& argument = function.arguments[i];
      prepared_[index(arguments[i])] =
          argument.role == ir::Role::parameter && !argument.aliases_result;
    }
  }

  // The same whenever its operands are.
  static bool is_plain(OpCode code) {
    switch (code) {
      case OpCode::broadcast_in_dim:
      case OpCode::constant:
      case OpCode::reshape:
      case OpCode::reverse:
      case OpCode::transpose:
        return true;
      default:
        return ir::is_elementwise(code);
    }
  }

  void note(const ir::Op& op) {
    const bool prepared =
        is_plain(op.code) && std::all_of(op.operands.begin(), op.operands.end(),
                                         [&](ValueId value) { return is_prepared(value); });
    for (ValueId result : op.results) {
      makers_[index(result)] = &op;
      prepared_[index(result)] = prepared;
    }
    count_reads(op);
  }

  void count_reads(const ir::Op& op) {
    for (ValueId value : op.operands) ++readers_[index(value)];
    for (const ir::Block& region : op.regions) {
      for (const ir::Op& inner : region.ops) count_reads(inner);
      for (ValueId value : region.results) ++readers_[index(value)];
    }
  }

  std::vector<const ir::Op*> makers_;
  std::vector<int> readers_;
  std::vector<bool> prepared_;
};

class ScaleKernels {
 public:
  explicit ScaleKernels(const ir::Function& source) : source_(source), origins_(source) {}

  // Appends the op, or what stands for it.
  void operator()(ir::Builder& builder, ir::ValueMap& map, const ir::Op& op) const {
    builder.location = op.location;
    builder.layer_path = op.layer_path;
    if (op.code == OpCode::multiply) {
      for (size_t i : {size_t{0}, size_t{1}}) {
        if (fold(builder, map, op, op.operands[i], op.operands[1 - i])) return;
      }
    }
    ir::clone_op(op, source_, builder.function(), builder.block(), map);
  }

 private:
  // One number for each channel, repeated along all other axes of the result.
  struct PerChannel {
    ValueId numbers;  // the channels in one axis, all others of size 1
  };

  std::optional<PerChannel> per_channel(ValueId value, int64_t axis) const {
    const ir::Op* op = origins_.maker(value, OpCode::broadcast_in_dim);
    if (op == nullptr || !origins_.is_prepared(op->operands[0])) return std::nullopt;
    const Shape& from = source_.type(op->operands[0]).shape;
    const Shape& to = source_.type(value).shape;
    if (from.elements() != to[static_cast<int>(axis)]) return std::nullopt;
    const auto& dimensions = op->get<ir::BroadcastAttributes>().dimensions;
    for (int i = 0; i < from.rank(); ++i) {
      if (from[i] != 1 && dimensions[static_cast<size_t>(i)] != axis) return std::nullopt;
    }
    return PerChannel{op->operands[0]};
  }

  // `factor` times `scaled`, a convolution or the sum of one and an offset for each channel.
  bool fold(ir::Builder& builder, ir::ValueMap& map, const ir::Op& op, ValueId scaled,
            ValueId factor) const {
    const ir::Op* sum = origins_.maker(scaled, OpCode::add);
    if (sum == nullptr) {
      const std::optional<Value> product = convolved(builder, map, scaled, factor);
      if (product) map.set(op.results[0], product->id());
      return product.has_value();
    }
    if (!origins_.has_one_reader(scaled)) return false;
    for (size_t i : {size_t{0}, size_t{1}}) {
      if (fold_sum(builder, map, op, sum->operands[i], sum->operands[1 - i], factor)) return true;
    }
    return false;
  }

  bool fold_sum(ir::Builder& builder, ir::ValueMap& map, const ir::Op& op, ValueId convolution,
                ValueId offset, ValueId factor) const {
    const ir::Op* convolve = origins_.maker(convolution, OpCode::convolution);
    if (convolve == nullptr) return false;
    const int64_t axis = convolve->get<ir::ConvolutionAttributes>().output_feature_dimension;
    const auto added = per_channel(offset, axis), scale = per_channel(factor, axis);
    if (!added || !scale) return false;
    const std::optional<Value> product = convolved(builder, map, convolution, factor);
    if (!product) return false;
    const Shape channels{product->shape()[static_cast<int>(axis)]};
    const auto flat = [&](const PerChannel& one) {
      return ir::reshape(builder.value(map.at(one.numbers)), channels);
    };
    const Value moved = ir::broadcast_in_dim(flat(*added) * flat(*scale), product->shape(), {axis});
    map.set(op.results[0], (*product + moved).id());
    return true;
  }

  // The convolution with a kernel that is multiplied by the factor.
  std::optional<Value> convolved(ir::Builder& builder, ir::ValueMap& map, ValueId convolution,
                                 ValueId factor) const {
    const ir::Op* op = origins_.maker(convolution, OpCode::convolution);
    if (op == nullptr || !origins_.has_one_reader(convolution)) return std::nullopt;
    const auto& attributes = op->get<ir::ConvolutionAttributes>();
    const auto scale = per_channel(factor, attributes.output_feature_dimension);
    if (!scale || !origins_.is_prepared(op->operands[1]) || !has_one_type(*op)) return std::nullopt;
    const Value kernel = builder.value(map.at(op->operands[1]));
    const int64_t channels = attributes.kernel_output_feature_dimension;
    const Value flat = ir::reshape(builder.value(map.at(scale->numbers)),
                                   Shape{kernel.shape()[static_cast<int>(channels)]});
    return ir::convolution(builder.value(map.at(op->operands[0])),
                           kernel * ir::broadcast_in_dim(flat, kernel.shape(), {channels}),
                           attributes);
  }

  bool has_one_type(const ir::Op& op) const {
    const DType dtype = source_.type(op.results[0]).dtype;
    return (dtype == DType::f32 || dtype == DType::f64) &&
           source_.type(op.operands[1]).dtype == dtype;
  }

  const ir::Function& source_;
  Origins origins_;
};

}  // namespace

ir::Module scale_kernels(const ir::Module& module) {
  return rebuild_main(module, ScaleKernels(module.main()));
}

}  // namespace cpu
}  // namespace systolic::inline v0
