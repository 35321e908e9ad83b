#include "systolic/transformers/whisper/whisper_config.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/transformers/bart/bart_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/seq2seq.h"
#include "systolic/transformers/whisper/whisper_encoder.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* words_table = "model.decoder.embed_tokens";

// A source of sound has no padding: states [batch, positions, size] -> 1, i32 [batch, positions].
struct AllShown {
  static constexpr const char* kind = "AllShown";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;

  Tensor call(const Tensor& x, CallContext&) const {
    return fill({x.shape()[0], x.shape()[1]}, 1, DType::i32);
  }
};

BartSizes whisper_sizes(const WhisperConfig& config, bool decodes) {
  BartSizes sizes = bart_sizes(config, decodes);
  sizes.positions = decodes ? config.max_target_positions : config.max_source_positions;
  sizes.normalizes_first = true;
  sizes.key_bias = false;
  sizes.first_position = 0;
  return sizes;
}

Seq2SeqFeatures sound_features(const BuildArguments& arguments, const Layer& words,
                               const Layer& encoder, const Layer& decoder) {
  const std::vector<Symbol>& inputs = arguments.inputs;
  const Symbol states = arguments.features(encoder, {inputs.at(0)}, encoder_half)[0];
  std::vector<Symbol> given{words(inputs.at(1)), states, Layer(AllShown{})(states)};
  if (inputs.size() > 2) given.push_back(inputs[2]);
  return {.hidden = arguments.features(decoder, given, decoder_half)[0], .states = states};
}

}  // namespace

WeightNames WhisperConfig::weight_names() {
  return {.copies = {{"proj_out.weight", "model.decoder.embed_tokens.weight"}}};
}

void WhisperConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("num_mel_bins", num_mel_bins, 1, limits::channels);
  transfer_bart_fields(fields, *this);
  fields.integer("max_source_positions", max_source_positions, 1, limits::positions);
  fields.integer("max_target_positions", max_target_positions, 1, limits::positions);
  fields.integer("bos_token_id", bos_token_id, -1, limits::vocabulary);
  fields.integer("eos_token_id", eos_token_id, -1, limits::vocabulary);
  fields.only("scale_embedding", false);
  fields.only("encoder_layerdrop", 0.0);
  fields.only("decoder_layerdrop", 0.0);
  fields.only("apply_spec_augment", false);
  fields.check_heads("d_model", d_model, "waves, one for sines and one for cosines,", 2);
}

std::vector<InputOptions> WhisperConfig::inputs() const {
  return {{.shape = Shape{num_mel_bins, 2 * max_source_positions}, .name = "input_features"},
          {.shape = Shape{-1},
           .dtype = DType::i32,
           .name = "decoder_input_ids",
           .values_below = vocab_size}};
}

std::vector<InputOptions> WhisperConfig::optional_inputs() const {
  return seq2seq_optional_inputs();
}

std::optional<InputOfLabels> WhisperConfig::input_of_labels(Task task) const {
  return seq2seq_input_of_labels(
      task, {.start = decoder_start_token_id, .padding = pad_token_id.value_or(0)});
}

GenerationSpec WhisperConfig::decoder() const {
  GenerationSpec sizes{.layers = decoder_layers,
                       .width = d_model,
                       .vocabulary = vocab_size,
                       .eos_token_id = eos_token_id.value_or(-1),
                       .head = {"proj_out"}};
  sizes.source = SourceSizes{.start_token_id = decoder_start_token_id,
                             .positions = max_source_positions,
                             .bins = num_mel_bins,
                             .frames = 2 * max_source_positions,
                             .words = words_table,
                             .encoder = "model.encoder",
                             .decoder = "model.decoder"};
  return sizes;
}

std::vector<Symbol> WhisperConfig::build(const BuildArguments& arguments) const {
  const Layer words = bart_words(*this, vocab_size, words_table);
  const Layer encoder = WhisperEncoder{.sizes = whisper_sizes(*this, false),
                                       .mel_bins = num_mel_bins,
                                       .layers = encoder_layers,
                                       .name = "model.encoder"};
  const Layer decoder = BartStack{.sizes = whisper_sizes(*this, true),
                                  .layers = decoder_layers,
                                  .decodes = true,
                                  .name = "model.decoder"};
  const Seq2SeqFeatures features = sound_features(arguments, words, encoder, decoder);
  if (arguments.task != Task::seq2seq_lm) return named_seq2seq_features(features);
  return token_scores(features.hidden, {.words = words,
                                        .tokens = vocab_size,
                                        .tied = arguments.ties_word_embeddings,
                                        .use_bias = false,
                                        .initializer_range = init_std,
                                        .name = "proj_out"});
}

}  // namespace systolic::inline v0
