// The modules of a model that adapters change, and those that are trained with them. Internal to
// transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/network/network.h"
#include "systolic/transformers/config/weight_names.h"
#include "systolic/transformers/peft/lora_config.h"
#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

// A layer that could have an adapter, under its name in checkpoints.
struct Module {
  std::string name;  // "bert.encoder.layer.0.attention.self.query"
  Layer layer;
  bool plain_kernel = false;  // its kernel lies in checkpoints as it does here
};

// In the network's order.
std::vector<Module> linear_modules(const PretrainedModel& model);
// The model's name of what a path of its network holds: a weight, or a layer.
std::string module_name(const PretrainedModel& model, const std::string& path);

// Peft's choice for a type of model; InvalidArgument where it has none.
ModuleNames default_targets(const std::string& model_type, SourceLocation location);
// Those of the modules that the configuration targets; InvalidArgument, naming some that there are,
// where it targets none.
std::vector<Module> targeted(const std::vector<Module>& modules, const LoraConfig& config,
                             SourceLocation location);

// Whether what has that name is, or lies in, a module whose name ends like one of `modules`: not
// only at a point, as peft has it.
bool lies_in(const std::string& name, const std::vector<std::string>& modules);

}  // namespace systolic::inline v0
