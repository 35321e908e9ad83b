// Gradients of reduce_window and select_and_scatter: pooling, running sums and maxima.
#include "systolic/ir/window.h"

#include <algorithm>

#include "systolic/autodiff/rules/contraction.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::Block;
using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Type;
using ir::Value;
using ir::WindowAttributes;

namespace {

bool all_ones(const Axes& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) { return number == 1; });
}

// Whether the windows lie side by side and cover the array exactly: pooling as networks have it.
bool windows_tile(const WindowAttributes& a, const Shape& from, const Shape& to) {
  if (!all_ones(a.base_dilations) || !all_ones(a.window_dilations)) return false;
  for (size_t i = 0; i < a.window_dimensions.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (a.padding[i] != std::pair<int64_t, int64_t>{0, 0}) return false;
    if (to[axis] != 1 && a.window_strides[i] != a.window_dimensions[i]) return false;
    if (from[axis] != to[axis] * a.window_dimensions[i]) return false;
  }
  return true;
}

// Repeats each element over its window.
Value repeat_over_windows(Value g, const Axes& windows) {
  Axes spread, dimensions, joined;
  for (int axis = 0; axis < g.rank(); ++axis) {
    const int64_t size = g.shape()[axis], window = windows[static_cast<size_t>(axis)];
    dimensions.push_back(static_cast<int64_t>(spread.size()));
    spread.push_back(size);
    if (window > 1) spread.push_back(window);
    joined.push_back(size * window);
  }
  return reshape(broadcast_in_dim(g, Shape(spread), dimensions), Shape(joined));
}

// Each input element sums the gradients of the windows that hold it: windows again, over the
// gradient dilated by the stride.
Value window_sum_gradient(const GradientRule& r, const WindowAttributes& a) {
  const Shape from = r.x().shape(), to = r.y().shape();
  if (windows_tile(a, from, to)) return repeat_over_windows(r.g(), a.window_dimensions);
  WindowAttributes back = a;
  std::swap(back.window_strides, back.base_dilations);
  Axes low, high;  // cut off the dilated gradient where a padding would be negative
  bool cut = false;
  for (size_t i = 0; i < a.padding.size(); ++i) {
    const int axis = static_cast<int>(i);
    const auto [before, after] = padding_of_input_gradient(window_axis(a, i), from[axis], to[axis]);
    back.padding[i] = {before, after};
    cut = cut || before < 0 || after < 0;
    low.push_back(before);
    high.push_back(after);
  }
  Value g = r.g();
  if (cut) {
    Axes interior = back.base_dilations;
    for (int64_t& holes : interior) --holes;
    g = pad(g, r.builder().filled(g.dtype(), Shape{}, 0.0), low, high, interior);
    std::fill(back.base_dilations.begin(), back.base_dilations.end(), 1);
    std::fill(back.padding.begin(), back.padding.end(), std::pair<int64_t, int64_t>{0, 0});
  }
  return reduce_window(g, OpCode::add, back);
}

// The gradient of a window goes to its largest element, the first of several.
Value window_maximum_gradient(const GradientRule& r, const WindowAttributes& a, bool smallest) {
  if (!all_ones(a.window_dilations)) {
    r.none("windows with holes have no select_and_scatter", "gather the elements, then reduce");
  }
  Value x = smallest ? -r.x() : r.x();
  const Shape from = x.shape();
  const size_t rank = a.window_dimensions.size();
  const bool dilated = !all_ones(a.base_dilations);
  if (dilated) {
    Axes interior = a.base_dilations;
    for (int64_t& holes : interior) --holes;
    const Value lowest = r.builder().constant(fold_identity(OpCode::maximum, x.dtype()));
    x = pad(x, lowest, Axes(rank, 0), Axes(rank, 0), interior);
  }
  WindowAttributes window = a;
  window.base_dilations.clear();
  window.window_dilations.clear();
  const Value g = select_and_scatter(x, r.g(), window);
  if (!dilated) return g;
  return slice(g, Axes(rank, 0), g.shape().to_vector(), a.base_dilations);
}

// For each window the element of `source` that stands where `x` is largest: a reduction of pairs.
Value select_from_windows(Value x, Value source, WindowAttributes window) {
  Builder& builder = x.builder();
  const Type key{x.dtype(), {}}, payload{source.dtype(), {}};
  const std::vector<Type> scalars{key, payload, key, payload};
  std::vector<Block> regions;
  regions.push_back(builder.region(scalars, [](std::span<const Value> s) -> std::vector<Value> {
    const Value first = compare(s[0], s[2], Direction::ge);
    return {select(first, s[0], s[2]), select(first, s[1], s[3])};
  }));
  const auto rank = static_cast<size_t>(x.rank());
  window.base_dilations.assign(rank, 1);
  window.window_dilations.assign(rank, 1);
  const std::vector<Value> operands{x, source,
                                    builder.constant(fold_identity(OpCode::maximum, x.dtype())),
                                    builder.filled(source.dtype(), Shape{}, 0.0)};
  return builder.append(OpCode::reduce_window, operands, window, std::move(regions))[1];
}

// Whether the region says that its first argument is chosen when it is not less than the second.
bool selects_largest(const Block& region) {
  if (region.ops.size() != 1 || region.arguments.size() != 2) return false;
  const ir::Op& op = region.ops.front();
  return op.code == OpCode::compare && op.operands == region.arguments &&
         op.get<ir::CompareAttributes>().direction == Direction::ge && op.results == region.results;
}

}  // namespace

void differentiate_reduce_window(GradientRule& r) {
  if (r.operands() != 2) r.none("it folds several arrays at once");
  if (r.needs(1)) {
    r.none("the initial value depends on a source", "fold from a constant, then combine");
  }
  if (!r.needs(0)) return;
  const auto code = ir::fold_op(r.op().regions[0]);
  const auto attributes = r.attributes<WindowAttributes>();
  if (code == OpCode::add) return r.grad(0, window_sum_gradient(r, attributes));
  if (code == OpCode::maximum || code == OpCode::minimum) {
    return r.grad(0, window_maximum_gradient(r, attributes, code == OpCode::minimum));
  }
  r.none("its body is neither add, maximum nor minimum", "build it from windows by these");
}

// The array that decides moves nothing smoothly: only the source has a gradient.
void differentiate_select_and_scatter(GradientRule& r) {
  if (r.needs(2)) {
    r.none("the initial value depends on a source", "scatter onto a constant, then add");
  }
  if (!r.needs(1)) return;
  if (!selects_largest(r.op().regions[0]) || ir::fold_op(r.op().regions[1]) != OpCode::add) {
    r.none("it does not add at the largest element of each window");
  }
  r.grad(1, select_from_windows(r.x(0), r.g(), r.attributes<WindowAttributes>()));
}

}  // namespace autodiff
}  // namespace systolic::inline v0
