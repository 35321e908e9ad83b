#include <algorithm>

#include "backends/cpu/rewrite/narrow.h"
#include "backends/cpu/rewrite/parts.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using ir::ValueId;

// What a slice takes from its operand for a box of its result.
Box box_in_operand(const ir::Op& op, Box box) {
  const auto& slice = op.get<ir::SliceAttributes>();
  for (size_t i = 0; i < box.begin.size(); ++i) {
    box.begin[i] += slice.start_indices[i];
    box.end[i] += slice.start_indices[i];
  }
  return box;
}

bool is_plain_slice(const ir::Op& op) {
  if (op.code != OpCode::slice) return false;
  const ir::Axes& strides = op.get<ir::SliceAttributes>().strides;
  return std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 1; });
}

// Which part of each value is needed.
class Needs {
 public:
  explicit Needs(const ir::Function& function)
      : function_(function), boxes_(function.types.size()) {
    for (ValueId result : function.body.results) need(result);
    for (size_t i = function.body.ops.size(); i-- > 0;) visit(function.body.ops[i]);
    for (ValueId argument : function.body.arguments) need(argument);
  }

  // Nothing where nobody reads the value.
  const std::optional<Box>& of(ValueId value) const { return boxes_[static_cast<size_t>(value)]; }
  // What an op needs of one of its operands, for that part of its result.
  Box of_operand(const ir::Op& op, size_t operand) const {
    const Box& result = *of(op.results[0]);
    if (is_plain_slice(op)) return box_in_operand(op, result);
    const auto axes = axes_in_result(function_, op, operand);
    Box box = whole(function_.type(op.operands[operand]).shape);
    for (size_t i = 0; i < axes->size(); ++i) {
      if ((*axes)[i] < 0) continue;
      box.begin[i] = result.begin[static_cast<size_t>((*axes)[i])];
      box.end[i] = result.end[static_cast<size_t>((*axes)[i])];
    }
    return box;
  }
  // Whether parts of the op's result can be computed.
  bool can_narrow(const ir::Op& op) const {
    if (op.results.size() != 1 || op.operands.empty()) return false;
    if (is_plain_slice(op)) return true;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!axes_in_result(function_, op, i)) return false;
    }
    return true;
  }

 private:
  void need(ValueId value) { need(value, whole(function_.type(value).shape)); }
  void need(ValueId value, const Box& box) {
    std::optional<Box>& known = boxes_[static_cast<size_t>(value)];
    known = known ? hull(*known, box) : box;
  }

  void visit(const ir::Op& op) {
    if (!can_narrow(op)) {
      for (ValueId value : ir::values_read(op)) need(value);
      for (ValueId result : op.results) need(result);
      return;
    }
    std::optional<Box>& result = boxes_[static_cast<size_t>(op.results[0])];
    if (!result) return;
    widen(op, *result);
    for (size_t i = 0; i < op.operands.size(); ++i) need(op.operands[i], of_operand(op, i));
  }

  // A reshape computes whole those axes that no axis of its operand corresponds to.
  void widen(const ir::Op& op, Box& box) const {
    if (op.code != OpCode::reshape) return;
    const auto axes = axes_in_result(function_, op, 0);
    const Shape& shape = function_.type(op.results[0]).shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (std::find(axes->begin(), axes->end(), axis) != axes->end()) continue;
      box.begin[static_cast<size_t>(axis)] = 0;
      box.end[static_cast<size_t>(axis)] = shape[axis];
    }
  }

  const ir::Function& function_;
  std::vector<std::optional<Box>> boxes_;
};

class Narrowing {
 public:
  Narrowing(const ir::Function& source, const Needs& needs, ir::Builder& builder, ir::ValueMap& map,
            Slicer& slicer)
      : source_(source), needs_(needs), builder_(builder), map_(map), slicer_(slicer) {}

  void run(const ir::Op& op) {
    const size_t first = builder_.block().ops.size();
    if (!needs_.can_narrow(op)) {
      ir::clone_op(op, source_, builder_.function(), builder_.block(), map_);
    } else if (needs_.of(op.results[0])) {
      map_.set(op.results[0], narrowed(op).id());
    }
    for (size_t i = first; i < builder_.block().ops.size(); ++i) {
      slicer_.note(builder_.block().ops[i]);
    }
  }

 private:
  Value narrowed(const ir::Op& op) {
    std::vector<Value> operands;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      operands.push_back(part(op.operands[i], needs_.of_operand(op, i)));
    }
    if (is_plain_slice(op)) return operands[0];
    const ir::Type& type = source_.type(op.results[0]);
    return rebuild(builder_, op, operands, {type.dtype, needs_.of(op.results[0])->shape()});
  }

  // A part of a value that may itself be there in part only.
  Value part(ValueId value, Box box) {
    if (const std::optional<Box>& there = needs_.of(value)) {
      for (size_t i = 0; i < box.begin.size(); ++i) {
        box.begin[i] -= there->begin[i];
        box.end[i] -= there->begin[i];
      }
    }
    return slicer_.part(builder_.value(map_.at(value)), box);
  }

  const ir::Function& source_;
  const Needs& needs_;
  ir::Builder& builder_;
  ir::ValueMap& map_;
  Slicer& slicer_;
};

}  // namespace

ir::Module narrow_values(const ir::Module& module) {
  const std::vector<ir::Op>& ops = module.main().body.ops;
  if (module.functions.size() != 1 || std::none_of(ops.begin(), ops.end(), is_plain_slice)) {
    return module;
  }
  const Needs needs(module.main());
  std::optional<Slicer> slicer;
  return rebuild_main(module, [&](ir::Builder& builder, ir::ValueMap& map, const ir::Op& op) {
    if (!slicer) slicer.emplace(builder);
    Narrowing(module.main(), needs, builder, map, *slicer).run(op);
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
