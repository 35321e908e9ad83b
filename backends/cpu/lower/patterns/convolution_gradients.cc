#include "backends/cpu/lower/patterns/convolution_gradients.h"

#include <memory>
#include <optional>
#include <span>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/lower/elementwise/cluster.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/lower/products/convolution_call.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Is the gradient read as it lies, [batch, spatial..., channels]?
bool reads_in_order(Planner& planner, const View& view, ir::ValueId value) {
  const Shape& shape = planner.type(value).shape;
  return view.is_dense() && view.type.shape.elements() == shape.elements() &&
         view.type.shape[0] == shape[0] && view.type.shape[-1] == shape[-1];
}

struct GradientsCall {
  ConvolutionCall weights;
  std::optional<ConvolutionCall> data;
};

// Nothing where the ops are not the gradients of one forward pass in the kernels' layout.
std::optional<GradientsCall> classify(Planner& planner, const ir::Op& mask,
                                      const ConvolutionGradients& gradients) {
  // The gradient stands in for the masked one: their views are the same.
  const ir::ValueId dy = mask.results[0];
  planner.define(dy, View(planner.view(gradients.gradient)));
  std::optional<ConvolutionCall> weights = classify_convolution(planner, *gradients.weights);
  const bool usable = weights && weights->kind == ConvolutionCall::Kind::weights &&
                      !weights->transposed && reads_in_order(planner, weights->second, dy);
  if (!usable) return std::nullopt;
  GradientsCall call{.weights = *weights, .data = std::nullopt};
  if (gradients.data != nullptr) {
    call.data = classify_convolution(planner, *gradients.data);
    const bool pair = call.data && call.data->kind == ConvolutionCall::Kind::data &&
                      call.data->shape == weights->shape &&
                      reads_in_order(planner, call.data->first, dy);
    if (!pair) return std::nullopt;
  }
  return call;
}

void emit_gradients(Planner& planner, const ConvolutionGradients& gradients,
                    const GradientsCall& call) {
  const bool data = call.data.has_value();
  const bool bias = gradients.bias != nullptr;
  const PlaceId dy = planner.dense(gradients.gradient), y = planner.dense(gradients.relu_output);
  const PlaceId x = dense_operand(planner, call.weights.first);
  const PlaceId w = data ? dense_operand(planner, call.data->second) : no_place;
  const PlaceId dw = define_output(planner, call.weights, gradients.weights->results[0]);
  const PlaceId dx =
      data ? define_output(planner, *call.data, gradients.data->results[0]) : no_place;
  const PlaceId db = bias ? planner.define(gradients.bias->results[0]) : no_place;
  const kernels::ConvolutionShape& shape = call.weights.shape;
  const auto kernel = std::make_shared<const kernels::ConvolutionBackward>(
      shape,
      kernels::ConvolutionBackwardOptions{.dtype = call.weights.output.dtype,
                                          .data = data,
                                          .weights = true,
                                          .bias_gradient = bias,
                                          .relu_mask = true},
      planner.threads());
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(kernel->scratch_bytes()));
  StepNote note{.name = str("convolution gradients", data ? " dx dw" : " dw", bias ? " db" : "",
                            " relu ", ir::to_string(planner.type(gradients.gradient))),
                .reads = {dy, y, x},
                .writes = {dw},
                .scratch = {scratch},
                .matrix = call.weights.work};
  if (data) note.matrix += call.data->work;
  note.flops = note.matrix.flops;
  if (data) {
    note.reads.push_back(w);
    note.writes.push_back(dx);
  }
  if (bias) note.writes.push_back(db);
  planner.emit(std::move(note), [=](const Frame& frame) {
    const auto at = [&](PlaceId place) { return place == no_place ? nullptr : frame.at(place); };
    kernel->run({.x = at(x),
                 .w = at(w),
                 .y = at(y),
                 .dy = at(dy),
                 .dx = at(dx),
                 .dw = at(dw),
                 .db = at(db)},
                frame.at(scratch), frame.pool());
  });
}

// The mask, which is of the first two ops, and then op by op: what the pattern stands for.
void lower_apart(Planner& planner, std::span<const ir::Op* const> ops) {
  lower_ops_together(planner, ops.first(2));
  for (const ir::Op* op : ops.subspan(2)) lowering_of(op->code)(planner, *op);
}

}  // namespace

void lower_convolution_gradients(Planner& planner, const Group& group,
                                 const ConvolutionGradients& gradients) {
  if (const auto call = classify(planner, *group.ops[1], gradients)) {
    emit_gradients(planner, gradients, *call);
  } else {
    lower_apart(planner, group.ops);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
