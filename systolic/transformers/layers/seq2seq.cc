#include "systolic/transformers/layers/seq2seq.h"

#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* written_ids = "decoder_input_ids";

// Vectors in place of ids, in the type that the model computes in.
struct GivenVectors {
  static constexpr const char* kind = "GivenVectors";
  static constexpr LayerTraits traits = {};

  Tensor call(const Tensor& x, CallContext&) const { return x; }
};

}  // namespace

std::vector<InputOptions> seq2seq_inputs(int64_t vocabulary, std::optional<int64_t> padding) {
  std::vector<InputOptions> inputs = text_inputs(vocabulary, 0, padding);
  inputs.push_back(
      {.shape = Shape{-1}, .dtype = DType::i32, .name = written_ids, .values_below = vocabulary});
  return inputs;
}

std::vector<InputOptions> seq2seq_optional_inputs() {
  return {{.shape = Shape{-1}, .dtype = DType::i32, .name = "decoder_attention_mask"}};
}

std::optional<InputOfLabels> seq2seq_input_of_labels(Task task, ShiftOptions options) {
  if (task != Task::seq2seq_lm) return {};
  return InputOfLabels{.input = written_ids, .make = [options](const Literal& labels) {
                         return shift_tokens_right(labels, options);
                       }};
}

bool gives_vectors(const std::vector<Symbol>& inputs) { return is_float(inputs.at(0).dtype()); }

Seq2SeqFeatures seq2seq_features(const std::vector<Symbol>& inputs, const Layer& words,
                                 const Layer& encoder, const Layer& decoder,
                                 const OutputsOfBody& outputs_of) {
  const Symbol read =
      gives_vectors(inputs) ? Layer(GivenVectors{})(inputs[0]) : words(inputs.at(0));
  const Symbol states = outputs_of(encoder, {read, inputs.at(1)}, encoder_half)[0];
  std::vector<Symbol> given{words(inputs.at(2)), states, inputs.at(1)};
  if (inputs.size() > 3) given.push_back(inputs[3]);
  return {.hidden = outputs_of(decoder, given, decoder_half)[0], .states = states};
}

std::vector<Symbol> named_seq2seq_features(const Seq2SeqFeatures& features) {
  return {named_output(features.hidden, "last_hidden_state"),
          named_output(features.states, "encoder_last_hidden_state")};
}

}  // namespace systolic::inline v0
