#include "systolic/nn/layers/recurrent/gru_cell.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/recurrent/call_cell.h"
#include "systolic/nn/layers/recurrent/gates.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<Shape> GRUCell::state_shapes(const Shape&) const { return {{units.get()}}; }

RecurrentSteps GRUCell::over(const Tensor& sequence, CellContext& context) const {
  GatesCall call = gates_call(*this, 3);
  call.two_biases = reset_after;
  const Gates gates = gates_over(sequence, call, context);
  const auto mix = [activation = activation](const Tensor& x, const Tensor& again, const Tensor& z,
                                             const Tensor& h) {
    const Tensor next = z * h + (1.0 - z) * activation(x + again);
    return std::vector<Tensor>{next, next};
  };
  if (reset_after) {
    return {gates.inputs, [=, again = gates.again, gate = recurrent_activation](
                              const Tensor& x, const std::vector<Tensor>& states) {
              const std::vector<Tensor> in = split_gates(x, 3);
              const std::vector<Tensor> of = split_gates(again(states[0]), 3);
              return mix(in[2], gate(in[1] + of[1]) * of[2], gate(in[0] + of[0]), states[0]);
            }};
  }
  return {gates.inputs,
          [=, again = gates.again.gates(0, 2), last = gates.again.gates(2, 3),
           gate = recurrent_activation](const Tensor& x, const std::vector<Tensor>& states) {
            const std::vector<Tensor> in = split_gates(x, 3);
            const std::vector<Tensor> of = split_gates(again(states[0]), 2);
            const Tensor reset = gate(in[1] + of[1]) * states[0];
            return mix(in[2], last(reset), gate(in[0] + of[0]), states[0]);
          }};
}

std::vector<Tensor> GRUCell::call(const std::vector<Tensor>& xs, CallContext& context) const {
  return call_cell(*this, xs, context);
}

SYSTOLIC_DEFINE_LAYER(GRUCell)

}  // namespace systolic::inline v0
