// A decoder that attends to what an encoder gave of another text, its source (cross-attention).
// Internal to transformers.
//
// Such a decoder is one layer, called in three ways:
//   {states}                        keys and values of the source for each of its layers, which
//                                   generate() computes once
//   {x, states, source mask[, mask]}                      whole texts
//   {x, starts, slot, caches, keys and values, source mask}   as a Decoder reads on: `caches` are
//                                   those of its own tokens (transformers/layers/decoder.h)
// x [rows, tokens, size] are the vectors of the tokens, states [rows, source tokens, size], masks
// [rows, tokens] of 0 and 1.
#pragma once

#include <functional>
#include <vector>

#include "systolic/nn/call_context.h"
#include "systolic/nn/layer.h"
#include "systolic/trace/ops/control_flow.h"

namespace systolic::inline v0 {

// What one layer of it is called on: {states} for keys and values of the source, [rows, source
// tokens, width] each, or these, in the order of the members.
struct SourceLayerInputs {
  Tensor x;
  Tensor mask;          // pred [1 or rows, 1, tokens, keys]
  Tensor keys, values;  // of the source
  Tensor source_mask;   // pred [rows, 1, 1, source tokens]
  Tensor bias;          // of scores of its own tokens; a scalar 0 where there is none
  Tensors own = {};     // slot, keys and values of the tokens before; empty for whole texts

  explicit SourceLayerInputs(const Tensors& xs);
  bool reads_on() const { return !own.empty(); }
  // Where it reads on, x's keys and values become those of all tokens so far.
  void add_tokens_before(Tensor& key, Tensor& value) const;
};

// The parts of such a decoder.
struct SourceDecoder {
  // Each takes SourceLayerInputs and gives {x}, with its keys and values where it reads on.
  std::vector<Layer> layers;
  // x with what says where the tokens stand; `positions` i32 [1 or rows, tokens].
  std::function<Tensor(const Tensor& x, const Tensor& positions)> embed;
  // Added to scores of tokens in `slots` i32 [tokens] for those in slots 0, 1, ... `keys` - 1:
  // [1, heads, tokens, keys].
  std::function<Tensor(const Tensor& slots, int64_t keys)> bias = {};
  std::function<Tensor(const Tensor& x)> finish = {};
  int64_t positions = 0;  // that there are, at most
};
Tensors decode(const SourceDecoder& decoder, const Tensors& xs, CallContext& context);

}  // namespace systolic::inline v0
