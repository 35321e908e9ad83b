// Whisper (Radford et al. 2022, arXiv 2212.04356): the fields and defaults of transformers'
// WhisperConfig.
//
// An encoder reads the features of 30 seconds of sound, and a decoder writes what is said there.
// Inputs: input_features f32 [batch, num_mel_bins, 2 * max_source_positions], which a
// WhisperFeatureExtractor makes of waveforms, and decoder_input_ids [batch, tokens], which labels
// make. Features: last_hidden_state [batch, tokens, d_model] and encoder_last_hidden_state [batch,
// max_source_positions, d_model].
//
//   auto model = WhisperForConditionalGeneration::from_pretrained("whisper-tiny/");
//   const Example sound = WhisperFeatureExtractor::from_pretrained("whisper-tiny/")({waveform});
//
// encoder_layerdrop, decoder_layerdrop and apply_spec_augment, which are 0 and false in all
// published files, are Unimplemented otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct WhisperConfig {
  static constexpr const char* model_type = "whisper";
  static constexpr const char* class_prefix = "Whisper";
  static constexpr const char* body_name = "model";

  int64_t vocab_size = 51865;
  int64_t num_mel_bins = 80;
  int64_t d_model = 384;
  int64_t encoder_layers = 4;
  int64_t encoder_attention_heads = 6;
  int64_t encoder_ffn_dim = 1536;
  int64_t decoder_layers = 4;
  int64_t decoder_attention_heads = 6;
  int64_t decoder_ffn_dim = 1536;
  int64_t max_source_positions = 1500;  // of the encoder, each of two windows of sound
  int64_t max_target_positions = 448;   // tokens that are written at most
  std::string activation_function = "gelu";
  double dropout = 0;
  double attention_dropout = 0;
  double activation_dropout = 0;
  double init_std = 0.02;
  std::optional<int64_t> pad_token_id = 50256;
  int64_t decoder_start_token_id = 50257;
  std::optional<int64_t> bos_token_id = 50256, eos_token_id = 50256;

  static std::vector<Task> tasks() { return {Task::features, Task::seq2seq_lm}; }
  static std::vector<std::string> body_layers() {
    return {"model.encoder", "model.decoder.embed_tokens", "model.decoder"};
  }
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<InputOptions> optional_inputs() const;
  std::optional<InputOfLabels> input_of_labels(Task task) const;
  int64_t max_tokens() const { return max_target_positions; }
  GenerationSpec decoder() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
