// Sound as Whisper hears it: the logarithm of how loud each bin of Mel's scale is, window by window
// (Radford et al. 2022, arXiv 2212.04356, section 2.2).
//
//   const auto extractor = WhisperFeatureExtractor::from_pretrained("whisper-tiny/");
//   const DecodedAudio sound = decode_wav(io::read_file("speech.wav"));
//   const Example inputs = extractor({sound.samples});   // {"input_features": [1, 80, 3000]}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// What a call of a WhisperFeatureExtractor makes of sounds of other lengths than a chunk's:
// {.truncation = false} for long ones.
struct WhisperFeatureOptions {
  bool truncation = true;              // sounds longer than a chunk are cut
  std::string padding = "max_length";  // up to a chunk, and the longest; "longest": to that alone
  bool return_attention_mask = false;  // also which moments are sound: i32 [waveforms, moments]
};

// The fields and defaults of transformers' WhisperFeatureExtractor.
struct WhisperFeatureExtractor {
  int64_t feature_size = 80;      // bins, num_mel_bins of the model
  int64_t sampling_rate = 16000;  // samples of a waveform in a second
  int64_t hop_length = 160;       // samples from one window to the next
  int64_t chunk_length = 30;      // seconds: shorter sounds are filled up, longer ones cut
  int64_t n_fft = 400;            // samples of a window
  double padding_value = 0;       // that shorter sounds are filled up with

  // As the folder's preprocessor_config.json has it. NotFound where there is none; InvalidArgument
  // and Unimplemented for fields that are out of bounds and not implemented.
  static WhisperFeatureExtractor from_pretrained(
      const std::string& folder, SourceLocation location = SourceLocation::current());

  // Waveforms f32 [samples], or [samples, 1], from -1 to 1 -> {"input_features": f32 [waveforms,
  // feature_size, chunk_length * sampling_rate / hop_length]}. InvalidArgument for other shapes, as
  // several channels are, and types.
  Example operator()(const std::vector<Literal>& waveforms,
                     SourceLocation location = SourceLocation::current()) const {
    return (*this)(waveforms, {}, location);
  }
  // extractor({sound.samples}, {.truncation = false, .return_attention_mask = true}): what
  // generate() takes of a sound of more than 30 seconds.
  Example operator()(const std::vector<Literal>& waveforms, const WhisperFeatureOptions& options,
                     SourceLocation location = SourceLocation::current()) const;
};

}  // namespace systolic::inline v0
