// Folds over axes and windows of each core.
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;

namespace {

void fold_stacked(Stacker& s, const Op& op, ir::Attributes attributes) {
  const size_t count = op.operands.size() / 2;
  const std::span<const ir::ValueId> operands = op.operands;
  std::vector<Value> arguments = s.get_all_stacked(operands.first(count));
  for (ir::ValueId initial : operands.subspan(count)) arguments.push_back(s.get(initial));
  const std::vector<Value> results =
      s.builder().append(op.code, arguments, std::move(attributes), s.copy_regions(op));
  for (size_t i = 0; i < results.size(); ++i) s.set(op.results[i], results[i], true);
}

ir::WindowAttributes with_core_axis(ir::WindowAttributes a) {
  for (ir::Axes* axes :
       {&a.window_dimensions, &a.window_strides, &a.base_dilations, &a.window_dilations}) {
    if (!axes->empty()) axes->insert(axes->begin(), 1);
  }
  // A scalar's window is empty in all of them.
  if (a.window_dimensions.empty()) {
    a.window_dimensions = a.window_strides = a.base_dilations = a.window_dilations = {1};
  }
  a.padding.insert(a.padding.begin(), {0, 0});
  return a;
}

}  // namespace

void stack_reduce(Stacker& s, const Op& op) {
  const std::span<const ir::ValueId> operands = op.operands;
  if (s.any_stacked(operands.subspan(op.operands.size() / 2))) return s.unroll(op);
  fold_stacked(s, op, ir::AxesAttributes{shifted(op.get<ir::AxesAttributes>().axes)});
}

// reduce_window and select_and_scatter.
void stack_window(Stacker& s, const Op& op) {
  const std::span<const ir::ValueId> operands = op.operands;
  const bool folds = op.code == OpCode::reduce_window;
  const size_t arrays = folds ? op.operands.size() / 2 : 2;
  if (s.any_stacked(operands.subspan(arrays))) return s.unroll(op);
  const ir::WindowAttributes a = with_core_axis(op.get<ir::WindowAttributes>());
  if (folds) return fold_stacked(s, op, a);
  std::vector<Value> arguments = s.get_all_stacked(operands.first(2));
  arguments.push_back(s.get(operands[2]));
  s.set(op.results[0], s.builder().append(op.code, arguments, a, s.copy_regions(op))[0], true);
}

}  // namespace passes
}  // namespace systolic::inline v0
