// What the benchmark programs share: their data, and the JSON line they end with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/train/model/model.h"
#include "systolic/train/options/history.h"

namespace systolic {

// Uniform random images [batch, height, width, channels] in [0, 1) and labels [batch] below 10, as
// the components that fit() takes. Deterministic.
Example random_digits(const Shape& images);

double median(std::vector<double> values);  // not of none

// For the steps after the first `warm_up` ones. An execution of K steps stands in the history once.
double median_milliseconds(const History& history, int64_t warm_up_executions);

// Prints the line that ./run bench reads: ms_per_step, compile_ms, first_step_ms,
// peak_memory_bytes, losses.
void print_result(const std::string& work, const History& history, int64_t warm_up_executions,
                  double first_step_ms);

// The same line for calls that have no history: ms_per_step is their median.
void print_times(const std::string& work, std::vector<double> milliseconds);

// fit on `warm_up` + `steps` batches, and its result.
void measure_fit(const std::string& work, Model& model, const data::Dataset& batches,
                 int64_t warm_up, int64_t steps);

}  // namespace systolic
