// WAV files (RIFF) of PCM samples: tf.audio.decode_wav.
//
//   const DecodedAudio audio = decode_wav(io::read_file("bell.wav"));
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

struct DecodedAudio {
  Literal samples;            // f32 [samples, channels], from -1 to 1
  int64_t sampling_rate = 0;  // samples a second
};

// Integers of 8, 16, 24 and 32 bits, and floats of 32. With `desired_samples` as many: longer ones
// are cut, shorter ones end in zeros. InvalidArgument for other files and coded samples; DataLoss
// for a file that is damaged or ends early.
DecodedAudio decode_wav(std::string_view bytes, std::optional<int64_t> desired_samples = {},
                        SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
