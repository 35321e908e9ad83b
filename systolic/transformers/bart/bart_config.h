// BART (Lewis et al. 2019, arXiv 1910.13461) and Marian's translators (Junczys-Dowmunt et al. 2018,
// arXiv 1804.00344), which differ in their positions: the fields and defaults of transformers'
// BartConfig and MarianConfig.
//
// An encoder reads a text, its source, and a decoder writes another one.
// Inputs and outputs are those of T5 (transformers/t5/t5_config.h); texts have at most
// max_position_embeddings tokens.
//
//   auto model = MarianMTModel::from_pretrained("opus-mt-en-de/");
//   Literal ids = model.generate(tokenizer(texts, {.padding = true}));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct BartKind {
  const char *model_type, *class_prefix, *class_of_writer;
  bool sinusoidal;  // Marian's positions
  int64_t vocab_size, pad_token_id, decoder_start_token_id, eos_token_id;
};
// As transformers has them.
inline constexpr BartKind bart_kind{"bart", "Bart", "BartForConditionalGeneration", false, 50265, 1,
                                    2,      2};
// Marian's translators, as transformers has them: positions are sines, and the decoder begins with
// the token that pads.
inline constexpr BartKind marian_kind{"marian", "Marian", "MarianMTModel", true,
                                      58101,    58100,    58100,           0};

template <const BartKind& kind>
struct BartConfigOf {
  static constexpr const char* model_type = kind.model_type;
  static constexpr const char* class_prefix = kind.class_prefix;
  static constexpr bool masks_pairs = false;
  static constexpr const char* body_name = "model";

  int64_t vocab_size = kind.vocab_size;
  // Marian: whether what is written has the tokens of what is read, or so many of its own,
  // vocab_size where nothing else is said.
  bool share_encoder_decoder_embeddings = true;
  std::optional<int64_t> decoder_vocab_size = {};
  int64_t d_model = 1024;
  int64_t max_position_embeddings = 1024;
  int64_t encoder_layers = 12;
  int64_t encoder_ffn_dim = 4096;
  int64_t encoder_attention_heads = 16;
  int64_t decoder_layers = 12;
  int64_t decoder_ffn_dim = 4096;
  int64_t decoder_attention_heads = 16;
  std::string activation_function = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0;
  double activation_dropout = 0;
  double init_std = 0.02;
  bool scale_embedding = false;  // the tokens' vectors are multiplied by sqrt(d_model)
  std::optional<int64_t> pad_token_id = kind.pad_token_id;
  int64_t decoder_start_token_id = kind.decoder_start_token_id;
  // Before and after a text; generate() ends after the latter. Default: the architecture's own.
  std::optional<int64_t> bos_token_id = {}, eos_token_id = {};

  static std::string class_name(Task task);
  static std::vector<Task> tasks() { return {Task::features, Task::seq2seq_lm}; }
  std::vector<std::string> body_layers() const;
  WeightNames weight_names() const;
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<InputOptions> optional_inputs() const;
  std::optional<InputOfLabels> input_of_labels(Task task) const;
  GenerationSpec decoder() const;
  int64_t words_size() const { return d_model; }
  int64_t written_tokens() const;  // how many tokens there are to write
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using BartConfig = BartConfigOf<bart_kind>;
using MarianConfig = BartConfigOf<marian_kind>;

}  // namespace systolic::inline v0
