#include "backends/cpu/kernels/convolution/convolution.h"

#include <cmath>
#include <memory>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/products/convolution_call.h"
#include "backends/cpu/lower/products/dot.h"
#include "backends/cpu/lower/products/plain_convolution.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

std::string shape_text(const kernels::ConvolutionShape& shape) {
  const bool deep = shape.has_depth();
  return str(shape.batch, "x", deep ? str(shape.depth, "x") : "", shape.height, "x", shape.width,
             "x", shape.in_channels, " * ", deep ? str(shape.kernel_depth, "x") : "",
             shape.kernel_height, "x", shape.kernel_width, " -> ", shape.out_channels);
}

std::string most_text(const ProductEnd& end) {
  return std::isfinite(end.most) ? str(" at most ", end.most) : "";
}

using Forward = std::shared_ptr<const kernels::ConvolutionForward>;

// The weights as the kernel wants them, by a step of its own.
PlaceId emit_prepare(Planner& planner, const ConvolutionCall& call, const Forward& kernel,
                     PlaceId w) {
  const PlaceId prepared = planner.temporary(static_cast<int64_t>(kernel->prepared_bytes()));
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(kernel->scratch_bytes()));
  planner.emit({.name = str("prepare weights of ", shape_text(call.shape)),
                .reads = {w},
                .writes = {prepared},
                .scratch = {scratch}},
               [=](const Frame& frame) {
                 kernel->prepare(frame.at(w), frame.at(prepared), frame.at(scratch), frame.pool());
               });
  return prepared;
}

void emit_forward(Planner& planner, const ConvolutionCall& call, PlaceId x, PlaceId w, PlaceId y,
                  const ProductEnd& end) {
  const bool has_bias = end.bias != ir::no_value;
  const PlaceId bias = has_bias ? planner.dense(end.bias) : no_place;
  const Forward kernel = std::make_shared<const kernels::ConvolutionForward>(
      call.shape,
      kernels::ConvolutionForwardOptions{
          .dtype = call.output.dtype, .bias = has_bias, .relu = end.relu, .most = end.most},
      planner.threads());
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(kernel->scratch_bytes()));
  const bool prepares = planner.prepares() && kernel->prepared_bytes() > 0;
  const PlaceId prepared = prepares ? emit_prepare(planner, call, kernel, w) : no_place;
  StepNote note{.name = str("convolution ", shape_text(call.shape), has_bias ? " + bias" : "",
                            end.relu ? " relu" : "", most_text(end)),
                .reads = {x, prepares ? prepared : w},
                .writes = {y},
                .scratch = {scratch},
                .flops = call.work.flops,
                .matrix = call.work};
  if (has_bias) note.reads.push_back(bias);
  planner.emit(std::move(note), [=](const Frame& frame) {
    kernel->run({.x = frame.at(x),
                 .w = prepares ? nullptr : frame.at(w),
                 .prepared = prepares ? frame.at(prepared) : nullptr,
                 .bias = has_bias ? frame.at(bias) : nullptr,
                 .y = frame.at(y)},
                frame.at(scratch), frame.pool());
  });
}

void emit_backward(Planner& planner, const ConvolutionCall& call, PlaceId first, PlaceId second,
                   PlaceId output) {
  const bool data = call.kind == ConvolutionCall::Kind::data;
  const auto kernel = std::make_shared<const kernels::ConvolutionBackward>(
      call.shape,
      kernels::ConvolutionBackwardOptions{
          .dtype = call.output.dtype, .data = data, .weights = !data},
      planner.threads());
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(kernel->scratch_bytes()));
  planner.emit(
      {.name = (data ? "convolution dx " : "convolution dw ") + shape_text(call.shape),
       .reads = {first, second},
       .writes = {output},
       .scratch = {scratch},
       .flops = call.work.flops,
       .matrix = call.work},
      [=](const Frame& frame) {
        kernels::ConvolutionBackwardOperands operands;
        if (data) {
          operands = {.w = frame.at(second), .dy = frame.at(first), .dx = frame.at(output)};
        } else {
          operands = {.x = frame.at(first), .dy = frame.at(second), .dw = frame.at(output)};
        }
        kernel->run(operands, frame.at(scratch), frame.pool());
      });
}

// The bias and relu of a convolution that no kernel computes: added by a cluster of their own.
void emit_end(Planner& planner, PlaceId product, const ProductEnd& end) {
  const ir::Type& type = planner.type(end.result);
  const Shape space{type.shape.elements() / type.shape[-1], type.shape[-1]};
  kernels::TileProgramBuilder builder(space.dims());
  auto value = builder.input(type.dtype);
  const PlaceId bias = planner.dense(end.bias), result = planner.define(end.result);
  value = builder.op(kernels::TileOp::add, {value, builder.input(type.dtype, {0, 1})});
  if (end.relu) {
    value = builder.op(
        kernels::TileOp::maximum,
        {value, builder.constant(kernels::TileProgramBuilder::compute_type(type.dtype), 0)});
  }
  if (std::isfinite(end.most)) {
    value = builder.op(
        kernels::TileOp::minimum,
        {value, builder.constant(kernels::TileProgramBuilder::compute_type(type.dtype), end.most)});
  }
  builder.output(value, type.dtype);
  planner.emit({.name = "bias " + ir::to_string(type),
                .reads = {product, bias},
                .writes = {result},
                .in_place = {{result, product}},
                .flops = static_cast<double>(2 * type.shape.elements())},
               [=, program = builder.build()](const Frame& frame) {
                 const void* inputs[] = {frame.at(product), frame.at(bias)};
                 void* outputs[] = {frame.at(result)};
                 program.run(inputs, outputs, frame.pool());
               });
}

}  // namespace

void lower_convolution(Planner& planner, const ir::Op& op) {
  lower_convolution(planner, op, {.result = op.results[0]});
}

void lower_convolution(Planner& planner, const ir::Op& op, const ProductEnd& end) {
  const ir::Type& type = planner.type(op.results[0]);
  const bool same_types = planner.type(op.operands[0]).dtype == type.dtype &&
                          planner.type(op.operands[1]).dtype == type.dtype;
  const bool empty = type.shape.elements() == 0 ||
                     planner.type(op.operands[0]).shape.elements() == 0 ||
                     planner.type(op.operands[1]).shape.elements() == 0;
  std::optional<ConvolutionCall> call;
  if (same_types && !empty && !is_complex(type.dtype)) call = classify_convolution(planner, op);
  // Done before a kernel for it is made, and rounded as the definition says.
  constexpr double tiny_flops = 1024;
  if (call && call->shape.flops() < tiny_flops) call.reset();
  const bool forward = call && call->kind == ConvolutionCall::Kind::forward;
  const bool ends = end.result != op.results[0];
  if (!call) {
    lower_plain_convolution(planner, op);
  } else {
    const PlaceId first = dense_operand(planner, call->first);
    const PlaceId second = dense_operand(planner, call->second);
    const PlaceId output = define_output(planner, *call, forward ? end.result : op.results[0]);
    if (forward) {
      emit_forward(planner, *call, first, second, output, end);
    } else {
      emit_backward(planner, *call, first, second, output);
    }
  }
  if (ends && !forward) emit_end(planner, planner.dense(op.results[0]), end);
}

}  // namespace cpu
}  // namespace systolic::inline v0
