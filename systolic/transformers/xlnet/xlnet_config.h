// XLNet (Yang et al. 2019, arXiv 1906.08237): the fields and defaults of transformers' XLNetConfig.
//
// Attention by relative positions and segments, without a limit of the length.
// Inputs: input_ids, attention_mask (1 where it is left out), token_type_ids (0), [batch, tokens];
// texts are padded in front. Features: last_hidden_state [batch, tokens, d_model]. As pretraining
// and generation have it, on request (PretrainedOptions::optional_inputs):
//   perm_mask       [batch, tokens, tokens], above 0 where a token may not see another
//   target_mapping  [batch, predicted, tokens], 1 where each prediction stands: a second stream
//                   that does not see what stands there, and the outputs are the predictions'
//   mems            [batch, n_layer, memory, d_model], hidden states of the segment before, of any
//                   length, 0 for the first; then the last output is "mems", for the next one
//
//   auto model = XLNetLMHeadModel::from_pretrained("xlnet/", {.optional_inputs = {"mems"}});
//
// The language model's labels are [batch, tokens or predicted], -100 where none counts: each
// belongs to its own place, where GPT-2's belong to the place after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct XLNetConfig {
  static constexpr const char* model_type = "xlnet";
  static constexpr const char* class_prefix = "XLNet";
  static constexpr bool masks_pairs = false;  // perm_mask does
  static constexpr const char* body_name = "transformer";

  int64_t vocab_size = 32000;
  int64_t d_model = 1024;
  int64_t n_layer = 24;
  int64_t n_head = 16;
  int64_t d_inner = 4096;
  std::string ff_activation = "gelu";
  std::string attn_type = "bi";  // "uni": a token sees none after it
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  double dropout = 0.1;
  int64_t clamp_len = -1;                 // the largest distance that is told apart; -1: any
  bool same_length = false;               // "uni": each token sees as many keys as the others
  std::optional<int64_t> mem_len = {};    // of the new mems, at most; none or 0: all
  std::optional<int64_t> reuse_len = {};  // tokens of a segment that mems keep; none or 0: all
  bool bi_data = false;                   // only this one: others are Unimplemented
  std::string summary_type = "last";      // the token that stands for a sequence: "last", "first"
  double summary_last_dropout = 0.1;
  std::optional<int64_t> pad_token_id = 5;

  static std::vector<Task> tasks();
  static std::string class_name(Task task);
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<InputOptions> optional_inputs() const;
  static OwnLoss loss(Task task, const Labels& labels);
  // generate(): the next token is predicted from all of the text, anew for each one, as
  // transformers does it with use_mems = false.
  GenerationSpec decoder() const;
  int64_t words_size() const { return d_model; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
