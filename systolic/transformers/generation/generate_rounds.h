// generate() for callers that look at the tokens as they come: streamers and stop strings. Internal
// to transformers.
#pragma once

#include "systolic/transformers/generation/generation_plan.h"
#include "systolic/transformers/generation/program/generate_programs.h"

namespace systolic::inline v0 {

// What run_generate() gives, by programs of a shape in rounds. The texts stay on the device between
// rounds; their ids come to the host after each.
Generated generate_in_rounds(const CompiledGeneration& programs, const GenerationPlan& plan,
                             const GenerateShape& shape, const GenerateArguments& arguments,
                             int64_t cores, SourceLocation location);

}  // namespace systolic::inline v0
