#include "systolic/transformers/layers/seq2seq.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* written_ids = "decoder_input_ids";

// Vectors in place of ids, the first of xs, in the type that the model computes in.
struct GivenVectors {
  static constexpr const char* kind = "GivenVectors";
  static constexpr LayerTraits traits = {};

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const { return xs.at(0); }
};

// x [rows, ...] -> a token of each row: 0, i32 [rows, 1].
struct AnyToken {
  static constexpr const char* kind = "AnyToken";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;

  Tensor call(const Tensor& x, CallContext&) const { return zeros({x.shape()[0], 1}, DType::i32); }
};

// The table of what is read is part of the model all the same.
Symbol given_vectors(const Symbol& x, const Layer& words) {
  return Layer(GivenVectors{})({x, words(Layer(AnyToken{})(x))});
}

}  // namespace

std::vector<InputOptions> seq2seq_inputs(int64_t vocabulary, std::optional<int64_t> padding,
                                         int64_t written) {
  std::vector<InputOptions> inputs = text_inputs(vocabulary, 0, padding);
  inputs.push_back({.shape = Shape{-1},
                    .dtype = DType::i32,
                    .name = written_ids,
                    .values_below = written > 0 ? written : vocabulary});
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

Seq2SeqFeatures seq2seq_features(const std::vector<Symbol>& inputs, const Seq2SeqWords& words,
                                 const Layer& encoder, const Layer& decoder,
                                 const OutputsOfBody& outputs_of) {
  const Symbol read =
      gives_vectors(inputs) ? given_vectors(inputs[0], words.read) : words.read(inputs.at(0));
  const Symbol states = outputs_of(encoder, {read, inputs.at(1)}, encoder_half)[0];
  std::vector<Symbol> given{words.written(inputs.at(2)), states, inputs.at(1)};
  if (inputs.size() > 3) given.push_back(inputs[3]);
  return {.hidden = outputs_of(decoder, given, decoder_half)[0], .states = states};
}

std::vector<Symbol> named_seq2seq_features(const Seq2SeqFeatures& features) {
  return {named_output(features.hidden, "last_hidden_state"),
          named_output(features.states, "encoder_last_hidden_state")};
}

}  // namespace systolic::inline v0
