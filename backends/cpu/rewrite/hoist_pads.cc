#include <algorithm>

#include "backends/cpu/rewrite/narrow.h"
#include "backends/cpu/rewrite/parts.h"
#include "backends/cpu/rewrite/signs.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::Value;
using Padded = Slicer::Padded;

class Hoisting {
 public:
  Hoisting(const ir::Function& source, const Signs& signs, ir::Builder& builder, ir::ValueMap& map,
           Slicer& slicer)
      : source_(source), signs_(signs), builder_(builder), map_(map), slicer_(slicer) {}

  void run(const ir::Op& op) {
    const size_t first = builder_.block().ops.size();
    if (!hoist(op)) ir::clone_op(op, source_, builder_.function(), builder_.block(), map_);
    for (size_t i = first; i < builder_.block().ops.size(); ++i) {
      slicer_.note(builder_.block().ops[i]);
    }
  }

 private:
  // Moves one operand's padding to after the op.
  bool hoist(const ir::Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Padded* padded = slicer_.padded(map_.at(op.operands[i]));
      if (padded == nullptr || padded->inner.shape().elements() == 0) continue;
      if (keeps_zeros(op, i)) return hoist(op, i, Padded(*padded));
    }
    return false;
  }

  ir::ValueId mapped(const ir::Op& op, size_t operand) const {
    return map_.at(op.operands[operand]);
  }

  bool padded_alike(const ir::Op& op) const {
    const Padded *a = slicer_.padded(mapped(op, 0)), *b = slicer_.padded(mapped(op, 1));
    return a != nullptr && b != nullptr && a->place == b->place;
  }

  // Where this operand is 0, so is the result, or it adds nothing to it.
  bool keeps_zeros(const ir::Op& op, size_t operand) const {
    switch (op.code) {
      case OpCode::add:
      case OpCode::subtract:
        return padded_alike(op);
      case OpCode::multiply:
      case OpCode::dot_general:
      case OpCode::negate:
      case OpCode::transpose:
      case OpCode::reshape:
      case OpCode::broadcast_in_dim:
        return true;
      case OpCode::convert:
        return is_float(source_.type(op.results[0]).dtype);
      case OpCode::divide:
        return operand == 0 && signs_.not_zero(op.operands[1]);
      case OpCode::select:
        return operand != 0 && slicer_.is_zero(mapped(op, 3 - operand));
      case OpCode::reduce:
        return operand == 0 && op.operands.size() == 2 && slicer_.is_zero(mapped(op, 1)) &&
               ir::fold_op(op.regions[0]) == OpCode::add;
      default:
        return false;
    }
  }

  bool hoist(const ir::Op& op, size_t operand, const Padded& padded) {
    const auto axes = axes_in_result(source_, op, operand);
    const ir::Type& type = source_.type(op.results[0]);
    if (!axes || !is_float(type.dtype)) return false;
    Box place = whole(type.shape);
    const Shape& shape = source_.type(op.operands[operand]).shape;
    for (size_t i = 0; i < axes->size(); ++i) {
      const bool all =
          padded.place.begin[i] == 0 && padded.place.end[i] == shape[static_cast<int>(i)];
      if (all) continue;
      const int axis = (*axes)[i];
      if (axis >= 0) {
        place.begin[static_cast<size_t>(axis)] = padded.place.begin[i];
        place.end[static_cast<size_t>(axis)] = padded.place.end[i];
      } else if (op.code != OpCode::dot_general && op.code != OpCode::reduce) {
        return false;
      }
    }
    std::vector<Value> operands;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const std::optional<Box> needed = needed_of(op, operand, padded, i, place);
      if (!needed) return false;
      operands.push_back(slicer_.part(builder_.value(mapped(op, i)), *needed));
    }
    const Value inner = rebuild(builder_, op, operands, {type.dtype, place.shape()});
    map_.set(op.results[0], pad(inner, place, type).id());
    return true;
  }

  // The part of operand `i` that counts where operand `operand` is not padded.
  std::optional<Box> needed_of(const ir::Op& op, size_t operand, const Padded& padded, size_t i,
                               const Box& place) const {
    if (i == operand) return padded.place;
    const auto axes = axes_in_result(source_, op, i);
    if (!axes) return std::nullopt;
    Box needed = whole(source_.type(op.operands[i]).shape);
    for (size_t k = 0; k < axes->size(); ++k) {
      if ((*axes)[k] < 0) continue;
      const auto axis = static_cast<size_t>((*axes)[k]);
      needed.begin[k] = place.begin[axis];
      needed.end[k] = place.end[axis];
    }
    if (op.code == OpCode::dot_general) cut_summed(op, operand, padded.place, needed);
    return needed;
  }

  static void cut_summed(const ir::Op& op, size_t operand, const Box& place, Box& other) {
    const auto& dot = op.get<ir::DotAttributes>();
    const ir::Axes& left = dot.lhs_contracting_dimensions;
    const ir::Axes& right = dot.rhs_contracting_dimensions;
    for (size_t k = 0; k < left.size(); ++k) {
      const auto own = static_cast<size_t>(operand == 0 ? left[k] : right[k]);
      const auto its = static_cast<size_t>(operand == 0 ? right[k] : left[k]);
      other.begin[its] = place.begin[own];
      other.end[its] = place.end[own];
    }
  }

  Value pad(Value inner, const Box& place, const ir::Type& type) {
    if (place.is_all_of(type.shape)) return inner;
    ir::Axes low = place.begin, high = type.shape.to_vector();
    for (size_t i = 0; i < high.size(); ++i) high[i] -= place.end[i];
    const Value zero = builder_.constant(Literal::zeros(type.dtype, {}));
    const Value padded = ir::pad(inner, zero, low, high, ir::Axes(low.size(), 0));
    slicer_.note_padded(padded, {inner, place});
    return padded;
  }

  const ir::Function& source_;
  const Signs& signs_;
  ir::Builder& builder_;
  ir::ValueMap& map_;
  Slicer& slicer_;
};

}  // namespace

ir::Module hoist_pads(const ir::Module& module) {
  const auto is_pad = [](const ir::Op& op) { return op.code == OpCode::pad; };
  const std::vector<ir::Op>& ops = module.main().body.ops;
  if (module.functions.size() != 1 || std::none_of(ops.begin(), ops.end(), is_pad)) return module;
  const Signs signs(module.main());
  std::optional<Slicer> slicer;
  return rebuild_main(module, [&](ir::Builder& builder, ir::ValueMap& map, const ir::Op& op) {
    if (!slicer) slicer.emplace(builder);
    Hoisting(module.main(), signs, builder, map, *slicer).run(op);
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
