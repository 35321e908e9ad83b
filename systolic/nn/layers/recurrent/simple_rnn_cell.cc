#include "systolic/nn/layers/recurrent/simple_rnn_cell.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/recurrent/call_cell.h"
#include "systolic/nn/layers/recurrent/gates.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<Shape> SimpleRNNCell::state_shapes(const Shape&) const { return {{units.get()}}; }

RecurrentSteps SimpleRNNCell::over(const Tensor& sequence, CellContext& context) const {
  const Gates gates = gates_over(sequence, gates_call(*this, 1), context);
  const auto step = [again = gates.again, activation = activation](
                        const Tensor& x, const std::vector<Tensor>& states) {
    const Tensor h = activation(x + again(states[0]));
    return std::vector<Tensor>{h, h};
  };
  return {gates.inputs, step};
}

std::vector<Tensor> SimpleRNNCell::call(const std::vector<Tensor>& xs, CallContext& context) const {
  return call_cell(*this, xs, context);
}

SYSTOLIC_DEFINE_LAYER(SimpleRNNCell)

}  // namespace systolic::inline v0
