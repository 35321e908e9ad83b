// The parameters of the program of generate(), in order. Internal to transformers.
#pragma once

#include <array>
#include <cstddef>

#include "systolic/transformers/generation/program/generate_program.h"

namespace systolic::inline v0 {

namespace generate_argument {
enum Argument : size_t {
  source,
  source_mask,
  ids,
  starts,
  finished,
  seen,
  ends,
  padding,
  count,
  temperature,
  top_p,
  min_p,
  typical_p,
  least,
  forced_begin,
  forced_end,
  suppressed,
  first_suppressed,
  first_step,
  time_begin,
  last_first_time,
  no_times,
  time_end,
  length_weights,
  penalty,
  key,
  how_many
};
}  // namespace generate_argument

// What the program is compiled for, and what a run gives it.
struct GenerateParameter {
  ir::Type type;
  Literal (*value)(const GenerateArguments&);
  bool has_rows = false;  // along its first axis, which lies over the cores
};

using GenerateParameters = std::array<GenerateParameter, generate_argument::how_many>;
GenerateParameters generate_parameters(const GenerateShape& shape, int64_t vocabulary);

}  // namespace systolic::inline v0
