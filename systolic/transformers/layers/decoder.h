// A causal language model that continues where it stopped: what attention computed for the tokens
// before stays on the device, so that one more token costs one token's work. Internal to
// transformers.
//
// Texts end together: a shorter one begins at a later slot, after padding that nobody sees. Keys
// and values lie in `slots` places from the start, so that all steps have one shape.
//
//   Tensors caches = decoder.empty(rows, slots);
//   Tensor scores = decoder.read(prompts, starts, constant(0), caches);
//   scores = decoder.read(next, starts, constant(prompt_length), caches);
//
// One that writes about a source, a text that an encoder reads, gets what it keeps of this with
// each call:
//
//   const Tensors source = decoder.read_source(ids, mask);
//   scores = decoder.read(next, starts, slot, caches, source);
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/call_context.h"
#include "systolic/nn/network/network.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/transformers/config/generation_spec.h"

namespace systolic::inline v0 {

// What a body is called on: {ids, starts, slot, keys and values of each layer}. It gives its hidden
// states, [rows, tokens, size], and the keys and values with those of the tokens in their slots.
struct DecoderInputs {
  Tensor ids;      // i32 [rows, tokens]; or their vectors, [rows, tokens, size]
  Tensor starts;   // i32 [rows]: the slot of each row's first token
  Tensor slot;     // i32, of the first of these tokens
  Tensors caches;  // [rows, slots, width] each

  explicit DecoderInputs(const Tensors& xs);
  // The tokens' positions in their texts, 0 where they pad; below `count`. i32 [rows, tokens].
  Tensor positions(int64_t count) const;
  // Which slots each token sees: its own and those before it, or of these only the last `window`,
  // its own included. pred [rows, 1, tokens, slots].
  Tensor mask(std::optional<int64_t> window = {}) const;

 private:
  Tensor slots_of_tokens() const;  // i32 [1, tokens]
};

// Whether a body is called on such inputs, and not on {ids, mask} and more of their shape.
bool has_caches(const Tensors& xs);

// The output of a body that is called on such inputs: x [rows, tokens, size], the tokens' vectors,
// through its layers, each of which is called on {x, mask, slot, keys, values} and returns x, keys
// and values.
Tensors read_through(const std::vector<Layer>& layers, const Tensor& x, const DecoderInputs& inputs,
                     CallContext& context);

// Keys or values [rows, slots, width] with those of the tokens from `slot` on, [rows, tokens,
// width].
Tensor with_tokens(const Tensor& cache, const Tensor& slot, const Tensor& tokens);

class Decoder {
 public:
  // For a network with a layer named `body`, or those of sizes.source, and those of sizes.head.
  Decoder(const Network& network, const std::string& body, GenerationSpec sizes);

  const GenerationSpec& sizes() const { return sizes_; }
  Tensors empty(int64_t rows, int64_t slots) const;
  // Sources [rows, source tokens] and which of their tokens count, 1 or 0 -> what read() takes:
  // keys and values of each layer, then that mask. For sounds: the features, [rows, bins, frames],
  // all of which count.
  Tensors read_source(const Tensor& ids, const Tensor& mask) const;
  // The scores of the token after the last of `ids` [rows, tokens], which stand in the slots from
  // `slot` on: f32 [rows, vocabulary].
  Tensor read(const Tensor& ids, const Tensor& starts, const Tensor& slot, Tensors& caches,
              const Tensors& source = {}) const;
  // The same after each of them: f32 [rows, tokens, vocabulary].
  Tensor read_all(const Tensor& ids, const Tensor& starts, const Tensor& slot,
                  Tensors& caches) const;
  // What scores are made of: hidden states, [rows, tokens, size].
  Tensor states(const Tensor& ids, const Tensor& starts, const Tensor& slot, Tensors& caches,
                const Tensors& source) const;
  // States [..., size] -> f32 [..., vocabulary].
  Tensor scores(Tensor states) const;

 private:
  Layer body_;
  std::optional<Layer> words_, read_words_, encoder_;  // where there are sources
  std::vector<Layer> head_;
  GenerationSpec sizes_;
};

}  // namespace systolic::inline v0
