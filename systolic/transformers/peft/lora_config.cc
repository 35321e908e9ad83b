#include "systolic/transformers/peft/lora_config.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/peft/module_pattern.h"

namespace systolic::inline v0 {

bool ModuleNames::contains(const std::string& module) const {
  if (!pattern.empty()) return matches_whole(pattern, module);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return module == name || module.ends_with("." + name);
  });
}

Config ModuleNames::config() const {
  if (!pattern.empty()) return pattern;
  if (names.empty()) return {};
  return Config::List(names.begin(), names.end());
}

namespace {

constexpr size_t most_shown = 80;  // of a value in an error
constexpr double largest_alpha = 1e9;
constexpr size_t most_names = 100'000;  // of modules: "all-linear" lists them all

std::vector<std::string> texts_of(const Config& value, const char* field,
                                  const ConfigFields& fields) {
  if (value.is_null()) return {};
  if (value.is_text()) return {value.text_value()};
  const bool fits = value.is_list() && value.list().size() <= most_names &&
                    std::ranges::all_of(value.list(), &Config::is_text);
  if (!fits) fields.fail(field, value.text().substr(0, most_shown), "a list of names");
  std::vector<std::string> result;
  for (const Config& one : value.list()) result.push_back(one.text_value());
  return result;
}

// A whole number without a point, as peft writes it.
Config number_of(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  return value;
}
Config number_of(int64_t value) { return value; }

Config list_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  return Config::List(texts.begin(), texts.end());
}

void transfer_texts(const char* name, std::vector<std::string>& texts, ConfigFields& fields) {
  Config value = list_of(texts);
  fields.json(name, value);
  texts = texts_of(value, name, fields);
}

void transfer_modules(const char* name, ModuleNames& modules, ConfigFields& fields) {
  Config value = modules.config();
  fields.json(name, value);
  modules = ModuleNames::from_config(value, name, fields);
}

// An object of a number for each expression.
template <class Number, class Read>
void transfer_pattern(const char* name, std::vector<std::pair<std::string, Number>>& numbers,
                      ConfigFields& fields, const Read& read) {
  Config value{Config::Map{}};
  for (const auto& [pattern, number] : numbers) value.set(pattern, number_of(number));
  fields.json(name, value);
  if (value.is_null()) value = Config(Config::Map{});
  if (!value.is_map() || value.map().size() > most_names)
    fields.fail(name, value.text().substr(0, most_shown), "an object of numbers");
  numbers.clear();
  for (const auto& [pattern, number] : value.map()) numbers.emplace_back(pattern, read(number));
}

void transfer_text(const char* name, std::string& text, ConfigFields& fields) {
  Config value = text.empty() ? Config() : Config(text);
  fields.json(name, value);
  if (!value.is_null() && !value.is_text())
    fields.fail(name, value.text().substr(0, most_shown), "text or null");
  text = value.is_null() ? "" : value.text_value();
}

void transfer_layers(std::vector<int64_t>& layers, ConfigFields& fields) {
  Config value;
  if (!layers.empty()) value = Config::List(layers.begin(), layers.end());
  fields.json("layers_to_transform", value);
  if (value.is_integer()) value = Config(Config::List{value});
  if (value.is_null()) value = Config(Config::List{});
  if (!value.is_list() || !std::ranges::all_of(value.list(), &Config::is_integer))
    fields.fail("layers_to_transform", value.text().substr(0, most_shown), "numbers of layers");
  layers.clear();
  for (const Config& one : value.list()) layers.push_back(one.integer());
}

// What stands in files of peft 0.21 and would change what is computed.
constexpr const char* unimplemented[] = {"alora_invocation_tokens",
                                         "arrow_config",
                                         "corda_config",
                                         "eva_config",
                                         "kasa_config",
                                         "layer_replication",
                                         "loftq_config",
                                         "lora_ga_config",
                                         "megatron_config",
                                         "monteclora_config",
                                         "target_parameters",
                                         "trainable_token_indices",
                                         "use_bdlora",
                                         "velora_config"};

}  // namespace

ModuleNames ModuleNames::from_config(const Config& value, const char* field,
                                     const ConfigFields& fields) {
  if (value.is_text()) return value.text_value();
  return texts_of(value, field, fields);
}

namespace {

void transfer_alpha(double& alpha, ConfigFields& fields) {
  Config value = number_of(alpha);
  fields.json("lora_alpha", value);
  const bool fits = value.is_number() && std::abs(value.number()) <= largest_alpha;
  if (!fits)
    fields.fail("lora_alpha", value.text().substr(0, most_shown), str("up to ", largest_alpha));
  alpha = value.number();
}

}  // namespace

void LoraConfig::transfer(ConfigFields& fields) {
  std::string peft_type = "LORA";
  fields.choice("peft_type", peft_type, {"LORA"});
  transfer_text("task_type", task_type, fields);
  transfer_text("base_model_name_or_path", base_model_name_or_path, fields);
  fields.integer("r", r, 1, limits::width);
  transfer_modules("target_modules", target_modules, fields);
  transfer_modules("exclude_modules", exclude_modules, fields);
  transfer_alpha(lora_alpha, fields);
  fields.number("lora_dropout", lora_dropout, 0, 1);
  fields.boolean("use_rslora", use_rslora);
  transfer_texts("modules_to_save", modules_to_save, fields);
  fields.json("init_lora_weights", init_lora_weights);
  const bool known = init_lora_weights.is_boolean() || init_lora_weights == Config("gaussian");
  if (fields.reads() && !known)
    fields.fail("init_lora_weights", init_lora_weights.text().substr(0, most_shown),
                "true, false or \"gaussian\"");
  transfer_layers(layers_to_transform, fields);
  transfer_texts("layers_pattern", layers_pattern, fields);
  transfer_pattern("rank_pattern", rank_pattern, fields, [&](const Config& rank) {
    if (rank.is_integer() && rank.integer() >= 1 && rank.integer() <= limits::width)
      return rank.integer();
    fields.fail("rank_pattern", rank.text().substr(0, most_shown),
                str("ranks from 1 to ", limits::width));
  });
  transfer_pattern("alpha_pattern", alpha_pattern, fields, [&](const Config& other) {
    if (other.is_number() && std::abs(other.number()) <= largest_alpha) return other.number();
    fields.fail("alpha_pattern", other.text().substr(0, most_shown), "numbers");
  });
  fields.boolean("use_dora", use_dora);
  fields.only("bias", "none");
  fields.only("lora_bias", false);
  fields.only("use_qalora", false);
  for (const char* name : unimplemented) fields.none(name, "such adapters are not implemented");
}

int64_t LoraConfig::rank_of(const std::string& module) const {
  for (const auto& [pattern, rank] : rank_pattern) {
    if (matches_end(pattern, module)) return rank;
  }
  return r;
}

double LoraConfig::scale_of(const std::string& module) const {
  double alpha = lora_alpha;
  for (const auto& [pattern, other] : alpha_pattern) {
    if (!matches_end(pattern, module)) continue;
    alpha = other;
    break;
  }
  const auto rank = static_cast<double>(rank_of(module));
  return alpha / (use_rslora ? std::sqrt(rank) : rank);
}

}  // namespace systolic::inline v0
