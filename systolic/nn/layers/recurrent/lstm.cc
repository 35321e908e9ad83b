#include "systolic/nn/layers/recurrent/lstm.h"

#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

std::vector<Tensor> LSTM::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const LSTMCell cell{.units = units,
                      .activation = activation,
                      .recurrent_activation = recurrent_activation,
                      .use_bias = use_bias,
                      .kernel_initializer = kernel_initializer,
                      .recurrent_initializer = recurrent_initializer,
                      .bias_initializer = bias_initializer,
                      .unit_forget_bias = unit_forget_bias,
                      .kernel_regularizer = kernel_regularizer,
                      .recurrent_regularizer = recurrent_regularizer,
                      .bias_regularizer = bias_regularizer,
                      .kernel_constraint = kernel_constraint,
                      .recurrent_constraint = recurrent_constraint,
                      .bias_constraint = bias_constraint,
                      .dropout = dropout,
                      .recurrent_dropout = recurrent_dropout,
                      .seed = seed};
  RecurrenceOptions options = recurrence_options(*this);
  options.activity_regularizer = activity_regularizer;
  return run_recurrence(cell, xs, options, context);
}

KerasForm LSTM::keras_form() { return {.inside = {{"*", "cell"}}}; }

SYSTOLIC_DEFINE_LAYER(LSTM)

}  // namespace systolic::inline v0
