#include "systolic/nn/layers/recurrent/conv_lstm.h"

#include <algorithm>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/nn/layers/recurrent/gates.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The fields of a layer that its cell needs.
struct ConvLSTMCellFields {
  int64_t filters;
  Window window;
  Activation activation, recurrent_activation;
  bool use_bias, unit_forget_bias;
  WeightOptions kernel, recurrent, bias;
  double dropout, recurrent_dropout;
  std::optional<int64_t> seed;
};

Shape conv_kernel_shape(std::vector<int64_t> size, int64_t in, int64_t out) {
  size.push_back(in);
  size.push_back(out);
  return Shape(size);
}

// 1 for the forget gate, the second of four.
Initializer conv_forget_bias(const Initializer& initializer, int64_t filters) {
  return Initializer([=](const Shape& shape, uint64_t seed) {
    Literal values = initializer(shape, seed).convert(DType::f32);
    std::fill_n(values.mutable_data<float>().begin() + filters, filters, 1.0f);
    return values;
  });
}

struct ConvLSTMCell {
  static constexpr const char* kind = "ConvLSTMCell";
  ConvLSTMCellFields of;

  // [spatial..., channels] of one step of one sample.
  std::vector<Shape> state_shapes(const Shape& step) const {
    const Shape state = spatial_output(step);
    return {state, state};
  }

  RecurrentSteps over(const Tensor& sequence, CellContext& context) const {
    check_positive("filters", of.filters);
    check_rate(of.dropout, /*with_1=*/false);
    check_rate(of.recurrent_dropout, /*with_1=*/false);
    const Shape shape = sequence.shape(), one = shape.slice(2, shape.rank());
    // All steps of all samples as one batch.
    Tensor x = reshape(sequence, one.with_inserted(0, shape[0] * shape[1]));
    check_window(x, of.window);
    const Tensor kernel = context.weight(
        "kernel", conv_kernel_shape(of.window.size, shape[-1], 4 * of.filters), of.kernel);
    const Tensor again =
        context.weight("recurrent_kernel",
                       conv_kernel_shape(of.window.size, of.filters, 4 * of.filters), of.recurrent);
    if (const auto mask =
            dropout_mask(of.dropout, one.with_inserted(0, shape[1]), sequence, context))
      x = reshape(sequence * *mask, x.shape());
    Tensor inputs = convolution(x, kernel,
                                {.strides = of.window.strides,
                                 .dilation = of.window.dilation,
                                 .padding = spatial_padding(x, of.window)});
    if (of.use_bias) inputs = inputs + bias(context);
    const Shape made = inputs.shape().slice(1, inputs.rank());
    const Shape state = spatial_output(one).with_inserted(0, shape[1]);
    return {reshape(inputs, made.with_inserted(0, shape[1]).with_inserted(0, shape[0])),
            step_of(again, dropout_mask(of.recurrent_dropout, state, sequence, context))};
  }

 private:
  Tensor bias(CellContext& context) const {
    WeightOptions options = of.bias;
    if (of.unit_forget_bias)
      options.initializer = conv_forget_bias(options.initializer, of.filters);
    return context.weight("bias", {4 * of.filters}, options);
  }

  Shape spatial_output(const Shape& step) const {
    const Shape batch = step.with_inserted(0, 1);
    const auto padding = spatial_padding(zeros(batch), of.window);
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < padding.size(); ++i) {
      const int64_t size = step[static_cast<int>(i)] + padding[i].first + padding[i].second;
      const int64_t covered = of.window.dilation[i] * (of.window.size[i] - 1) + 1;
      sizes.push_back((size - covered) / of.window.strides[i] + 1);
    }
    sizes.push_back(of.filters);
    return Shape(sizes);
  }

  std::optional<Tensor> dropout_mask(double rate, const Shape& shape, const Tensor& like,
                                     CellContext& context) const {
    if (!context.training() || rate == 0) return std::nullopt;
    const Tensor key = context.random_key();
    return dropped_out(ones(shape, like.dtype()), rate, {},
                       of.seed ? fold_in(key, static_cast<uint64_t>(*of.seed)) : key);
  }

  std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)> step_of(
      const Tensor& again, const std::optional<Tensor>& mask) const {
    std::vector<std::pair<int64_t, int64_t>> same;
    for (const int64_t size : of.window.size) same.emplace_back((size - 1) / 2, size / 2);
    return [again, mask, same, activation = of.activation, gate = of.recurrent_activation](
               const Tensor& x, const std::vector<Tensor>& states) {
      const Tensor h = mask ? states[0] * *mask : states[0];
      const std::vector<Tensor> z = split_gates(x + convolution(h, again, {.padding = same}), 4);
      const Tensor c = gate(z[1]) * states[1] + gate(z[0]) * activation(z[2]);
      const Tensor y = gate(z[3]) * activation(c);
      return std::vector<Tensor>{y, y, c};
    };
  }
};

}  // namespace

template <int rank>
std::vector<Tensor> ConvLSTM<rank>::call(const std::vector<Tensor>& xs,
                                         CallContext& context) const {
  check_inputs(xs, 1);
  check_rank(xs.front(), rank + 3, "[batch, steps, spatial..., channels]");
  const ConvLSTMCell cell{{.filters = filters,
                           .window = kernel_window(*this),
                           .activation = activation,
                           .recurrent_activation = recurrent_activation,
                           .use_bias = use_bias,
                           .unit_forget_bias = unit_forget_bias,
                           .kernel = {.initializer = kernel_initializer,
                                      .regularizer = kernel_regularizer,
                                      .constraint = kernel_constraint},
                           .recurrent = {.initializer = recurrent_initializer,
                                         .regularizer = recurrent_regularizer,
                                         .constraint = recurrent_constraint},
                           .bias = {.initializer = bias_initializer,
                                    .regularizer = bias_regularizer,
                                    .constraint = bias_constraint},
                           .dropout = dropout,
                           .recurrent_dropout = recurrent_dropout,
                           .seed = seed}};
  RecurrenceOptions options = recurrence_options(*this);
  options.activity_regularizer = activity_regularizer;
  return run_recurrence(cell, xs, options, context);
}

template <int rank>
KerasForm ConvLSTM<rank>::keras_form() {
  return {.inside = {{"*", "cell"}}};
}

template KerasForm ConvLSTM<1>::keras_form();
template KerasForm ConvLSTM<2>::keras_form();
template KerasForm ConvLSTM<3>::keras_form();

SYSTOLIC_DEFINE_LAYER(ConvLSTM1D)
SYSTOLIC_DEFINE_LAYER(ConvLSTM2D)
SYSTOLIC_DEFINE_LAYER(ConvLSTM3D)

}  // namespace systolic::inline v0
