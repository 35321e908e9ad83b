// adapter_config.json and adapter_model.safetensors, as peft writes them. Internal to transformers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/trace/variable.h"
#include "systolic/transformers/peft/lora_config.h"

namespace systolic::inline v0 {

// A variable, under the name that its array has in the file.
struct AdapterWeight {
  std::string name;  // "base_model.model.classifier.weight"
  Variable variable;
  bool reversed = false;  // the axes in the file
};

LoraConfig read_adapter_config(const std::string& folder, SourceLocation location);

// Reads all arrays before the first variable is set: InvalidArgument, which lists those that are
// missing and those of other shapes, leaves the variables as they were.
void load_adapter_weights(const std::string& folder, const std::vector<AdapterWeight>& weights,
                          SourceLocation location);
// Both files get their names when both are written.
void save_adapter(const std::string& folder, LoraConfig config, bool fan_in_fan_out,
                  const std::vector<AdapterWeight>& weights, SourceLocation location);

}  // namespace systolic::inline v0
