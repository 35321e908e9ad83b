#include "backends/cpu/rewrite/channels_last.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "backends/cpu/rewrite/parts.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::Axes;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

int64_t& at(Axes& axes, int64_t i) { return axes[static_cast<size_t>(i)]; }
int64_t at(const Axes& axes, int64_t i) { return axes[static_cast<size_t>(i)]; }

bool is_counting(const Axes& order) { return std::is_sorted(order.begin(), order.end()); }

Axes inverse(const Axes& order) {
  Axes result(order.size());
  for (size_t i = 0; i < order.size(); ++i) at(result, order[i]) = static_cast<int64_t>(i);
  return result;
}

// What is given for each axis, in the order of the turned value; nothing stays nothing.
template <class List>
List turned_list(const List& list, const Axes& order) {
  List result = list;
  for (size_t i = 0; i < list.size(); ++i) result[static_cast<size_t>(order[i])] = list[i];
  return result;
}

Axes turned_axes(const Axes& axes, const Axes& order) {
  Axes result;
  for (int64_t axis : axes) result.push_back(at(order, axis));
  return result;
}

int64_t product(const Shape& shape, const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [&](int64_t size, int64_t axis) {
    return size * shape[static_cast<int>(axis)];
  });
}

// Where a convolution's result has its axes when they lie as batch, image, channels. A kernel's
// gradient stays as it is: the optimizer reads it, in the kernel's own order.
Axes wanted_order(const ir::Function& function, const ir::Op& op) {
  const auto& a = op.get<ir::ConvolutionAttributes>();
  Axes order(a.output_spatial_dimensions.size() + 2);
  std::iota(order.begin(), order.end(), 0);
  const int64_t window = product(function.type(op.operands[1]).shape, a.kernel_spatial_dimensions);
  const int64_t image = product(function.type(op.results[0]).shape, a.output_spatial_dimensions);
  const bool known = order.size() == 3 || order.size() == 4;  // others have no kernel
  if (!known || window > image) return order;
  at(order, a.output_batch_dimension) = 0;
  int64_t next = 1;
  for (int64_t axis : a.output_spatial_dimensions) at(order, axis) = next++;
  at(order, a.output_feature_dimension) = next;
  return order;
}

// Whether the elements of a window follow each other as before: of equal ones the first is chosen.
bool keeps_window_order(const Axes& window, const Axes& order) {
  Axes places;
  for (size_t axis = 0; axis < window.size(); ++axis) {
    if (window[axis] != 1) places.push_back(order[axis]);
  }
  return std::is_sorted(places.begin(), places.end());
}

class Turning {
 public:
  Turning(const ir::Function& source, ir::Builder& builder, ir::ValueMap& map)
      : source_(source), builder_(builder), map_(map) {}

  void run(const ir::Op& op) {
    builder_.location = op.location;
    builder_.layer_path = op.layer_path;
    if (!turn(op)) clone(op);
    const ir::Op& last = builder_.block().ops.back();
    if (last.code == OpCode::broadcast_in_dim && op.code == OpCode::broadcast_in_dim) {
      broadcasts_[last.results[0]] = {last.operands[0],
                                      last.get<ir::BroadcastAttributes>().dimensions};
    }
  }

 private:
  // Axis i of the program's value is axis order[i] of `value`.
  struct Turned {
    ValueId value = ir::no_value;
    Axes order;
  };
  struct Broadcast {
    ValueId operand = ir::no_value;
    Axes dimensions;
  };

  bool turn(const ir::Op& op) {
    if (op.results.size() != 1) return false;
    switch (op.code) {
      case OpCode::convolution:
        return turn_convolution(op);
      case OpCode::reduce_window:
      case OpCode::select_and_scatter:
        return turn_window(op);
      case OpCode::reduce:
        return turn_reduce(op);
      default:
        return ir::is_elementwise(op.code) && turn_elementwise(op);
    }
  }

  ValueId operand(const ir::Op& op, size_t i) const { return map_.at(op.operands[i]); }

  const Turned* turned(const ir::Op& op, size_t i) const {
    const auto found = turned_.find(operand(op, i));
    return found == turned_.end() ? nullptr : &found->second;
  }

  ir::Op& clone(const ir::Op& op) {
    ir::clone_op(op, source_, builder_.function(), builder_.block(), map_);
    return builder_.block().ops.back();
  }

  // The op on other operands, whose result lies as `order` says.
  ir::Op& append(const ir::Op& op, std::vector<ValueId> operands, const Axes& order) {
    const size_t index = builder_.block().ops.size();
    ir::Op& copy = clone(op);
    copy.operands = std::move(operands);
    if (is_counting(order)) return copy;
    const ValueId result = copy.results[0];
    Shape& shape = builder_.function().types[static_cast<size_t>(result)].shape;
    shape = Shape(turned_list(shape.to_vector(), order));
    const ValueId as_written = ir::transpose(builder_.value(result), order).id();
    map_.set(op.results[0], as_written);
    turned_[as_written] = {result, order};
    return builder_.block().ops[index];
  }

  // The value with its axes in this order.
  ValueId in_order(ValueId value, const Axes& order) {
    const auto found = turned_.find(value);
    if (found != turned_.end() && found->second.order == order) return found->second.value;
    const auto broadcast = broadcasts_.find(value);
    if (broadcast != broadcasts_.end() && broadcast->second.dimensions.size() <= 1) {
      const Shape shape(turned_list(builder_.type(value).shape.to_vector(), order));
      return ir::broadcast_in_dim(builder_.value(broadcast->second.operand), shape,
                                  turned_axes(broadcast->second.dimensions, order))
          .id();
    }
    return ir::transpose(builder_.value(value), inverse(order)).id();
  }

  // The operands are read as they lie.
  bool turn_convolution(const ir::Op& op) {
    const Axes order = wanted_order(source_, op);
    ir::ConvolutionAttributes a = op.get<ir::ConvolutionAttributes>();
    std::vector<ValueId> operands{operand(op, 0), operand(op, 1)};
    if (const Turned* input = turned(op, 0)) {
      operands[0] = input->value;
      a.input_batch_dimension = at(input->order, a.input_batch_dimension);
      a.input_feature_dimension = at(input->order, a.input_feature_dimension);
      a.input_spatial_dimensions = turned_axes(a.input_spatial_dimensions, input->order);
    }
    if (const Turned* kernel = turned(op, 1)) {
      operands[1] = kernel->value;
      a.kernel_input_feature_dimension = at(kernel->order, a.kernel_input_feature_dimension);
      a.kernel_output_feature_dimension = at(kernel->order, a.kernel_output_feature_dimension);
      a.kernel_spatial_dimensions = turned_axes(a.kernel_spatial_dimensions, kernel->order);
    }
    a.output_batch_dimension = at(order, a.output_batch_dimension);
    a.output_feature_dimension = at(order, a.output_feature_dimension);
    a.output_spatial_dimensions = turned_axes(a.output_spatial_dimensions, order);
    append(op, std::move(operands), order).get<ir::ConvolutionAttributes>() = std::move(a);
    return true;
  }

  bool turn_elementwise(const ir::Op& op) {
    const Shape& shape = source_.type(op.results[0]).shape;
    const auto whole = [&](size_t i) { return source_.type(op.operands[i]).shape == shape; };
    std::optional<Axes> order;
    for (size_t i = 0; i < op.operands.size() && !order; ++i) {
      if (const Turned* found = turned(op, i); found != nullptr && whole(i)) order = found->order;
    }
    if (!order) return false;
    std::vector<ValueId> operands;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      operands.push_back(whole(i) ? in_order(operand(op, i), *order) : operand(op, i));
    }
    append(op, std::move(operands), *order);
    return true;
  }

  // Pooling computes many channels at once, where they are enough.
  bool turn_window(const ir::Op& op) {
    constexpr int64_t enough = 16;
    const Turned* image = turned(op, 0);
    const bool scatters = op.code == OpCode::select_and_scatter;
    if (image == nullptr || op.operands.size() != (scatters ? 3 : 2)) return false;
    const Axes order = image->order;
    ir::WindowAttributes a = op.get<ir::WindowAttributes>();
    if (!keeps_window_order(a.window_dimensions, order)) return false;
    a.window_dimensions = turned_list(a.window_dimensions, order);
    a.window_strides = turned_list(a.window_strides, order);
    a.base_dilations = turned_list(a.base_dilations, order);
    a.window_dilations = turned_list(a.window_dilations, order);
    a.padding = turned_list(a.padding, order);
    const Shape& shape = builder_.type(image->value).shape;
    if (shape[-1] < enough || a.window_dimensions.back() != 1) return false;
    std::vector<ValueId> operands{image->value};
    if (scatters) operands.push_back(in_order(operand(op, 1), order));
    operands.push_back(operand(op, scatters ? 2 : 1));
    append(op, std::move(operands), order).get<ir::WindowAttributes>() = std::move(a);
    return true;
  }

  bool turn_reduce(const ir::Op& op) {
    const Turned* array = turned(op, 0);
    if (array == nullptr || op.operands.size() != 2) return false;
    const Axes order = array->order;
    Axes axes = turned_axes(op.get<ir::AxesAttributes>().axes, order);
    Axes left;  // of the turned array, in the order of the program's result
    for (int64_t axis : order) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) left.push_back(axis);
    }
    Axes result_order;
    for (int64_t axis : left) {
      result_order.push_back(
          std::count_if(left.begin(), left.end(), [&](int64_t other) { return other < axis; }));
    }
    std::sort(axes.begin(), axes.end());
    append(op, {array->value, operand(op, 1)}, result_order).get<ir::AxesAttributes>().axes =
        std::move(axes);
    return true;
  }

  const ir::Function& source_;
  ir::Builder& builder_;
  ir::ValueMap& map_;
  std::unordered_map<ValueId, Turned> turned_;         // by the value as the program has it
  std::unordered_map<ValueId, Broadcast> broadcasts_;  // by their results
};

}  // namespace

ir::Module put_channels_last(const ir::Module& module) {
  const std::vector<ir::Op>& ops = module.main().body.ops;
  const bool wanted = std::any_of(ops.begin(), ops.end(), [&](const ir::Op& op) {
    return op.code == OpCode::convolution && !is_counting(wanted_order(module.main(), op));
  });
  if (module.functions.size() != 1 || !wanted) return module;
  std::optional<Turning> turning;
  return rebuild_main(module, [&](ir::Builder& builder, ir::ValueMap& map, const ir::Op& op) {
    if (!turning) turning.emplace(module.main(), builder, map);
    turning->run(op);
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
