// Fine-tuning by adapters (Hugging Face's peft): the model's weights stay as they are, and small
// ones beside them are trained, saved and loaded.
//
//   PretrainedModel model = AutoModelForCausalLM::from_pretrained("llama/");
//   PeftModel tuned = get_peft_model(model, {.r = 16, .lora_alpha = 32,
//                                            .target_modules = {"q_proj", "v_proj"}});
//   tuned.compile({.optimizer = AdamW{.learning_rate = 2e-4}});
//   tuned.fit(train);
//   tuned.save_pretrained("adapter/");      // adapter_config.json, adapter_model.safetensors
//
//   PeftModel again = PeftModel::from_pretrained(model, "adapter/");
//   PretrainedModel merged = again.merge_and_unload();   // an ordinary model
//
// Files are peft's, in both directions. LoRA, rsLoRA and DoRA on layers of matrices
// (transformers/peft/lora_config.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/transformers/peft/lora_config.h"
#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

struct PeftOptions {
  bool is_trainable = false;  // else no weight is trained until set_trainable
};

// A handle on the model that it was made of, which computes with the adapters too, until they are
// unloaded. What it gives to save_pretrained is the adapters alone.
class PeftModel : public PretrainedModel {
 public:
  // Reads an adapter_config.json and the adapter_model.safetensors, or .bin, beside it. One
  // InvalidArgument lists the weights that the file lacks or that have another shape; the model is
  // as it was then. Weights that the model has no use for are a line of the log.
  static PeftModel from_pretrained(const PretrainedModel& model, const std::string& folder,
                                   const PeftOptions& options = {},
                                   SourceLocation location = SourceLocation::current());

  const LoraConfig& peft_config() const;
  // The modules with adapters, by their names in checkpoints.
  std::vector<std::string> adapted_modules() const;
  // "trainable params: 2,320 || all params: 23,108 || trainable%: 10.0398", as peft counts and
  // writes it.
  std::string trainable_parameters() const;
  void print_trainable_parameters() const;

  // As peft reads them. Makes the folder. The weights are f32 whatever the model computes in.
  void save_pretrained(const std::string& folder,
                       SourceLocation location = SourceLocation::current()) const;

  // Adds what the adapters learned to the model's weights and removes them, from all handles. What
  // was trained before is trained again. Call compile() before the next fit.
  PretrainedModel merge_and_unload(SourceLocation location = SourceLocation::current());
  // Removes them alone. Modules that were trained as a whole stay as they are.
  PretrainedModel unload(SourceLocation location = SourceLocation::current());

 private:
  struct Adapters;
  friend PeftModel get_peft_model(const PretrainedModel& model, LoraConfig config,
                                  SourceLocation location);
  PeftModel(const PretrainedModel& model, std::shared_ptr<Adapters> adapters);
  // With adapters that start fresh and that its layers do not have yet.
  static PeftModel adapted(const PretrainedModel& model, LoraConfig config,
                           SourceLocation location);
  // Has the layers compute by the adapters, and freezes the rest; all without `trainable`.
  void attach(const std::string& by, bool trainable) const;
  void check_loaded(const std::string& what, SourceLocation location) const;

  std::shared_ptr<Adapters> adapters_;  // of all handles
};

// Adapters that start so that the model computes as before. Only they are trained, and the modules
// to save. Call compile() afterwards: the optimizer is one of these weights. InvalidArgument for
// a configuration out of bounds, one that targets nothing, and a model that has adapters.
PeftModel get_peft_model(const PretrainedModel& model, LoraConfig config = {},
                         SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
