// All that a run changes in a model, as one file: weights, what the optimizer knows, where random
// layers stand, and where its data does. Internal to train.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systolic/train/model.h"

namespace systolic::inline v0 {

// How far a run has come.
struct TrainingPlace {
  int epoch = 0;           // the one under way, or to begin, counted from 0
  std::string input = {};  // Model::input_state()
};

// safetensors, under a temporary name first: the weights as save_weights has them, which
// load_weights reads too, and under "training/" the rest. Makes the folder.
void save_training(const Model& model, const std::string& path, const TrainingPlace& place);

// The variables of a file's "training/" besides the weights. Makes the optimizer's slots.
std::vector<NamedVariable> training_variables(const Model& model);

bool is_training_file(const std::map<std::string, std::string>& metadata);

// Of a model that is compiled. A file of save_weights, or one that is damaged, is a DataLoss; what
// does not fit the model is one error that lists it all, with nothing assigned.
TrainingPlace load_training(Model& model, const std::string& path, SourceLocation location);

}  // namespace systolic::inline v0
