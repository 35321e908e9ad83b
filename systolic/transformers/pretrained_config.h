// A config.json: the architecture, its sizes, the classes of its head.
//
//   PretrainedConfig config = PretrainedConfig::from_pretrained("bert-base-uncased/");
//   config.model_type()                      // "bert"
//
// Also from an architecture's own struct: PretrainedConfig config = BertConfig{.hidden_size = 128}.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// Further options of from_pretrained and from_config, named as in `transformers`.
struct PretrainedOptions {
  std::optional<int64_t> num_labels = {};  // else the configuration's
  std::vector<std::string> id2label = {};  // names of the classes, in place of num_labels
  // "regression", "single_label_classification", "multi_label_classification"; empty: the
  // configuration's.
  std::string problem_type = {};
  // Fields that replace the file's: {.config = {{"hidden_dropout_prob", 0.0}}}. NotFound, with the
  // closest, for a name that the architecture does not have.
  Config::Map config = {};
  // Weights whose shapes differ from the checkpoint's start fresh; by default they are an error.
  bool ignore_mismatched_sizes = false;
  bool add_pooling_layer = true;  // of AutoModel, where the architecture has one
  // Pictures may have another height and width than image_size: the vectors of their positions lie
  // between those of the folder. ViT, DeiT, BEiT, CLIP, SigLIP and Swin know it; DINOv2 always does
  // so.
  bool interpolate_pos_encoding = false;
  // Inputs that the model is to take besides: "position_ids" i32 [batch, tokens] where a text's
  // tokens stand, XLNet's "perm_mask", "target_mapping" and "mems", an encoder-decoder's
  // "decoder_attention_mask"; and "inputs_embeds" f32 [batch, tokens, size], tokens' vectors, in
  // place of input_ids.
  std::vector<std::string> optional_inputs = {};
  // 3: attention_mask is [batch, tokens, tokens], which tokens (the last axis) each one sees, and
  // has no default. It stands for all: a model that reads from left to right does not hide later
  // tokens besides, nor one with windows those that are far.
  int64_t attention_mask_rank = 2;
  // Outputs besides: "hidden_states.0", what enters the first layer, "hidden_states.1", what that
  // layer gives, and so on, [batch, tokens, size]; an encoder-decoder's are called
  // "encoder_hidden_states.0" and "decoder_hidden_states.0". They are not part of the loss.
  bool output_hidden_states = false;
  // Outputs besides: "attentions.0" [batch, heads, tokens, keys], the probabilities of the first
  // layer, and so on; an encoder-decoder's are "encoder_attentions.0", "decoder_attentions.0" and,
  // of the decoder for its source, "cross_attentions.0".
  bool output_attentions = false;
  // Training keeps of each layer what enters it alone, and computes the layer again for its
  // gradient: less memory, a forward pass more, the same losses and gradients (nn/remat.h). Also
  // what a config.json asks for that has it true.
  bool gradient_checkpointing = false;
};

class PretrainedConfig {
 public:
  template <class Fields>
  requires requires { Fields::model_type; }
  PretrainedConfig(Fields fields)  // NOLINT: an architecture's struct is a configuration
      : architecture_(std::make_shared<ArchitectureOf<Fields>>(std::move(fields))),
        ties_word_embeddings_(architecture_->ties_word_embeddings()) {}

  // A handle that was moved from still holds on: moving copies.
  PretrainedConfig(const PretrainedConfig&) = default;
  PretrainedConfig& operator=(const PretrainedConfig&) = default;
  // Reads folder/config.json, with the options' fields over it. Errors name the file and the field.
  static PretrainedConfig from_pretrained(const std::string& folder, const Config::Map& fields = {},
                                          SourceLocation location = SourceLocation::current());

  std::string model_type() const { return architecture_->model_type(); }
  const Architecture& architecture() const { return *architecture_; }
  const Labels& labels() const { return labels_; }
  // Whether a language model's head is the table of its word embeddings (`tie_word_embeddings`; the
  // architecture has the default).
  bool ties_word_embeddings() const { return ties_word_embeddings_; }
  // Whether gradients compute layers again (`gradient_checkpointing`, which older files have).
  bool gradient_checkpointing() const { return gradient_checkpointing_.value_or(false); }
  // Fields that replace these: what PretrainedOptions::config takes.
  void set_fields(const Config::Map& fields, SourceLocation location);
  // Replaces these labels by the options'.
  void set_labels(const PretrainedOptions& options, SourceLocation location);

  // Keeps what it holds of that type: of a CLIP its text model. One that holds none stays.
  void take_part(const std::string& model_type);

  // InvalidArgument, naming the folder, for another type.
  void check_model_type(const std::string& wanted, const std::string& folder,
                        SourceLocation location) const;

  // The task that an Auto class stands for here: where it covers several classes of the
  // architecture (DeiT's classifiers, with and without a teacher), the one that the file names.
  Task auto_task(Task task) const;

  // As a config.json for the task's class, with weights of that type; entries of the file that no
  // architecture's struct has are kept.
  Config entries(Task task, DType dtype = DType::f32) const;

 private:
  PretrainedConfig() = default;
  void read(ConfigFields& reader, const Config::Map& fields, SourceLocation location);
  std::shared_ptr<Architecture> architecture_;
  Labels labels_;
  bool ties_word_embeddings_ = true;
  std::optional<bool> gradient_checkpointing_ = {};
  std::vector<std::string> class_names_;  // `architectures` of the file
  Config::Map others_;                    // of the file
};

}  // namespace systolic::inline v0
