// Long short-term memory whose products are convolutions, for sequences of pictures: ConvLSTM1D to
// 3D (keras.layers; Shi et al. 2015).
//
//   ConvLSTM2D{.filters = 8, .kernel_size = 3, .padding = "same"}
//   [batch, steps, height, width, channels] -> [batch, height', width', 8]
//
// As LSTM (lstm.h), with convolve(x, kernel) and convolve(h, recurrent_kernel) for its products;
// the second keeps the size, so that states are [batch, height', width', filters]. Masks, first and
// last states and stateful are as LSTM has them.
//
// Weights, under "conv_lstm_cell/": kernel [size..., channels, 4 filters], recurrent_kernel
// [size..., filters, 4 filters], bias [4 filters]. What LSTM and Conv2D refuse is an
// InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/activation.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layers/recurrent/recurrence.h"

namespace systolic::inline v0 {

// The names of ConvLSTM<1>, <2> and <3> in configurations.
inline constexpr const char* conv_lstm_kinds[] = {"ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"};

template <int rank>
struct ConvLSTM {
  static constexpr const char* kind = conv_lstm_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<SpatialSize<rank>> kernel_size;
  SpatialSize<rank> strides = 1;
  Padding padding = "valid";
  SpatialSize<rank> dilation_rate = 1;  // of the kernel; the recurrent one has none
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias starts at 1
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0.0;               // of the input, while training; one mask for all steps
  double recurrent_dropout = 0.0;     // of the state
  std::optional<int64_t> seed = {};   // of the dropout, beside the model's
  bool return_sequences = false;      // the output of each step, not of the last one alone
  bool return_state = false;          // the last states too: call outputs(...)
  bool go_backwards = false;          // from the last step to the first
  bool stateful = false;              // a batch goes on where the one before ended
  bool unroll = false;                // no loop on the device: the steps one after the other
  bool zero_output_for_mask = false;  // else masked steps repeat the output before
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_RECURRENT_LAYER_CALLS

  template <class Self = ConvLSTM>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("filters", &Self::filters), field("kernel_size", &Self::kernel_size),
                   field("strides", &Self::strides), field("padding", &Self::padding),
                   field("dilation_rate", &Self::dilation_rate),
                   field("activation", &Self::activation),
                   field("recurrent_activation", &Self::recurrent_activation),
                   field("use_bias", &Self::use_bias),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("recurrent_initializer", &Self::recurrent_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("unit_forget_bias", &Self::unit_forget_bias),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint),
                   field("recurrent_regularizer", &Self::recurrent_regularizer),
                   field("recurrent_constraint", &Self::recurrent_constraint)),
        bias_fields<Self>(),
        std::tuple(field("dropout", &Self::dropout),
                   field("recurrent_dropout", &Self::recurrent_dropout),
                   field("seed", &Self::seed)),
        recurrence_fields<Self>(), common_fields<Self>());
  }
};

using ConvLSTM1D = ConvLSTM<1>;
using ConvLSTM2D = ConvLSTM<2>;
// Sequences of volumes: [batch, steps, depth, height, width, channels].
using ConvLSTM3D = ConvLSTM<3>;

extern template Layer::Layer(ConvLSTM1D);
extern template Layer::Layer(ConvLSTM2D);
extern template Layer::Layer(ConvLSTM3D);

}  // namespace systolic::inline v0
