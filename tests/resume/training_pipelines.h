// Pipelines of everything that a saved iterator has to take up, over files of numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "systolic/data/dataset.h"

namespace systolic {

inline constexpr int64_t row_width = 16;  // "x"; "y" is of two

// Called wherever a function of a pipeline's is, in whatever thread.
void something_happens();

// Writes the files that the pipelines read, once.
void write_rows(const std::string& folder);

struct TrainingPipeline {
  std::function<data::Dataset(const std::string& folder)> make;
  int64_t steps_per_epoch = -1;
};
// By name.
const std::map<std::string, TrainingPipeline>& training_pipelines();

}  // namespace systolic
