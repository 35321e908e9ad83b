// What PretrainedModel::generate keeps and does. Internal to transformers.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "systolic/train/model/model.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/generation/generation_config.h"
#include "systolic/transformers/generation/program/generate_programs.h"

namespace systolic::inline v0 {

// A folder's generation_config.json or, where it has none, what its config.json says of it; and the
// programs that ran so far.
struct Generation {
  Config entries{Config::Map{}};
  std::string file;  // that they are from
  bool has_file = false;

  std::mutex mutex;  // of the programs
  GeneratePrograms programs;
};

// Reads the folder's generation_config.json, where there is one.
std::shared_ptr<Generation> read_generation(const std::string& folder, SourceLocation location);

// For a model whose network is built. `config` is its config.json.
Literal run_generation(Generation& generation, const Model& model, const Architecture& architecture,
                       const Config& config, const ModelArrays& prompts,
                       const GenerationConfig& options, SourceLocation location);

}  // namespace systolic::inline v0
