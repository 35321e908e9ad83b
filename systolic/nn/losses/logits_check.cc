#include "systolic/nn/losses/logits_check.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

// The op that made a value, before those that only change its type or axes; null: none in sight.
const ir::Op* maker_of(const ir::Block& block, ir::ValueId value) {
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
    if (std::find(op->results.begin(), op->results.end(), value) == op->results.end()) continue;
    const bool moves = op->code == ir::OpCode::convert || op->code == ir::OpCode::reshape ||
                       op->code == ir::OpCode::transpose ||
                       op->code == ir::OpCode::broadcast_in_dim;
    if (!moves) return &*op;
    value = op->operands[0];
  }
  return nullptr;
}

// A sigmoid is an op of its own, a softmax powers divided by their sum.
const char* probabilities_by(const ir::Block& block, const ir::Op& maker) {
  if (maker.code == ir::OpCode::logistic) return "sigmoid";
  if (maker.code != ir::OpCode::divide) return nullptr;
  const ir::Op* powers = maker_of(block, maker.operands[0]);
  const ir::Op* total = maker_of(block, maker.operands[1]);
  if (powers == nullptr || total == nullptr) return nullptr;
  const bool softmax = powers->code == ir::OpCode::exponential &&
                       total->code == ir::OpCode::reduce &&
                       maker_of(block, total->operands[0]) == powers;
  return softmax ? "softmax" : nullptr;
}

bool is_product(const ir::Op* op) {
  return op != nullptr &&
         (op->code == ir::OpCode::dot_general || op->code == ir::OpCode::convolution);
}

// A product, or one to which something was added, such as a bias.
bool is_linear(const ir::Block& block, const ir::Op& maker) {
  if (is_product(&maker)) return true;
  return maker.code == ir::OpCode::add && (is_product(maker_of(block, maker.operands[0])) ||
                                           is_product(maker_of(block, maker.operands[1])));
}

// The block in which a Tensor is traced; null where it has a value.
const ir::Block* block_of(const Tensor& x) {
  const TensorState& state = *x.state();
  const bool traced = state.trace != nullptr && state.value != ir::no_value;
  return traced ? &state.trace->builder().block() : nullptr;
}

// ", of layer 'dense' (main.cc:12)"
std::string place_of(const ir::Op& maker) {
  const std::string layer =
      *maker.layer_path == '\0' ? "" : str(", of layer '", maker.layer_path, "'");
  return maker.location.known()
             ? str(layer, " (", maker.location.file, ":", maker.location.line, ")")
             : layer;
}

}  // namespace

void warn_of_probabilities(std::string_view loss, const Tensor& predictions) {
  const ir::Block* block = block_of(predictions);
  const ir::Op* maker = block == nullptr ? nullptr : maker_of(*block, predictions.state()->value);
  const char* activation = maker == nullptr ? nullptr : probabilities_by(*block, *maker);
  if (activation == nullptr) return;
  publish_advice(LogLevel::warning,
                 str(loss, " with from_logits = true is given probabilities, the output of a ",
                     activation, place_of(*maker), ": leave the activation out, or from_logits"));
}

void warn_of_logits(std::string_view loss, const Tensor& predictions, std::string_view remedy) {
  const ir::Block* block = block_of(predictions);
  const ir::Op* maker = block == nullptr ? nullptr : maker_of(*block, predictions.state()->value);
  if (maker == nullptr || !is_linear(*block, *maker)) return;
  publish_advice(LogLevel::warning,
                 str(loss, " takes probabilities, and is given a product without an activation",
                     place_of(*maker), ": ", remedy));
}

}  // namespace systolic::inline v0
