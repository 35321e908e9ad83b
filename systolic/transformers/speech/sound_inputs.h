// The sounds that generate() takes, checked. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/train/options/model_arrays.h"
#include "systolic/transformers/config/generation_spec.h"

namespace systolic::inline v0 {

class SoundInputs {
 public:
  // {input_features, attention_mask}, or by their names. InvalidArgument for other shapes than
  // f32 [sounds, bins, frames], and for several long sounds without a mask. The mask of one sound,
  // or of short ones, counts for heard() alone.
  static SoundInputs of(const ModelArrays& arrays, const SourceSizes& sizes,
                        SourceLocation location);

  size_t count() const { return frames_.size(); }
  int64_t longest() const { return features_.shape()[2]; }
  int64_t frames(size_t sound) const { return frames_[sound]; }
  // Frames that the mask, where there is one, says are sound.
  std::optional<int64_t> heard(size_t sound) const {
    return heard_.empty() ? std::nullopt : std::optional(heard_[sound]);
  }
  SoundInputs repeated(int64_t times) const;
  // `frames` moments of each of these sounds from one on, then silence:
  // f32 [sounds, bins, frames].
  Literal part(const std::vector<size_t>& sounds, const std::vector<int64_t>& from,
               int64_t frames) const;

 private:
  Literal features_;
  std::vector<int64_t> frames_;  // of each sound
  std::vector<int64_t> heard_;   // likewise; empty without a mask
};

}  // namespace systolic::inline v0
