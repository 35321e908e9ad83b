// A file of a training run whose arrays the processes of the run write together, each its share:
//
//   state.safetensors                  of process 0, with what is no weight and no optimizer's
//   state-00001-of-00003.safetensors   of process 1
//   state-00002-of-00003.safetensors
//
// Any number of processes reads them, as one file. Internal to train.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systolic/nn/network/network.h"
#include "systolic/train/weights/stored_arrays.h"

namespace systolic::inline v0 {

struct TrainingPart {
  int index = 0;  // 0 is the file that has the name
  int count = 1;
  std::string run = {};  // who writes: parts of two runs that came to one step are not mixed
};

// The file of a part; `path` itself for part 0.
std::string part_path(const std::string& path, const TrainingPart& part);

// The variables of a part: a run of them, of about as many bytes as each other part's.
std::vector<NamedVariable> variables_of_part(const std::vector<NamedVariable>& all,
                                             const TrainingPart& part);

// What a part says of the others.
void note_parts(std::map<std::string, std::string>& metadata, const TrainingPart& part);

// Adds to part 0, which lies at `path`, the arrays of the others that it names. NotFound for a
// part that is missing, DataLoss for one that is damaged, or of another step or run.
void add_other_parts(StoredFile& file, const std::string& path, SourceLocation location);

}  // namespace systolic::inline v0
