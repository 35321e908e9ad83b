// What a call of generate() compiles, gives to its program, and makes of what that gives. Internal
// to transformers.
#pragma once

#include "systolic/transformers/generation/generation_plan.h"
#include "systolic/transformers/generation/program/generate_program.h"

namespace systolic::inline v0 {

GenerateShape generate_shape(const GenerationPlan& plan, const GenerationSpec& sizes,
                             int64_t cores);
// Rows that only fill up the cores are copies of the first, and finished.
GenerateArguments generate_arguments(const GenerationPlan& plan, const GenerateShape& shape,
                                     int64_t vocabulary);
// Prompts and what was generated, i32 [rows, tokens], as the program lays them out: i32
// [shape.rows, prompt + room]. Rows that only fill up the cores, and slots after the texts, hold 0.
Literal texts_in_slots(const Literal& ids, const Prompt& prompt, const GenerateShape& shape);
// The prompts as they were given, followed by what was generated.
Literal with_prompts(const Generated& generated, const Prompt& prompt, const GenerateShape& shape);

}  // namespace systolic::inline v0
