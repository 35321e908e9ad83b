// How low-rank adapters are made (peft's LoraConfig): what get_peft_model takes, and what an
// adapter_config.json holds.
//
//   LoraConfig{.r = 16, .lora_alpha = 32, .target_modules = {"q_proj", "v_proj"}}
//   LoraConfig{.target_modules = R"(.*\.layers\.[01]\.self_attn\.(q|v)_proj)", .use_dora = true}
//
// LoRA: Hu et al. 2021, arXiv 2106.09685. rsLoRA: Kalajdzievski 2023, arXiv 2312.03732. DoRA: Liu
// et al. 2024, arXiv 2402.09353. Fields have peft's names and defaults, in the order in which
// programs write them most often.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "systolic/transformers/config/config_fields.h"

namespace systolic::inline v0 {

// Modules by name: {"q_proj", "v_proj"} means those whose name ends so, at a point; one text is a
// regular expression that their whole names match. Names are those of the weights in checkpoints,
// without ".weight": "bert.encoder.layer.0.attention.self.query".
struct ModuleNames {
  ModuleNames() = default;
  ModuleNames(std::initializer_list<std::string> several) : names(several) {}   // NOLINT
  ModuleNames(std::vector<std::string> several) : names(std::move(several)) {}  // NOLINT
  ModuleNames(const char* expression) : pattern(expression) {}                  // NOLINT
  ModuleNames(std::string expression) : pattern(std::move(expression)) {}       // NOLINT

  bool empty() const { return names.empty() && pattern.empty(); }
  // InvalidArgument for an expression that is none.
  bool contains(const std::string& module) const;
  // As JSON: null where it is empty. `field` is for errors.
  Config config() const;
  static ModuleNames from_config(const Config& value, const char* field,
                                 const ConfigFields& fields);

  std::vector<std::string> names = {};
  std::string pattern = {};
};

struct LoraConfig {
  int64_t r = 8;          // the rank
  double lora_alpha = 8;  // what the adapter computes counts lora_alpha / r times
  // Empty: the model's own, of peft's table: the query and the value projections, most often.
  // "all-linear": all except the head.
  ModuleNames target_modules = {};
  ModuleNames exclude_modules = {};
  double lora_dropout = 0;  // of what comes into the adapter, in training
  // "SEQ_CLS", "TOKEN_CLS", "QUESTION_ANS", "CAUSAL_LM", ...; empty: what the model is for. For the
  // three first the head is trained and saved too.
  std::string task_type = {};
  // Where the model without adapters is to be found: for peft alone.
  std::string base_model_name_or_path = {};
  bool use_rslora = false;                        // lora_alpha / sqrt(r) times
  std::vector<std::string> modules_to_save = {};  // trained as a whole and saved: heads
  // true: lora_A uniform and lora_B 0, so that training begins at the model without adapters;
  // "gaussian": lora_A from a normal distribution; false: lora_B uniform, too.
  Config init_lora_weights = true;
  std::vector<int64_t> layers_to_transform = {};  // numbers of layers; empty: all
  std::vector<std::string> layers_pattern = {};   // what stands before that number: {"layers"}
  // Other ranks and alphas, by the ends of modules' names as regular expressions.
  std::vector<std::pair<std::string, int64_t>> rank_pattern = {};
  std::vector<std::pair<std::string, double>> alpha_pattern = {};
  bool use_dora = false;  // the length of each column of the kernel is trained apart

  // Names the fields of the file. Unimplemented for those that would change the result and are not
  // implemented, such as `bias` other than "none".
  void transfer(ConfigFields& fields);
  int64_t rank_of(const std::string& module) const;
  // What the adapter's product is multiplied by.
  double scale_of(const std::string& module) const;
};

}  // namespace systolic::inline v0
