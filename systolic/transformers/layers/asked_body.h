// What a model may be asked besides its usual inputs and outputs, for bodies of all architectures:
// states and attention of each layer as outputs, places and vectors of tokens as inputs. Internal
// to transformers.
//
// A body says nothing of it, but where it embeds and where it calls its layers:
//
//   Tensor x = token_vectors(words, xs[0], context) + ...;       // or vectors, which were given
//   const Tensor places = token_positions(tokens);               // or those that were given
//   for (const Layer& layer : all_layers()) x = through_layer(layer, {x, mask}, context);
//   x = last_state(layer_norm(x, ...));                          // where states end with it
//
// and attention() keeps its probabilities. Outside of an AskedBody they do nothing else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

inline constexpr const char *encoder_half = "encoder_", *decoder_half = "decoder_";

struct BodyRequest {
  bool hidden_states = false;  // of what enters the first layer, and of what each layer gives
  bool attentions = false;     // of each layer: [batch, heads, tokens, keys]
  bool position_ids = false;   // the body's last input: i32 [batch, tokens]
  bool inputs_embeds = false;  // the body's first input: vectors in place of ids
  bool mask_of_pairs = false;  // the body's mask is of rank 3, and hides all that is to be hidden
  bool gradient_checkpointing = false;  // gradients compute its layers again (nn/remat.h)

  bool asks() const {
    return hidden_states || attentions || position_ids || inputs_embeds || mask_of_pairs ||
           gradient_checkpointing;
  }
};

// What a model is asked for, and what of it bodies gave: outputs by the names "hidden_states.0",
// "attentions.0".
struct AskedOutputs {
  BodyRequest request;
  std::vector<Symbol> recorded = {};
};

// A body's own outputs for these inputs. What is asked for besides is added to `asked.recorded`;
// its names begin with `half`, and a "decoder_" attends to its source after itself,
// "cross_attentions.0".
std::vector<Symbol> asked_outputs(const Layer& body, const std::vector<Symbol>& inputs,
                                  AskedOutputs& asked, const std::string& half);

// The vectors of ids i32 [batch, tokens] by `words`; of vectors [batch, tokens, size], themselves.
Tensor token_vectors(const Layer& words, const Tensor& ids, CallContext& context);
// The places that were given, i32 [batch, tokens], if there are any.
std::optional<Tensor> given_positions();
// These, or 0, 1, ... `tokens` - 1: i32 [1, tokens].
Tensor token_positions(int64_t tokens);
// Keeps x as the next of the states.
void keep_state(const Tensor& x);
// What a layer of the body gives for these inputs. Gradients compute it again where that was asked.
std::vector<Tensor> layer_outputs(const Layer& layer, const std::vector<Tensor>& xs,
                                  CallContext& context);
// The first of these; keeps it, and before the first layer's what enters.
Tensor through_layer(const Layer& layer, const std::vector<Tensor>& xs, CallContext& context);
// The same of a layer that `call` calls, perhaps in several parts, for x and what else it takes.
Tensor through_layer(const Tensor& x, const std::function<Tensor()>& call);
// x, which replaces the last of the states.
Tensor last_state(const Tensor& x);
// Where the probabilities of attention are to be kept; null where nobody asked.
Tensor* next_attention();
// Whether the mask says of each pair of tokens which sees which, so that neither order nor windows
// hide any.
bool masks_pairs();
// Whether states or attention are being kept.
bool keeps_layers();

// While it lives, the probabilities of attention are kept, in the order in which a body that is
// called meanwhile computes them. Not around an AskedBody, which keeps its own.
class KeptAttention {
 public:
  KeptAttention();
  ~KeptAttention();
  KeptAttention(const KeptAttention&) = delete;
  KeptAttention& operator=(const KeptAttention&) = delete;
  std::vector<Tensor> all() const;

 private:
  struct Call;
  std::unique_ptr<Call> call_;
};

// While it lives, nothing is kept: of attention that belongs to no layer.
class KeepsNothing {
 public:
  KeepsNothing();
  ~KeepsNothing();
  KeepsNothing(const KeepsNothing&) = delete;
  KeepsNothing& operator=(const KeepsNothing&) = delete;

 private:
  void* outer_;
};

}  // namespace systolic::inline v0
