#include "systolic/nn/layers/recurrent/lstm_cell.h"

#include <algorithm>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/recurrent/call_cell.h"
#include "systolic/nn/layers/recurrent/gates.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

// 1 for the second gate, which forgets; what `initializer` gives for the others.
Initializer forget_bias(const Initializer& initializer, int64_t units) {
  return Initializer([=](const Shape& shape, uint64_t seed) {
    Literal values = initializer(shape, seed).convert(DType::f32);
    const auto data = values.mutable_data<float>().subspan(static_cast<size_t>(units));
    std::fill_n(data.begin(), units, 1.0f);
    return values;
  });
}

}  // namespace

std::vector<Shape> LSTMCell::state_shapes(const Shape&) const {
  return {{units.get()}, {units.get()}};
}

RecurrentSteps LSTMCell::over(const Tensor& sequence, CellContext& context) const {
  GatesCall call = gates_call(*this, 4);
  if (unit_forget_bias) call.bias.initializer = forget_bias(bias_initializer, units);
  const Gates gates = gates_over(sequence, call, context);
  const auto step = [again = gates.again, activation = activation, gate = recurrent_activation](
                        const Tensor& x, const std::vector<Tensor>& states) {
    const std::vector<Tensor> z = split_gates(x + again(states[0]), 4);
    const Tensor c = gate(z[1]) * states[1] + gate(z[0]) * activation(z[2]);
    const Tensor h = gate(z[3]) * activation(c);
    return std::vector<Tensor>{h, h, c};
  };
  return {gates.inputs, step};
}

std::vector<Tensor> LSTMCell::call(const std::vector<Tensor>& xs, CallContext& context) const {
  return call_cell(*this, xs, context);
}

SYSTOLIC_DEFINE_LAYER(LSTMCell)

}  // namespace systolic::inline v0
