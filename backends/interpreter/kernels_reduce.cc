#include "backends/interpreter/elements.h"
#include "backends/interpreter/fold.h"
#include "backends/interpreter/kernels.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

// Result arrays with the initial value in every element.
std::vector<Literal> initial_arrays(const Call& call, std::span<const Literal> initial) {
  std::vector<Literal> arrays;
  for (size_t k = 0; k < initial.size(); ++k) {
    const Literal scalar = initial[k].convert(call.result(k).dtype);
    Literal array(call.result(k).dtype, call.result(k).shape);
    for (int64_t i = 0; i < array.size(); ++i) copy_element(scalar, 0, array, i);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace

std::vector<Literal> run_reduce(const Call& call) {
  const size_t count = call.operands.size() / 2;
  const std::span<const Literal> inputs = call.operands.first(count);
  const ir::Axes& axes = call.op.get<ir::AxesAttributes>().axes;
  std::vector<bool> folded(static_cast<size_t>(inputs[0].rank()), false);
  for (int64_t axis : axes) folded[static_cast<size_t>(axis)] = true;
  std::vector<Literal> results = initial_arrays(call, call.operands.subspan(count));
  const Fold fold(call, 0);
  int64_t position = 0;
  for_each_index(inputs[0].shape(), [&](const Index& index) {
    Index to;
    for (size_t i = 0; i < index.size(); ++i) {
      if (!folded[i]) to.push_back(index[i]);
    }
    fold.apply_at(results, offset_of(results[0].shape(), to), inputs, position++);
  });
  return results;
}

namespace {

// The position in the operand of element `window` of the window at `at`; false in padding and
// holes.
bool window_source(const ir::WindowAttributes& a, const Shape& shape, const Index& at,
                   const Index& window, Index& from) {
  for (size_t i = 0; i < at.size(); ++i) {
    const WindowAxis axis = ir::window_axis(a, i);
    const int64_t place = at[i] * axis.stride + window[i] * axis.window_dilation - axis.padding_low;
    if (place < 0 || place % axis.base_dilation != 0) return false;
    from[i] = place / axis.base_dilation;
  }
  return inside(shape, from);
}

}  // namespace

std::vector<Literal> run_reduce_window(const Call& call) {
  const size_t count = call.operands.size() / 2;
  const std::span<const Literal> inputs = call.operands.first(count);
  const auto& a = call.op.get<ir::WindowAttributes>();
  const std::span<const Literal> initial = call.operands.subspan(count);
  std::vector<Literal> results = initial_arrays(call, initial);
  const Fold fold(call, 0);
  const Shape& shape = inputs[0].shape();
  Index from(static_cast<size_t>(shape.rank()));
  int64_t to = 0;
  for_each_index(results[0].shape(), [&](const Index& at) {
    for_each_index(Shape(a.window_dimensions), [&](const Index& window) {
      if (window_source(a, shape, at, window, from)) {
        fold.apply_at(results, to, inputs, offset_of(shape, from));
      } else {
        fold.apply_at(results, to, initial, 0);  // what the padding holds is folded too
      }
    });
    ++to;
  });
  return results;
}

std::vector<Literal> run_select_and_scatter(const Call& call) {
  const Literal &x = call.operand(0), &source = call.operand(1);
  const auto& a = call.op.get<ir::WindowAttributes>();
  std::vector<Literal> results = initial_arrays(call, call.operands.subspan(2));
  const Fold fold(call, 1);
  Index from(static_cast<size_t>(x.rank()));
  int64_t position = 0;
  for_each_index(source.shape(), [&](const Index& at) {
    int64_t chosen = -1;
    for_each_index(Shape(a.window_dimensions), [&](const Index& window) {
      if (!window_source(a, x.shape(), at, window, from)) return;
      const int64_t candidate = offset_of(x.shape(), from);
      const bool keeps = chosen >= 0 && call.run(0, std::vector<Literal>{element(x, chosen),
                                                                         element(x, candidate)})[0]
                                            .data<bool>()[0];
      if (!keeps) chosen = candidate;
    });
    if (chosen >= 0) fold.apply_at(results, chosen, call.operands.subspan(1, 1), position);
    ++position;
  });
  return results;
}

}  // namespace interpreter
}  // namespace systolic::inline v0
