#include "systolic/transformers/peft/adapted_modules.h"

#include <algorithm>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/base/join_some.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/network/adapter.h"
#include "systolic/transformers/peft/module_pattern.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* all_linear = "all-linear";

void collect_modules(const PretrainedModel& model, const LayerState& state, const std::string& path,
                     std::vector<Module>& modules) {
  for (const LayerState::Child& child : state.children) {
    const std::string below = path.empty() ? child.name : str(path, "/", child.name);
    const bool known = std::ranges::any_of(
        modules, [&](const Module& module) { return module.layer == child.layer; });
    if (takes_adapter(child.layer) && !known) {
      const StoredWeight kernel =
          stored_weight(below + "/kernel", 2, model.config().architecture().weight_names());
      modules.push_back({module_name(model, below), child.layer, !kernel.reversed});
    }
    collect_modules(model, *child.layer.state(), below, modules);
  }
}

struct TargetRow {
  const char* model_type;
  std::vector<std::string> names;
};

// Peft 0.21's table; types that it does not know have the names of their relatives.
const std::vector<TargetRow>& target_rows() {
  static const std::vector<TargetRow> rows = {
      {"bert", {"query", "value"}},
      {"roberta", {"query", "value"}},
      {"xlm-roberta", {"query", "value"}},
      {"electra", {"query", "value"}},
      {"big_bird", {"query", "value"}},
      {"albert", {"query", "value"}},
      {"vit", {"query", "value"}},
      {"deit", {"query", "value"}},
      {"distilbert", {"q_lin", "v_lin"}},
      {"gpt2", {"c_attn"}},
      {"llama", {"q_proj", "v_proj"}},
      {"mistral", {"q_proj", "v_proj"}},
      {"smollm3", {"q_proj", "v_proj"}},
      {"gemma", {"q_proj", "v_proj"}},
      {"gemma2", {"q_proj", "v_proj"}},
      {"gemma3_text", {"q_proj", "v_proj"}},
      {"qwen2", {"q_proj", "v_proj"}},
      {"qwen3", {"q_proj", "v_proj"}},
      {"phi", {"q_proj", "v_proj", "fc1", "fc2"}},
  };
  return rows;
}

std::string lower(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

bool is_in_layers(const std::string& module, const LoraConfig& config) {
  if (config.layers_to_transform.empty()) return true;
  std::optional<int64_t> number;
  if (config.layers_pattern.empty()) number = layer_number(module);
  for (const std::string& pattern : config.layers_pattern) {
    number = layer_number(module, pattern);
    if (number) break;
  }
  return number && std::ranges::count(config.layers_to_transform, *number) > 0;
}

// What gives a model its scores, of classes or of tokens: peft leaves it out of "all-linear".
bool is_head(const std::string& module) {
  for (const char* head :
       {"classifier", "score", "lm_head", "lm_head.decoder", "lm_loss", "cls.predictions.decoder",
        "predictions.decoder", "vocab_projector", "generator_lm_head"}) {
    if (module == head) return true;
  }
  return false;
}

bool is_targeted(const std::string& module, const LoraConfig& config) {
  if (config.exclude_modules.contains(module) || lies_in(module, config.modules_to_save))
    return false;
  const ModuleNames& targets = config.target_modules;
  if (lower(targets.pattern) == all_linear) return !is_head(module);
  if (!targets.contains(module)) return false;
  const bool by_whole_name =
      !targets.pattern.empty() || std::ranges::count(targets.names, module) > 0;
  return by_whole_name || is_in_layers(module, config);
}

}  // namespace

std::string module_name(const PretrainedModel& model, const std::string& path) {
  std::string name = path;
  std::replace(name.begin(), name.end(), '/', '.');
  const std::string body = model.config().architecture().body_name() + ".";
  // A model without a head is the body.
  if (model.task() == Task::features && name.starts_with(body)) name.erase(0, body.size());
  return name;
}

std::vector<Module> linear_modules(const PretrainedModel& model) {
  std::vector<Module> modules;
  collect_modules(model, *model.network().state(), "", modules);
  return modules;
}

ModuleNames default_targets(const std::string& model_type, SourceLocation location) {
  for (const TargetRow& row : target_rows()) {
    if (row.model_type == model_type) return row.names;
  }
  raise<InvalidArgument>({.what = str("adapters for a ", model_type,
                                      " model without "
                                      "target_modules"),
                          .hint = "{.target_modules = \"all-linear\"}, or the names of layers",
                          .location = location});
}

std::vector<Module> targeted(const std::vector<Module>& modules, const LoraConfig& config,
                             SourceLocation location) {
  std::vector<Module> result;
  std::vector<std::string> known;
  for (const Module& module : modules) {
    known.push_back(module.name);
    if (is_targeted(module.name, config)) result.push_back(module);
  }
  if (!result.empty()) return result;
  constexpr size_t most_named = 12;
  raise<InvalidArgument>({.what = str("no module for adapters: target_modules is ",
                                      config.target_modules.config().text().substr(0, 200)),
                          .wanted = str("some of ", join_some(known, most_named)),
                          .location = location});
}

bool lies_in(const std::string& name, const std::vector<std::string>& modules) {
  for (size_t end = name.find('.');; end = name.find('.', end + 1)) {
    const std::string outer = name.substr(0, end);
    const bool ends_so = std::ranges::any_of(
        modules, [&](const std::string& module) { return outer.ends_with(module); });
    if (ends_so || end == std::string::npos) return ends_so;
  }
}

}  // namespace systolic::inline v0
