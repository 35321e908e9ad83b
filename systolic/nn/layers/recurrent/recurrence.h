// The loop of all recurrent layers over the steps of a sequence. Internal to nn.
#pragma once

#include <optional>

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The fields that all of them have.
struct RecurrenceOptions {
  bool return_sequences = false;  // the outputs of all steps, [batch, steps, ...]; else the last
  bool return_state = false;      // gives the last states, too, after the output
  bool go_backwards = false;      // from the last step to the first
  bool stateful = false;          // a batch goes on where the one before ended
  bool unroll = false;            // no loop on the device: the steps one after the other
  bool zero_output_for_mask = false;      // else masked steps repeat the output before
  Regularizer activity_regularizer = {};  // a penalty on the output, a mean over examples
};

// xs: a sequence [batch, steps, ...], or that and the first states [batch, ...]. Gives the output,
// [batch, ...] of the last step or [batch, steps, ...], and with return_state the last states.
std::vector<Tensor> run_recurrence(const RecurrentCell& cell, const std::vector<Tensor>& xs,
                                   const RecurrenceOptions& options, CallContext& context);

// Sets back to 0 what the stateful recurrent layers in this layer, or network, keep.
void reset_states(const Layer& layer);

// The options that a recurrent layer's fields name.
template <class Spec>
RecurrenceOptions recurrence_options(const Spec& spec) {
  return {.return_sequences = spec.return_sequences,
          .return_state = spec.return_state,
          .go_backwards = spec.go_backwards,
          .stateful = spec.stateful,
          .unroll = spec.unroll,
          .zero_output_for_mask = spec.zero_output_for_mask};
}

// The list of the fields that all recurrent layers have, for their fields().
template <class Spec>
constexpr auto recurrence_fields() {
  return std::tuple(field("return_sequences", &Spec::return_sequences),
                    field("return_state", &Spec::return_state),
                    field("go_backwards", &Spec::go_backwards), field("stateful", &Spec::stateful),
                    field("unroll", &Spec::unroll),
                    field("zero_output_for_mask", &Spec::zero_output_for_mask));
}

// The call operators of a recurrent layer: `LSTM{...}(x)`, or with first states `LSTM{...}({x, h,
// c})`.
#define SYSTOLIC_RECURRENT_LAYER_CALLS                                            \
  Symbol operator()(const Symbol& x)&& { return call_once(std::move(*this), x); } \
  Tensor operator()(const Tensor& x, CallContext& context)&& {                    \
    return call_once(std::move(*this), x, context);                               \
  }                                                                               \
  SYSTOLIC_MERGING_LAYER_CALLS

}  // namespace systolic::inline v0
