// What fit, evaluate and predict ask of their options alike. Internal to train.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/data/dataset.h"

namespace systolic::inline v0 {

// 0 or more, else an InvalidArgument that names the field.
void check_not_negative(std::string_view field, int64_t value, SourceLocation location);
// 1 or more, or -1, else an InvalidArgument that names the field.
void check_steps(std::string_view field, int64_t steps, SourceLocation location);
// Without steps a dataset that is known to have no end is an InvalidArgument that names the field.
void check_end(const data::Dataset& dataset, std::string_view field, int64_t steps,
               SourceLocation location);

// What is printed: `verbose` in the first process of a run, and 0 in the others.
int verbose_here(int verbose);

}  // namespace systolic::inline v0
