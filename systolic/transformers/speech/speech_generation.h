// generate() of a model that hears, as transformers' WhisperGenerationMixin has it: sounds of 30
// seconds at a time, the next from where what was written about the last one ends. Internal to
// transformers.
#pragma once

#include <vector>

#include "systolic/transformers/generation/generate.h"

namespace systolic::inline v0 {

// A part of a sound, and what is said there.
struct SoundSegment {
  double begin = 0, end = 0;  // seconds
  std::vector<int64_t> tokens;
  // When each token was said, in seconds from the sound's beginning; empty where nobody asked.
  std::vector<float> times = {};
};

// What was written about each sound, in its segments' order.
struct HeardSounds {
  std::vector<std::vector<SoundSegment>> segments;
  int64_t padding = 0;  // after shorter texts
  int64_t first_time = 0;

  // i32 [sounds, tokens].
  Literal ids() const;
  // f32 [sounds, tokens], where they were asked for; a shorter text's last one again at its end.
  Literal times() const;
};

// Whether the architecture's decoder writes about sounds.
bool hears(const Architecture& architecture);

// Arrays are `input_features` f32 [sounds, bins, frames] and, for several sounds of more than 30
// seconds, `attention_mask` [sounds, frames]. InvalidArgument for others, and for options that the
// model does not know. `tells_tokens`: when each token was said, too.
HeardSounds run_speech_generation(Generation& generation, const Model& model,
                                  const Architecture& architecture, const Config& model_config,
                                  const ModelArrays& arrays, const GenerationConfig& options,
                                  bool tells_tokens, SourceLocation location);

}  // namespace systolic::inline v0
