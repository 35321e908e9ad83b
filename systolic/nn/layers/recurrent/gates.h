// What SimpleRNNCell, LSTMCell and GRUCell have in common: a kernel and a recurrent kernel for one
// or more gates, side by side, and dropout. Internal to nn.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/layers/recurrent/recurrent_cell.h"

namespace systolic::inline v0 {

struct GatesCall {
  int64_t units;
  int64_t gates;
  bool use_bias;
  bool two_biases = false;  // [2, gates * units], the second for the recurrent product
  WeightOptions kernel, recurrent, bias;
  double dropout, recurrent_dropout;
  std::optional<int64_t> seed;
};

// From a cell's fields.
template <class Spec>
GatesCall gates_call(const Spec& spec, int64_t gates) {
  return {.units = spec.units,
          .gates = gates,
          .use_bias = spec.use_bias,
          .kernel = {.initializer = spec.kernel_initializer,
                     .regularizer = spec.kernel_regularizer,
                     .constraint = spec.kernel_constraint},
          .recurrent = {.initializer = spec.recurrent_initializer,
                        .regularizer = spec.recurrent_regularizer,
                        .constraint = spec.recurrent_constraint},
          .bias = {.initializer = spec.bias_initializer,
                   .regularizer = spec.bias_regularizer,
                   .constraint = spec.bias_constraint},
          .dropout = spec.dropout,
          .recurrent_dropout = spec.recurrent_dropout,
          .seed = spec.seed};
}

// h [batch, units] -> h · kernel (+ bias) of some gates, [batch, their number * units]. With
// dropout each gate has its own mask, the same at all steps (Gal and Ghahramani 2016).
class RecurrentProduct {
 public:
  // For all gates of `kernel` [units, gates * units]; `masks` is empty or has one for each.
  RecurrentProduct(const Tensor& kernel, std::vector<Tensor> masks, std::optional<Tensor> bias);
  // For those from `begin` to before `end`.
  RecurrentProduct gates(int64_t begin, int64_t end) const;
  Tensor operator()(const Tensor& h) const;

 private:
  Tensor kernel_;
  std::vector<Tensor> masks_;    // [batch, units]
  std::vector<Tensor> kernels_;  // where there are masks: one for each
  std::optional<Tensor> bias_;
};

struct Gates {
  Tensor inputs;  // [steps, batch, gates * units]: sequence · kernel + bias
  RecurrentProduct again;
};

// sequence [steps, batch, features]. A count of units below 1 and rates outside of [0, 1) are an
// InvalidArgument.
Gates gates_over(const Tensor& sequence, const GatesCall& call, CellContext& context);

// x [batch, gates * units], split.
std::vector<Tensor> split_gates(const Tensor& x, int gates);

}  // namespace systolic::inline v0
