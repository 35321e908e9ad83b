// What all encoder-decoders of texts share: their inputs, how their two halves are joined.
// Internal to transformers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"
#include "systolic/train/state/own_loss.h"
#include "systolic/transformers/config/shift_tokens.h"
#include "systolic/transformers/config/task.h"
#include "systolic/transformers/layers/asked_body.h"

namespace systolic::inline v0 {

// input_ids, attention_mask, decoder_input_ids, which are `written` tokens where that is not 0.
std::vector<InputOptions> seq2seq_inputs(int64_t vocabulary, std::optional<int64_t> padding,
                                         int64_t written = 0);
// decoder_attention_mask.
std::vector<InputOptions> seq2seq_optional_inputs();
// Labels make decoder_input_ids.
std::optional<InputOfLabels> seq2seq_input_of_labels(Task task, ShiftOptions options);

// Whether the first of the inputs above is vectors in place of ids ("inputs_embeds").
bool gives_vectors(const std::vector<Symbol>& inputs);

// The vectors of the tokens that are read and of those that are written: often one layer.
struct Seq2SeqWords {
  Layer read, written;
};

struct Seq2SeqFeatures {
  Symbol hidden;  // of the decoder
  Symbol states;  // of the encoder
};
// A body's outputs, as BuildArguments::features gives them.
using OutputsOfBody = std::function<std::vector<Symbol>(
    const Layer& body, const std::vector<Symbol>& inputs, const char* half)>;
// `inputs` are those above, perhaps with the optional one.
Seq2SeqFeatures seq2seq_features(const std::vector<Symbol>& inputs, const Seq2SeqWords& words,
                                 const Layer& encoder, const Layer& decoder,
                                 const OutputsOfBody& outputs_of);
// {last_hidden_state, encoder_last_hidden_state}
std::vector<Symbol> named_seq2seq_features(const Seq2SeqFeatures& features);

}  // namespace systolic::inline v0
