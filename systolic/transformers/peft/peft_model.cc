#include "systolic/transformers/peft/peft_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/initializers/random_uniform.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/network/adapter.h"
#include "systolic/transformers/peft/adapted_modules.h"
#include "systolic/transformers/peft/adapter_file.h"
#include "systolic/transformers/peft/lora_layer.h"

namespace systolic::inline v0 {
namespace {

struct AdaptedModule {
  Module module;
  LoraLayer spec;
  Layer adapter;
};

const Variable& weight_of(const Layer& layer, const std::string& name) {
  for (const LayerState::Weight& weight : layer.state()->weights) {
    if (weight.name == name) return weight.variable;
  }
  raise<NotFound>({.what = str("no weight '", name, "' in layer '", layer.name(), "'")});
}

LoraLayer lora_layer(const Module& module, const LoraConfig& config) {
  const int64_t rank = config.rank_of(module.name);
  const auto uniform = [](int64_t in) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    return RandomUniform{.minval = -bound, .maxval = bound};
  };
  LoraLayer spec{.rank = rank,
                 .scale = config.scale_of(module.name),
                 .dropout = config.lora_dropout,
                 .has_magnitude = config.use_dora};
  spec.a_initializer = uniform(weight_of(module.layer, "kernel").shape()[0]);
  if (config.init_lora_weights == Config("gaussian"))
    spec.a_initializer = RandomNormal{.stddev = 1 / static_cast<double>(rank)};
  if (config.init_lora_weights == Config(false)) spec.b_initializer = uniform(rank);
  return spec;
}

AdaptedModule adapted_module(const Module& module, const LoraConfig& config) {
  const LoraLayer spec = lora_layer(module, config);
  const AdaptedModule result{module, spec, Layer(spec)};
  build_adapter(module.layer, result.adapter);
  if (!spec.has_magnitude) return result;
  const auto value = [&](const Layer& layer, const char* name) {
    return Tensor(weight_of(layer, name).literal().convert(DType::f32));
  };
  const Tensor whole = spec.merged(value(module.layer, "kernel"), value(result.adapter, "lora_A"),
                                   value(result.adapter, "lora_B"), nullptr);
  const Variable& magnitude = weight_of(result.adapter, "lora_magnitude_vector");
  magnitude.set(column_lengths(whole).literal().convert(magnitude.dtype()));
  return result;
}

void merge(const AdaptedModule& one) {
  const Variable& kernel = weight_of(one.module.layer, "kernel");
  const auto value = [](const Variable& variable) {
    return Tensor(variable.literal().convert(DType::f32));
  };
  std::optional<Tensor> magnitude;
  if (one.spec.has_magnitude) magnitude = value(weight_of(one.adapter, "lora_magnitude_vector"));
  const Tensor merged =
      one.spec.merged(value(kernel), value(weight_of(one.adapter, "lora_A")),
                      value(weight_of(one.adapter, "lora_B")), magnitude ? &*magnitude : nullptr);
  kernel.set(merged.literal().convert(kernel.dtype()));
}

// Calls f(path, layer) for each layer of the network, an outer one before those inside.
template <class F>
void for_each_layer(const LayerState& state, const std::string& path, const F& f) {
  for (const LayerState::Child& child : state.children) {
    const std::string below = path.empty() ? child.name : str(path, "/", child.name);
    f(below, child.layer);
    for_each_layer(*child.layer.state(), below, f);
  }
}

// Those of modules that are trained as a whole.
std::vector<AdapterWeight> saved_weights(const PretrainedModel& model, const LoraConfig& config) {
  std::vector<AdapterWeight> result;
  const WeightNames names = model.config().architecture().weight_names();
  for (const NamedVariable& one : model.network().named_weights()) {
    const StoredWeight stored = stored_weight(one.path, one.variable.shape().rank(), names);
    const std::string name = module_name(model, stored.name);
    if (lies_in(name, config.modules_to_save))
      result.push_back({"base_model.model." + name, one.variable, stored.reversed});
  }
  return result;
}

const char* task_type_of(Task task) {
  switch (task) {
    case Task::sequence_classification:
      return "SEQ_CLS";
    case Task::token_classification:
      return "TOKEN_CLS";
    case Task::question_answering:
      return "QUESTION_ANS";
    case Task::causal_lm:
      return "CAUSAL_LM";
    case Task::features:
      return "FEATURE_EXTRACTION";
    default:
      return "";
  }
}

// What peft trains as a whole for such a task.
std::vector<const char*> heads_of(const std::string& task_type) {
  if (task_type == "SEQ_CLS" || task_type == "TOKEN_CLS") return {"classifier", "score"};
  if (task_type == "QUESTION_ANS") return {"qa_outputs"};
  return {};
}

// What the configuration leaves to the model.
LoraConfig completed(LoraConfig config, const PretrainedModel& model, SourceLocation location) {
  ConfigFields writer;
  LoraConfig(config).transfer(writer);
  ConfigFields reader(writer.entries(), "a LoraConfig", location);
  config.transfer(reader);  // checks the bounds
  if (config.task_type.empty()) config.task_type = task_type_of(model.task());
  for (const char* head : heads_of(config.task_type)) {
    if (std::ranges::count(config.modules_to_save, head) == 0)
      config.modules_to_save.emplace_back(head);
  }
  if (config.target_modules.empty())
    config.target_modules = default_targets(model.config().model_type(), location);
  return config;
}

}  // namespace

struct PeftModel::Adapters {
  LoraConfig config;
  std::vector<AdaptedModule> modules;
  std::vector<AdapterWeight> saved;            // of modules to save
  std::vector<std::pair<Layer, bool>> before;  // what was trained
  bool loaded = false;

  std::vector<AdapterWeight> weights() const {
    std::vector<AdapterWeight> result;
    for (const AdaptedModule& one : modules) {
      const std::string name = "base_model.model." + one.module.name;
      result.push_back({name + ".lora_A.weight", weight_of(one.adapter, "lora_A"), true});
      result.push_back({name + ".lora_B.weight", weight_of(one.adapter, "lora_B"), true});
      if (one.spec.has_magnitude)
        result.push_back(
            {name + ".lora_magnitude_vector", weight_of(one.adapter, "lora_magnitude_vector")});
    }
    result.insert(result.end(), saved.begin(), saved.end());
    return result;
  }

  void attach(const PretrainedModel& model) {
    for_each_layer(*model.network().state(), "", [&](const std::string&, const Layer& layer) {
      before.emplace_back(layer, layer.trainable());
    });
    for (const AdaptedModule& one : modules) add_adapter(one.module.layer, one.adapter);
    loaded = true;
  }

  // Adapters and modules to save alone.
  void set_trainable(const PretrainedModel& model, bool trainable) const {
    model.network().set_trainable(false);
    if (!trainable) return;
    for (const AdaptedModule& one : modules) one.adapter.set_trainable(true);
    for_each_layer(*model.network().state(), "", [&](const std::string& path, const Layer& layer) {
      if (lies_in(module_name(model, path), config.modules_to_save)) layer.set_trainable(true);
    });
  }

  void detach() {
    for (const AdaptedModule& one : modules) remove_adapter(one.module.layer);
    for (const auto& [layer, trainable] : before) layer.state()->trainable = trainable;
    loaded = false;
  }
};

PeftModel::PeftModel(const PretrainedModel& model, std::shared_ptr<Adapters> adapters)
    : PretrainedModel(model), adapters_(std::move(adapters)) {}

PeftModel PeftModel::adapted(const PretrainedModel& model, LoraConfig config,
                             SourceLocation location) {
  if (has_adapters(model.network()))
    raise<InvalidArgument>({.what = str("adapters for a ", model.class_name(), " that has some"),
                            .hint = "its PeftModel's unload() or merge_and_unload() removes them",
                            .location = location});
  auto adapters = std::make_shared<Adapters>();
  adapters->config = completed(std::move(config), model, location);
  for (const Module& module : targeted(linear_modules(model), adapters->config, location))
    adapters->modules.push_back(adapted_module(module, adapters->config));
  adapters->saved = saved_weights(model, adapters->config);
  return PeftModel(model, std::move(adapters));
}

void PeftModel::attach(const std::string& by, bool trainable) const {
  change_network(by, [&] {
    adapters_->attach(*this);
    adapters_->set_trainable(*this, trainable);
  });
}

PeftModel get_peft_model(const PretrainedModel& model, LoraConfig config, SourceLocation location) {
  PeftModel result = PeftModel::adapted(model, std::move(config), location);
  result.attach("get_peft_model()", true);
  return result;
}

PeftModel PeftModel::from_pretrained(const PretrainedModel& model, const std::string& folder,
                                     const PeftOptions& options, SourceLocation location) {
  PeftModel result = adapted(model, read_adapter_config(folder, location), location);
  load_adapter_weights(folder, result.adapters_->weights(), location);
  result.attach("PeftModel::from_pretrained()", options.is_trainable);
  return result;
}

const LoraConfig& PeftModel::peft_config() const { return adapters_->config; }

std::vector<std::string> PeftModel::adapted_modules() const {
  std::vector<std::string> names;
  for (const AdaptedModule& one : adapters_->modules) names.push_back(one.module.name);
  return names;
}

std::string PeftModel::trainable_parameters() const {
  const auto count = [](const std::vector<Variable>& variables) {
    int64_t total = 0;
    for (const Variable& variable : variables) total += variable.size();
    return total;
  };
  const int64_t trainable = count(network().trainable_variables());
  const int64_t all = count(network().weights());
  char percent[32];
  std::snprintf(
      percent, sizeof percent, "%.4f",
      100 * static_cast<double>(trainable) / static_cast<double>(std::max<int64_t>(1, all)));
  return str("trainable params: ", with_commas(trainable), " || all params: ", with_commas(all),
             " || trainable%: ", percent);
}

void PeftModel::print_trainable_parameters() const { std::cout << trainable_parameters() << "\n"; }

void PeftModel::check_loaded(const std::string& what, SourceLocation location) const {
  if (adapters_->loaded) return;
  raise<FailedPrecondition>(
      {.what = str(what, " of a PeftModel whose adapters were unloaded"), .location = location});
}

void PeftModel::save_pretrained(const std::string& folder, SourceLocation location) const {
  check_loaded("save_pretrained", location);
  const std::vector<AdaptedModule>& modules = adapters_->modules;
  const bool plain = std::ranges::any_of(
      modules, [](const AdaptedModule& one) { return one.module.plain_kernel; });
  save_adapter(folder, adapters_->config, plain, adapters_->weights(), location);
}

PretrainedModel PeftModel::merge_and_unload(SourceLocation location) {
  check_loaded("merge_and_unload", location);
  change_network("merge_and_unload()", [&] {
    for (const AdaptedModule& one : adapters_->modules) merge(one);
    adapters_->detach();
  });
  return *this;
}

PretrainedModel PeftModel::unload(SourceLocation location) {
  check_loaded("unload", location);
  change_network("unload()", [&] { adapters_->detach(); });
  return *this;
}

}  // namespace systolic::inline v0
