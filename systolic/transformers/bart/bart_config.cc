#include "systolic/transformers/bart/bart_config.h"

#include <cmath>

#include "systolic/trace/ops/elementwise.h"
#include "systolic/transformers/architecture/outputs_of.h"
#include "systolic/transformers/bart/bart_fields.h"
#include "systolic/transformers/bart/bart_stack.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/seq2seq.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* final_bias = "final_logits_bias";

// What is added to the scores of each token: kept by checkpoints, and not trained.
struct FinalBias {
  static constexpr const char* kind = "FinalBias";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  int64_t tokens = 0;
  std::string name = final_bias;

  Tensor call(const Tensor& x, CallContext& context) const {
    const Variable bias =
        context.add_weight("itself", {1, tokens}, {.initializer = "zeros", .trainable = false});
    return x + cast(bias.value(), x.dtype());
  }
};

template <const BartKind& kind>
BartStack bart_stack(const BartConfigOf<kind>& config, bool decodes) {
  BartStack stack{.sizes = bart_sizes(config, decodes),
                  .layers = decodes ? config.decoder_layers : config.encoder_layers,
                  .decodes = decodes,
                  .name = decodes ? "model.decoder" : "model.encoder"};
  stack.sizes.positions = config.max_position_embeddings;
  stack.sizes.sinusoidal = kind.sinusoidal;
  if (config.scale_embedding)
    stack.sizes.word_scale = std::sqrt(static_cast<double>(config.d_model));
  return stack;
}

constexpr const char *shared_words = "model.shared", *read_words = "model.encoder.embed_tokens",
                     *written_words = "model.decoder.embed_tokens";

template <const BartKind& kind>
void transfer_vocabulary(ConfigFields& fields, BartConfigOf<kind>& config) {
  fields.integer("vocab_size", config.vocab_size, 1, limits::vocabulary);
  if (kind.sinusoidal)
    fields.boolean("share_encoder_decoder_embeddings", config.share_encoder_decoder_embeddings);
  if (!config.share_encoder_decoder_embeddings) {
    if (!kind.sinusoidal)
      fields.fail("share_encoder_decoder_embeddings", "false", "true: a Marian alone has it");
    fields.integer("decoder_vocab_size", config.decoder_vocab_size, 1, limits::vocabulary);
    return;
  }
  if (!kind.sinusoidal) return;
  const Config* written = fields.reads() ? fields.entries().find("decoder_vocab_size") : nullptr;
  if (written != nullptr && !written->is_null() && *written != Config(config.vocab_size))
    fields.fail(
        "decoder_vocab_size", written->text().substr(0, 40),
        str("vocab_size, ", config.vocab_size, ", where share_encoder_decoder_embeddings is true"));
}

}  // namespace

template <const BartKind& kind>
std::string BartConfigOf<kind>::class_name(Task task) {
  return task == Task::seq2seq_lm ? kind.class_of_writer
                                  : class_prefix + std::string(class_suffix(task));
}

template <const BartKind& kind>
int64_t BartConfigOf<kind>::written_tokens() const {
  return share_encoder_decoder_embeddings ? vocab_size : decoder_vocab_size.value_or(vocab_size);
}

template <const BartKind& kind>
std::vector<std::string> BartConfigOf<kind>::body_layers() const {
  if (share_encoder_decoder_embeddings) return {shared_words, "model.encoder", "model.decoder"};
  return {read_words, written_words, "model.encoder", "model.decoder"};
}

template <const BartKind& kind>
WeightNames BartConfigOf<kind>::weight_names() const {
  WeightNames names{.ignored = {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
                                "encoder.version", "decoder.version"},
                    .copies = {{"lm_head.weight", str(shared_words, ".weight")}}};
  if (!share_encoder_decoder_embeddings)
    names = {.ignored = {"encoder.version", "decoder.version"},
             .copies = {{"lm_head.weight", str(written_words, ".weight")}}};
  if (kind.sinusoidal) names.ignored.emplace_back(".embed_positions.weight");
  return names;
}

template <const BartKind& kind>
void BartConfigOf<kind>::transfer(ConfigFields& fields) {
  transfer_vocabulary(fields, *this);
  transfer_bart_fields(fields, *this);
  fields.integer("max_position_embeddings", max_position_embeddings, 1, limits::positions);
  fields.boolean("scale_embedding", scale_embedding);
  for (const auto& [name, id] :
       {std::pair("bos_token_id", &bos_token_id), std::pair("eos_token_id", &eos_token_id)}) {
    if (!fields.reads() && *id) fields.integer(name, *id, -1, limits::vocabulary);
  }
  fields.only("is_decoder", false);
  // Some large checkpoints of BART have these; its classes have had no such parts for years.
  fields.only("normalize_before", false);
  fields.only("add_final_layer_norm", false);
  if (kind.sinusoidal)
    fields.check_heads("d_model", d_model, "waves, one for sines and one for cosines,", 2);
}

template <const BartKind& kind>
std::vector<InputOptions> BartConfigOf<kind>::inputs() const {
  return seq2seq_inputs(vocab_size, pad_token_id, written_tokens());
}

template <const BartKind& kind>
std::vector<InputOptions> BartConfigOf<kind>::optional_inputs() const {
  return seq2seq_optional_inputs();
}

template <const BartKind& kind>
std::optional<InputOfLabels> BartConfigOf<kind>::input_of_labels(Task task) const {
  return seq2seq_input_of_labels(
      task, {.start = decoder_start_token_id, .padding = pad_token_id.value_or(0)});
}

template <const BartKind& kind>
GenerationSpec BartConfigOf<kind>::decoder() const {
  GenerationSpec sizes{.layers = decoder_layers,
                       .width = d_model,
                       .vocabulary = written_tokens(),
                       .eos_token_id = eos_token_id.value_or(kind.eos_token_id),
                       .head = {"lm_head", final_bias}};
  sizes.source =
      SourceSizes{.start_token_id = decoder_start_token_id,
                  .positions = max_position_embeddings,
                  .words = share_encoder_decoder_embeddings ? shared_words : written_words,
                  .encoder = "model.encoder",
                  .decoder = "model.decoder"};
  if (!share_encoder_decoder_embeddings) {
    sizes.source->read_words = read_words;
    sizes.source->vocabulary = vocab_size;
  }
  return sizes;
}

template <const BartKind& kind>
std::vector<Symbol> BartConfigOf<kind>::build(const BuildArguments& arguments) const {
  const bool shares = share_encoder_decoder_embeddings;
  const Layer words = bart_words(*this, written_tokens(), shares ? shared_words : written_words);
  const Layer read = shares ? words : bart_words(*this, vocab_size, read_words);
  BartStack encoder = bart_stack(*this, false);
  if (gives_vectors(arguments.inputs)) encoder.sizes.word_scale = 1;  // they are what is scaled
  const Seq2SeqFeatures features = seq2seq_features(arguments.inputs, {read, words}, encoder,
                                                    bart_stack(*this, true), outputs_of(arguments));
  if (arguments.task != Task::seq2seq_lm) return named_seq2seq_features(features);
  return token_scores(features.hidden, {.words = words,
                                        .tokens = written_tokens(),
                                        .tied = arguments.ties_word_embeddings,
                                        .use_bias = false,
                                        .initializer_range = init_std,
                                        .name = "lm_head",
                                        .last = FinalBias{.tokens = written_tokens()}});
}

template struct BartConfigOf<bart_kind>;
template struct BartConfigOf<marian_kind>;

}  // namespace systolic::inline v0
