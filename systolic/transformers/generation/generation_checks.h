// What generate() says of options that it cannot or need not follow. Internal to transformers.
#pragma once

#include "systolic/transformers/config/generation_spec.h"
#include "systolic/transformers/generation/generation_config.h"

namespace systolic::inline v0 {

// Those that a caller gives are tokens, or -1 for none. A folder's may belong to the vocabulary
// that its model was cut out of: no text ends by it, which needs no log line for the architecture's
// own default.
void check_generation_tokens(const GenerationConfig& options, const GenerationConfig& config,
                             const GenerationSpec& sizes, SourceLocation location);
// One text at a time is streamed, and by no beams; stop strings need a tokenizer.
void check_generation_rounds(const GenerationConfig& config, SourceLocation location);
// InvalidArgument for options of models that hear, given to one that reads.
void check_no_speech_options(const GenerationConfig& options, SourceLocation location);
// A log line for those that have no effect.
void warn_of_unused(const GenerationConfig& options, const GenerationConfig& config);

}  // namespace systolic::inline v0
