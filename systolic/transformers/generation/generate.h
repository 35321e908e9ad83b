// What PretrainedModel::generate keeps and does. Internal to transformers.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "systolic/train/model/model.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/generation/generation_config.h"
#include "systolic/transformers/generation/generation_plan.h"
#include "systolic/transformers/generation/program/generate_programs.h"

namespace systolic::inline v0 {

// A folder's generation_config.json or, where it has none, what its config.json says of it; and the
// programs that ran so far.
struct Generation {
  Config entries{Config::Map{}};
  std::string file;  // that they are from
  bool has_file = false;

  std::mutex mutex;  // of the programs
  // Which network they are of: another one, wherever programs are to be forgotten.
  std::shared_ptr<const int> network = std::make_shared<const int>(0);
  GeneratePrograms programs;
  GeneratePrograms readings;  // programs that read what was written
};

// A model that drafts for another.
struct Assistant {
  const Model& model;
  const Architecture& architecture;
  std::shared_ptr<const int> network;  // Generation::network
};

// Reads the folder's generation_config.json, where there is one.
std::shared_ptr<Generation> read_generation(const std::string& folder, SourceLocation location);

// The options, and what they leave open: the folder's fields, then those that config.json has of
// them, then the architecture's. Checked.
GenerationConfig settled_config(const Generation& generation, const Architecture& architecture,
                                const Config& model_config, const GenerationConfig& options,
                                SourceLocation location);
// That a text may have.
int64_t most_positions(const Architecture& architecture);
// Runs a plan of such options: prompts and what was generated, i32 [rows, tokens].
Literal run_plan(Generation& generation, const Model& model, const Architecture& architecture,
                 const GenerationPlan& plan, SourceLocation location,
                 const Assistant* assistant = nullptr);

// What the model is asked about a text that it wrote.
struct ReadingRequest {
  int64_t place = 0;  // in the prompt as it was given, after which `token` is asked for
  int64_t token = 0;
  std::vector<std::pair<int64_t, int64_t>> heads = {};  // {layer, head}
};
// Has the model read what run_plan gave for such a plan, of one text a prompt. Rows of what it
// gives are those of `ids` and, where these do not fill the cores, more; slots are `first_slot`
// further than in `ids`.
struct PlanReading {
  TextReading reading;
  int64_t first_slot = 0;
};
PlanReading read_plan(Generation& generation, const Model& model, const Architecture& architecture,
                      const GenerationPlan& plan, const Literal& ids, const ReadingRequest& request,
                      SourceLocation location);

// For a model whose network is built. `config` is its config.json.
Literal run_generation(Generation& generation, const Model& model, const Architecture& architecture,
                       const Config& config, const ModelArrays& prompts,
                       const GenerationConfig& options, SourceLocation location,
                       const Assistant* assistant = nullptr);

}  // namespace systolic::inline v0
