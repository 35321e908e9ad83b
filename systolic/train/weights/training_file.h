// All that a run changes in a model, as one file: weights, what the optimizer knows, where random
// layers stand, and where its data does. Internal to train.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "systolic/train/model/model.h"
#include "systolic/train/weights/stored_arrays.h"
#include "systolic/train/weights/training_parts.h"

namespace systolic::inline v0 {

// How far a run has come.
struct TrainingPlace {
  int epoch = 0;           // the one under way, or to begin, counted from 0
  std::string input = {};  // Model::input_state()
  Example run = {};        // FitOptions::run_state
  int64_t step = 0;        // done since the run began; 0 in files that do not say
};

// All that such a file holds, copied: the model may be trained on while it is written.
struct TrainingSnapshot {
  Example tensors;
  std::map<std::string, std::string> metadata;
};
// A part has its share of the arrays; part 0 alone has the place, but for the input of each process
// that reads rows of its own.
TrainingSnapshot training_snapshot(const Model& model, const TrainingPlace& place,
                                   const TrainingPart& part = {});
// By any thread. Under a temporary name first; makes the folder.
void write_training(const TrainingSnapshot& snapshot, const std::string& path,
                    SourceLocation location);

// safetensors with checksums: the weights as save_weights has them, which load_weights reads too,
// and under "/training/" the rest.
void save_training(const Model& model, const std::string& path, const TrainingPlace& place,
                   SourceLocation location);
// The same, and keeps the file that had the name as `previous`. Between the two steps in which the
// files get their names, there is no file of the name `path`, but `previous` is whole.
void save_training_generation(const Model& model, const std::string& path,
                              const std::string& previous, const TrainingPlace& place,
                              SourceLocation location);

// A file's arrays, split.
struct TrainingArrays {
  StoredArrays weights;
  StoredArrays training;  // under "/training/": the variables besides the weights
  Example run;            // TrainingPlace::run, read
};
TrainingArrays split_arrays(const StoredFile& file);

// A file of weights or of training, with its other parts.
StoredFile open_training(const std::string& path, SourceLocation location);

// The variables of a file's "/training/". Makes the optimizer's slots.
std::vector<NamedVariable> training_variables(const Model& model);

// Everything that keeps arrays from fitting variables, one line each.
std::vector<std::string> misfits(const std::vector<NamedVariable>& variables,
                                 const StoredArrays& arrays);

// Loads into a model that is compiled. A file of save_weights, or one that is damaged, is a
// DataLoss. Where weights do not fit the model the error lists all of those; where only the
// optimizer's arrays do not fit, all of these. Nothing is assigned then. The input is that of
// `process`, where it has one, else that of process 0.
TrainingPlace load_training(Model& model, const std::string& path, SourceLocation location,
                            int process = 0);

}  // namespace systolic::inline v0
